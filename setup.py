"""Build the native kernel with the package.

It is optional: where no compiler is found the package installs without it and runs on the kernel
in plain Python (`charlens --version` names the one in use).  CHARLENS_BUILD=pure leaves it out on purpose: the wheel is
then for every machine, browsers included.
"""

import os
import sys

from setuptools import Extension, setup

# -g0: names of folders in the debug information would make every build another one.
# -ffp-contract=off: sums of floats are rounded as Python rounds them.
# -falign-functions=64: otherwise an edit of one function moves the loops of all that follow, and a loop that lies badly
# takes up to a third longer (`kernel.candidates` of 8 KB in Shift_JIS: 2.9 or 3.7 microseconds).
GCC = ["-std=c11", "-O3", "-g0", "-Wall", "-Wextra", "-ffp-contract=off", "-falign-functions=64"]
FLAGS = ["/O2"] if sys.platform == "win32" else GCC
HEADERS = "elements facts kernel markup"
SOURCES = "columns judge languages markup module pages scan score survey utf8 walk words"

PURE = os.environ.get("CHARLENS_BUILD") == "pure"

setup(
    ext_modules=[]
    if PURE
    else [
        Extension(
            "charlens.kernel._native",
            sources=[f"native/{name}.c" for name in SOURCES.split()],
            depends=[f"native/{name}.h" for name in HEADERS.split()],
            extra_compile_args=FLAGS,
            optional=True,
        )
    ]
)
