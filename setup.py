"""Build the native kernel with the package.

It is optional: where no compiler is found the package installs without it and runs on the kernel
in plain Python (`charlens --version` names the one in use).
"""

import sys

from setuptools import Extension, setup

FLAGS = ["/O2"] if sys.platform == "win32" else ["-std=c11", "-O3", "-Wall", "-Wextra"]

setup(
    ext_modules=[
        Extension(
            "charlens.kernel._native",
            sources=[
                f"native/{name}.c" for name in ("markup", "module", "scan", "score", "tongue", "utf8", "walk")
            ],
            depends=["native/elements.h", "native/kernel.h", "native/markup.h"],
            extra_compile_args=FLAGS,
            optional=True,
        )
    ]
)
