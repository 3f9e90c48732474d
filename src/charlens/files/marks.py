"""The byte order marks that are written, by encoding."""

from __future__ import annotations

from charlens.kernel.facts import MARKS as READ

MARKS = {encoding: mark for mark, encoding in READ if encoding != "utf-7"}
