"""Keep the navigation of the site and the pages in agreement.

A hook of MkDocs. An entry of `nav` in mkdocs.yml without a page is left out; a page that `nav` does not name goes to
the end of the last section. So a page can be added or removed in one place.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

_log = logging.getLogger("mkdocs.hooks.nav")


def on_config(config: Any) -> Any:
    """Complete ``config.nav`` before the site is built."""
    config.nav = complete(config.nav, Path(config.docs_dir))
    return config


def complete(nav: list[Any], docs: Path) -> list[Any]:
    """Return *nav* with the Markdown pages under *docs*: all of them, and no others."""
    there = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))
    kept = _existing(nav, frozenset(there))
    named = set(_pages(kept))
    more = [page for page in there if page not in named]
    for page in more:
        _log.info("%s is not in nav; it goes to the end of the last section", page)
    if more:
        ((title, last),) = kept[-1].items()
        kept[-1] = {title: [*last, *more]}
    return kept


def _existing(nav: list[Any], there: frozenset[str]) -> list[Any]:
    """Return the entries of *nav* whose page is in *there*; a section that is left without pages goes, too."""
    kept: list[Any] = []
    for entry in nav:
        title, target = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
        if isinstance(target, list):
            section = _existing(target, there)
            kept += [{title: section}] if section else []
        elif target in there:
            kept.append(entry)
        else:
            _log.info("nav names %s, which is not there", target)
    return kept


def _pages(nav: list[Any]) -> list[str]:
    """Return the pages that *nav* names."""
    pages: list[str] = []
    for entry in nav:
        target = next(iter(entry.values())) if isinstance(entry, dict) else entry
        pages += _pages(target) if isinstance(target, list) else [target]
    return pages
