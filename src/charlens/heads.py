"""How far into a file a declaration of its charset or its language is looked for.

The declarations stage and the native lane both go by these; what they look for is theirs.
"""

from __future__ import annotations

#: So many bytes are looked at, unless the caller wants more: the number of the standard.
PRESCAN_BYTES = 1024
#: A coding line is in the first two lines, which fit here.
FIRST_LINES = 512
#: Where the language stands: an attribute of an early tag, at most this far in.
LANGUAGE_BYTES = 4096

#: What the native lane goes by, with the names that it has for it.
LIMITS = {"first_lines": FIRST_LINES, "prescan": PRESCAN_BYTES, "language_head": LANGUAGE_BYTES}
