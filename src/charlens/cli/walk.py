"""Find the files under folders as git sees them: ignore files are respected, links to folders are not followed.

Names are sorted, so two walks of one tree agree.  What is not a regular file is yielded too (a pipe, a broken
link): the caller reports the problem when it opens it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

#: Folders of version control; they are never looked into.
_OWN = frozenset({".git", ".hg", ".svn", ".jj"})
#: What an interrupted atomic write can leave behind (`charlens.files.atomic`).
_LEFT_BEHIND = ".charlens~"

F = TypeVar("F", bound=Callable[..., Any])
Complain = Callable[[str, OSError], None]


class _Rules(NamedTuple):
    """The patterns of one ignore file, and the folder that they are relative to."""

    folder: str
    spec: Any


class Choice(NamedTuple):
    """Which of the files in folders are given, by --exclude and --include: patterns as in .gitignore.

    They are matched against the path under each of the folders in *bases*, or else under the folder that was named.
    """

    exclude: Any = None
    include: Any = None
    bases: tuple[str, ...] = ()
    #: What is after the name of a backup: such a file next to its original is left out.
    backup: str | None = None

    def allows(self, path: str, top: str, is_folder: bool = False) -> bool:
        """Whether the file or folder at *path*, found under *top*, is given."""
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
    import click  # here and below: the page that runs in the browser walks folders without the command

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
    """Return the choice by the patterns of --exclude and --include."""
    exclude, include = given["exclude"], given["include"]
    if not exclude and not include:
        return Choice(backup=backup)
    import click
    from pathspec import GitIgnoreSpec  # here: most calls have no pattern

    # The patterns of the settings are relative to their file, those of the command line to the current folder.
    root = click.get_current_context().find_root().obj
    bases = tuple(dict.fromkeys((os.getcwd(), root or os.getcwd())))
    leave, take = (GitIgnoreSpec.from_lines(lines) if lines else None for lines in (exclude, include))
    return Choice(leave, take, bases, backup)


EVERYTHING = Choice()


class Entry(NamedTuple):
    """A file that was found, and the part of its path under the argument that it was found by."""

    path: str
    inner: str
    #: Whether it was found in a folder, and not named itself.
    found: bool = False


def find_files(
    paths: Iterable[str], *, ignore: bool, complain: Complain, choice: Choice = EVERYTHING
) -> Iterator[Entry]:
    """Yield *paths* that are not folders, and the files under those that are; *complain* is called for bad folders.

    With *ignore*, what .gitignore files and .git/info/exclude name is left out, and so is what *choice* does not
    allow; a path given by name never is.
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
    """Whether it is a file, or something to report; a link to a folder is neither."""
    # Not entry.is_dir(), which raises for a ring of links.
    return not entry.name.endswith(_LEFT_BEHIND) and not (entry.is_symlink() and os.path.isdir(entry.path))


def _is_ignored(rules: tuple[_Rules, ...], path: str, is_folder: bool) -> bool:
    """Whether the nearest ignore file that mentions *path* says so."""
    whole = os.path.abspath(path)
    for folder, spec in reversed(rules):
        inner = whole[len(folder) :].lstrip(os.sep).replace(os.sep, "/")
        said = spec.check_file(inner + "/" if is_folder else inner).include
        if said is not None:
            return bool(said)
    return False


def _with_file(rules: tuple[_Rules, ...], folder: str, path: str) -> tuple[_Rules, ...]:
    """Return *rules* and those of the ignore file at *path*, if it is one."""
    from pathspec import GitIgnoreSpec  # here: without an ignore file it is not needed

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


#: Each '**/' in a line multiplies the ways to match a path by its folders; lines with more of them are left out.
_MOST_FOLDERS = 3
#: What pathspec writes for '*'.
_STAR = "[^/]*"
_CLASS_OR_ESCAPE = re.compile(r"\\.|\[\^?\]?[^\]]*\]", re.DOTALL)


def without_backtracking(regex: str) -> str:
    """Return the *regex* of a line so that its stars take the first place where they fit, and never try another.

    Of several stars in a name only the last can need another place.  With the usual meaning, `*a*a*a*a*a*b` tries all
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
    """Return the rules of the ignore files above *path*, from the root of its repository down."""
    folder = os.path.abspath(path)
    above = []
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ()  # in no repository: only the tree's own files count
        folder = parent
        above.append(folder)
    rules: tuple[_Rules, ...] = ()
    exclude = os.path.join(folder, ".git", "info", "exclude")
    if os.path.isfile(exclude):
        rules = _with_file(rules, folder, exclude)
    for one in reversed(above):
        rules = _with_file(rules, one, os.path.join(one, ".gitignore"))
    return rules


def need_folder(folder: str, option: str) -> None:
    """Refuse an *option* whose output would go to something that is not a folder one may write to."""
    import click

    if not os.path.isdir(folder):
        raise click.UsageError(f"{option}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise click.UsageError(f"{option}: no permission to write to the folder {folder}")
