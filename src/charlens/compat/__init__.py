"""Drop-ins for the packages that people have: the same names, the same shapes, our answers.

A program that can be changed imports `charlens.compat.chardet` instead of `chardet`.  For one that cannot,
`install("chardet")` puts the drop-in where its `import chardet` finds it.
"""

from __future__ import annotations

from charlens.compat.installing import Installed, install

__all__ = ["Installed", "install"]
