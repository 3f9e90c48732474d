"""Drop-ins for other packages: the same names, the same result types, our answers.

If you can change a program, import `charlens.compat.chardet` instead of `chardet`.  If you cannot, `install("chardet")`
puts the drop-in where its `import chardet` finds it.
"""

from __future__ import annotations

from charlens.compat.installing import Installed, install

__all__ = ["Installed", "install"]
