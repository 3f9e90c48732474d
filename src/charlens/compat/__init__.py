"""Drop-ins for other packages: the same names and result types, with the answers of charlens.

If you can change a program, import `charlens.compat.chardet` instead of `chardet`.  If you cannot, `install("chardet")`
puts the drop-in where its `import chardet` finds it.
"""

from __future__ import annotations

from charlens.compat.installing import Installed, install

__all__ = ["Installed", "install"]
