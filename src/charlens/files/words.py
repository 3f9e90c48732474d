"""Error messages for reading and writing."""

from __future__ import annotations

import re

#: What the advice of a refusal is called outside of 'charlens convert'.
_IN_PYTHON = (
    (r"use --keep-declarations", "pass declarations=False"),
    (r"see 'charlens explain', and ", ""),
    (
        r"convert the file first: charlens convert --to ([\w-]+)",
        r"save it with encoding='\1', or with declarations=False",
    ),
    (r"use --from ENCODING", "{}"),
    (r"use --from ([\w-]+)", r"{}'\1'"),
)
_OPTION = re.compile(r"use (--(?:mixed|keep-declarations|from [\w-]+))(?: to convert it)?")


def reason(error: Exception) -> str:
    """Return the message of *error* without the path, which the caller prints."""
    if isinstance(error, MemoryError):
        return "not enough memory to read it"
    return (isinstance(error, OSError) and error.strerror) or str(error)


def in_python(words: str, source: str = "load it with encoding=") -> str:
    """Return the message of a refusal for callers of the library, who name the encoding with *source*."""
    for option, keyword in _IN_PYTHON:
        words = re.sub(option, keyword.format(source), words)
    return words


def as_command(words: str) -> str:
    """Return the message of a refusal for other commands: the options in it are those of 'charlens convert'."""
    return _OPTION.sub(r"use 'charlens convert --in-place \1 FILE'", words)
