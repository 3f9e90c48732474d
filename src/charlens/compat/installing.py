"""Put a drop-in into `sys.modules` under the name of the package that it replaces, and remove it again.

Code that has already imported the real package keeps it: install first, import requests afterwards.
"""

from __future__ import annotations

import sys
import threading
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

#: For each package, the modules that programs import: the module of ours in its place, or names of the drop-in.
_PARTS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "chardet": {
        "__main__": "chardetect",
        "cli": "chardetect",
        "detector": ("UniversalDetector",),
        "enums": ("EncodingEra", "LanguageFilter"),
        "registry": "chardet_registry",
        "universaldetector": ("UniversalDetector",),
        "version": ("__version__", "VERSION"),
    },
    "charset_normalizer": {
        "api": ("explain_handler", "from_bytes", "from_fp", "from_path", "is_binary"),
        "cd": "normalizer_parts",
        "cli": "normalizer",
        "constant": "normalizer_parts",
        "legacy": ("detect",),
        "md": "normalizer_parts",
        "models": ("CharsetMatch", "CharsetMatches"),
        "utils": "normalizer_parts",
        "version": ("__version__", "VERSION"),
    },
    "cchardet": {"cli": "cchardetect", "version": ("__version__",)},
}


class _Face(ModuleType):
    """The drop-in under the name of its package, which some programs check; attributes set here are also set there."""

    def __init__(self, package: str, dropin: ModuleType) -> None:
        super().__init__(package)
        spec = ModuleSpec(package, None, origin=dropin.__file__)
        spec.has_location = True  # needed for __file__
        names = {"__name__": package, "__package__": package, "__spec__": spec}
        vars(self).update({**vars(dropin), **names, "_dropin": dropin})

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        setattr(self._dropin, name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        delattr(self._dropin, name)


_lock = threading.RLock()
#: For each replaced package: how many times, and its modules before the first time.
_replaced: dict[str, tuple[int, dict[str, ModuleType]]] = {}


class Installed:
    """The result of `install`; `undo()`, or the end of a `with` block, reverts it."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages = packages
        self._active = True

    def undo(self) -> None:
        """Restore the original modules, unless another `install` is still active; a second call does nothing."""
        with _lock:
            if self._active:
                self._active = False
                for package in self._packages:
                    _put_back(package)

    def __enter__(self) -> Installed:
        return self

    def __exit__(self, *error: object) -> None:
        self.undo()


def install(*packages: str) -> Installed:
    """Make `import chardet` (or 'charset_normalizer', 'cchardet') import the drop-in, in the whole process.

    Returns an object with `undo()`, which is also a context manager.
    """
    if not packages:
        raise ValueError(f"install() needs the name of a package: {', '.join(map(repr, _PARTS))}")
    for package in packages:
        if package not in _PARTS:
            raise ValueError(f"there is no drop-in for {package!r}; there is one for {', '.join(_PARTS)}")
    wanted = tuple(dict.fromkeys(packages))
    with _lock:
        for package in wanted:
            _replace(package)
    return Installed(wanted)


def _replace(package: str) -> None:
    count, before = _replaced.get(package, (0, {}))
    ours = _modules_of(package)
    # Remove all modules of the real package, so the two are never mixed.
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        module = sys.modules.pop(name)
        if count == 0:
            before[name] = module
    sys.modules.update(ours)
    _replaced[package] = (count + 1, before)


def _put_back(package: str) -> None:
    count, before = _replaced.pop(package)
    if count > 1:
        _replaced[package] = (count - 1, before)
        return
    for name, module in _modules_of(package).items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    for name, module in before.items():
        sys.modules.setdefault(name, module)


@cache
def _modules_of(package: str) -> dict[str, ModuleType]:
    """Return the drop-in and its parts by their new names."""
    dropin = import_module(f"charlens.compat.{package}")
    face = _Face(package, dropin)
    modules: dict[str, ModuleType] = {package: face}
    for part, content in _PARTS[package].items():
        if isinstance(content, str):
            module = import_module(f"charlens.compat.{content}")
        else:
            module = ModuleType(f"{package}.{part}", f"A part of {package}, by charlens.")
            for name in content:
                value = dropin.__version__.split(".") if name == "VERSION" else getattr(dropin, name)
                setattr(module, name, value)
        modules[f"{package}.{part}"] = module
        if not hasattr(face, part):
            setattr(face, part, module)  # for `import chardet.cli; chardet.cli.main()`
    return modules
