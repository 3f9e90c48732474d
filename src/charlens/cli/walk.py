"""Find the files under folders as git sees them: ignore files are respected, links to folders are not followed.

Names are sorted, so two walks give the same order.  Pipes, broken links and the like are yielded too: the caller
reports the problem when it opens them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

#: Folders of version control, which are always skipped.
_OWN = frozenset({".git", ".hg", ".svn", ".jj"})
#: Temporary files that an interrupted atomic write can leave behind (`charlens.files.atomic`).
_LEFT_BEHIND = ".charlens~"

F = TypeVar("F", bound=Callable[..., Any])
Complain = Callable[[str, OSError], None]


class _Rules(NamedTuple):
    """The patterns of one ignore file, and the folder that they are relative to."""

    folder: str
    spec: Any


class Choice(NamedTuple):
    """Which files in folders are chosen, by --exclude and --include: patterns as in .gitignore.

    They are matched against the path relative to each folder in *bases*, or without *bases* to the given folder.
    """

    exclude: Any = None
    include: Any = None
    bases: tuple[str, ...] = ()
    #: The suffix of backups: such a file next to its original is skipped.
    backup: str | None = None

    def allows(self, path: str, top: str, is_folder: bool = False) -> bool:
        """Whether the file or folder at *path*, found under *top*, is chosen."""
        if self.exclude is None and self.include is None:
            return True
        whole = os.path.abspath(path)
        inner = {os.path.relpath(whole, base) for base in self.bases}
        inner = {name for name in inner if not name.startswith("..")} or {os.path.relpath(path, top)}
        names = [name.replace(os.sep, "/") + "/" * is_folder for name in inner]
        if self.exclude is not None and any(map(self.exclude.match_file, names)):
            return False
        return is_folder or self.include is None or any(map(self.include.match_file, names))


def choice_options(verb: F) -> F:
    """Add --exclude and --include."""
    import click  # here and below: the page in the browser uses this module without click

    for option in (
        click.option(
            "--include",
            multiple=True,
            metavar="PATTERN",
            help="Only process matching files in folders (.gitignore syntax); repeatable.",
        ),
        click.option(
            "--exclude",
            multiple=True,
            metavar="PATTERN",
            help="Skip matching files in folders (.gitignore syntax); repeatable.",
        ),
    ):
        verb = option(verb)
    return verb


def choice_of(given: dict[str, Any], backup: str | None = None) -> Choice:
    """Return the choice for the patterns of --exclude and --include."""
    exclude, include = given["exclude"], given["include"]
    if not exclude and not include:
        return Choice(backup=backup)
    import click
    from pathspec import GitIgnoreSpec  # here: most calls have no pattern

    # Patterns in the settings are relative to their file, those on the command line to the current folder.
    root = click.get_current_context().find_root().obj
    bases = tuple(dict.fromkeys((os.getcwd(), root or os.getcwd())))
    leave, take = (GitIgnoreSpec.from_lines(lines) if lines else None for lines in (exclude, include))
    return Choice(leave, take, bases, backup)


EVERYTHING = Choice()


class Entry(NamedTuple):
    """A file, and its path relative to the argument under which it was found."""

    path: str
    inner: str
    #: Whether it was found in a folder, not given by name.
    found: bool = False


def find_files(
    paths: Iterable[str], *, ignore: bool, complain: Complain, choice: Choice = EVERYTHING
) -> Iterator[Entry]:
    """Yield the files among *paths* and in the folders among them; *complain* is called for unreadable folders.

    With *ignore*, files listed in .gitignore or .git/info/exclude are skipped.  Files that *choice* does not allow
    are always skipped.  Both apply only to files in folders, never to a path given by name.
    """
    for path in paths:
        if not os.path.isdir(path):
            yield Entry(path, os.path.basename(path))
            continue
        rules = _rules_above(path) if ignore else ()
        prefix = len(os.path.join(path, ""))
        for found in _walk(path, rules, ignore, complain, choice):
            yield Entry(found, found[prefix:], True)


def _walk(
    top: str, rules: tuple[_Rules, ...], ignore: bool, complain: Complain, choice: Choice
) -> Iterator[str]:
    stack = [(top, rules)]
    while stack:
        folder, known = stack.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            complain(folder, error)
            continue
        if ignore and any(entry.name == ".gitignore" for entry in entries):
            known = _with_file(known, folder, os.path.join(folder, ".gitignore"))
        below = []
        names = {entry.name for entry in entries} if choice.backup else ()
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if (
                    entry.name not in _OWN
                    and not (known and _is_ignored(known, entry.path, True))
                    and choice.allows(entry.path, top, True)
                ):
                    below.append((entry.path, known))
            elif (
                choice.backup
                and entry.name.endswith(choice.backup)
                and entry.name.removesuffix(choice.backup) in names
            ):
                continue
            elif (
                not (known and _is_ignored(known, entry.path, False))
                and _is_wanted(entry)
                and choice.allows(entry.path, top)
            ):
                yield entry.path
        stack += reversed(below)


def _is_wanted(entry: os.DirEntry[str]) -> bool:
    """Whether to yield it: a file, or something to report; not a link to a folder."""
    # entry.is_dir() would raise for a loop of links.
    return not entry.name.endswith(_LEFT_BEHIND) and not (entry.is_symlink() and os.path.isdir(entry.path))


def _is_ignored(rules: tuple[_Rules, ...], path: str, is_folder: bool) -> bool:
    """Whether the nearest ignore file with a matching pattern ignores *path*."""
    whole = os.path.abspath(path)
    for folder, spec in reversed(rules):
        inner = whole[len(folder) :].lstrip(os.sep).replace(os.sep, "/")
        said = spec.check_file(inner + "/" if is_folder else inner).include
        if said is not None:
            return bool(said)
    return False


def _with_file(rules: tuple[_Rules, ...], folder: str, path: str) -> tuple[_Rules, ...]:
    """Return *rules* plus those of the ignore file at *path*, if it exists."""
    from pathspec import GitIgnoreSpec  # here: only needed with an ignore file

    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
        spec = GitIgnoreSpec.from_lines(line for line in lines if line.count("**/") <= _MOST_FOLDERS)
        for pattern in spec.patterns:
            if pattern.regex is not None and pattern.regex.pattern.count(_STAR) > 2:
                pattern.regex = re.compile(without_backtracking(pattern.regex.pattern))
    except (OSError, ValueError):
        return rules
    return (*rules, _Rules(os.path.abspath(folder), spec))


#: The most '**/' in a line: each one multiplies the time to match. Lines with more are skipped.
_MOST_FOLDERS = 3
#: The regular expression that pathspec uses for '*'.
_STAR = "[^/]*"
_CLASS_OR_ESCAPE = re.compile(r"\\.|\[\^?\]?[^\]]*\]", re.DOTALL)


def without_backtracking(regex: str) -> str:
    """Return the *regex* of a line with stars that stop at the first match and never backtrack.

    Of several stars in a name, only the last can need backtracking.  Otherwise `*a*a*a*a*a*b` would try all
    ways to choose five letters of a name.
    """
    first, *pieces = regex.split(_STAR)
    made = [first]
    for number, piece in enumerate(pieces):
        ends_name = set("/()|$") & set(_CLASS_OR_ESCAPE.sub("", piece))
        if number == len(pieces) - 1 or not piece or ends_name:
            made.append(_STAR + piece)
        else:
            made.append(f"(?=(?P<star{number}>{_STAR}?{piece}))(?P=star{number})")
    return "".join(made)


def _rules_above(path: str) -> tuple[_Rules, ...]:
    """Return the rules of the ignore files above *path*, from the root of its repository down.

    If they ignore *path* itself, there are none: it was given by name.
    """
    folder = top = os.path.abspath(path)
    above = []
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ()  # not in a repository: only ignore files inside the tree count
        folder = parent
        above.append(folder)
    rules: tuple[_Rules, ...] = ()
    exclude = os.path.join(folder, ".git", "info", "exclude")
    if os.path.isfile(exclude):
        rules = _with_file(rules, folder, exclude)
    for one, below in zip(reversed(above), (*reversed(above[:-1]), top), strict=False):
        rules = _with_file(rules, one, os.path.join(one, ".gitignore"))
        if _is_ignored(rules, below, True):
            return ()
    return rules


def need_folder(folder: str, option: str) -> None:
    """Exit with a message if the output folder of *option* cannot be written to."""
    from tempfile import TemporaryFile  # here: this import takes 8 ms

    import click

    if not os.path.isdir(folder):
        problem = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise click.UsageError(f"{option}: {folder} {problem}.")
    # Try it: os.access() is wrong for root, for read-only file systems and for /proc.
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError:
        raise click.UsageError(f"{option}: cannot write to {folder}. Choose another folder.") from None


#: How each page begins that charlens writes.
_OWN_PAGE = b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"'


def need_page(target: str, option: str) -> None:
    """Exit with a message if a page cannot be written to *target*, or would replace a file that is not such a page."""
    import click

    from charlens.inputs.paths import open_regular

    need_folder(os.path.dirname(os.path.abspath(target)), f"{option} {target}")
    try:
        with open_regular(target) as file:
            begin = file.read(len(_OWN_PAGE))
    except (OSError, ValueError):  # there is none, or it is a device
        return
    if begin and begin != _OWN_PAGE:
        raise click.UsageError(
            f"{option}: {target} exists, and is not a page that charlens wrote. Choose another name."
        )
