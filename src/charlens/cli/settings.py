"""The settings of a project: `.charlens.toml`, or `[tool.charlens]` in `pyproject.toml`.

They are defaults of options, which the command line overrides.  `exclude`, `include`, `no-ignore` and `jobs`
are at the top and apply to every verb that has them; any other option is in the table of its verb.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import click

from charlens.plural import did_you_mean

_OWN = ".charlens.toml"
_PROJECT = "pyproject.toml"
_SHARED = ("exclude", "include", "no-ignore", "jobs")


class Settings(NamedTuple):
    """The tables of one file, and the file."""

    path: str = ""
    tables: dict[str, Any] = {}  # noqa: RUF012


def find_settings(verbs: Iterable[str]) -> Settings:
    """Return the settings of the nearest folder, from the current one up to the root of its repository."""
    folder = os.getcwd()
    while True:
        for name in (_OWN, _PROJECT):
            path = os.path.join(folder, name)
            tables = _read(path) if os.path.isfile(path) else None
            if tables is not None:
                _check(path, tables, verbs)
                return Settings(path, tables)
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return Settings()
        folder = parent


def defaults_for(settings: Settings, command: click.Command) -> dict[str, Any]:
    """Return the default values for *command*, by the names of its parameters."""
    own = settings.tables.get(command.name or "", {})
    options = {
        name.lstrip("-"): param
        for param in command.params
        if isinstance(param, click.Option)
        for name in param.opts
        if name.startswith("--")
    }
    given = {name: settings.tables[name] for name in _SHARED if name in settings.tables and name in options}
    for name, value in {**given, **own}.items():
        if name not in options:
            raise click.UsageError(
                f"{settings.path}: charlens {command.name} has no option {name!r}. "
                f"See 'charlens {command.name} --help'."
            )
        if options[name].multiple and not isinstance(value, list):
            raise click.UsageError(f"{settings.path}: {name} must be a list, such as [{value!r}].")
    return {str(options[name].name): value for name, value in {**given, **own}.items()}


def _read(path: str) -> dict[str, Any] | None:
    """Return the tables of the file at *path*; None if a pyproject.toml has none for charlens."""
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", "replace")
    own = os.path.basename(path) == _OWN
    if not own and "tool.charlens" not in text:
        return None  # no table for charlens: do not load the parser
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib  # type: ignore[import-not-found,no-redef]
    try:
        tables: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise click.UsageError(f"{path}: {error}") from None
    except RecursionError:
        raise click.UsageError(f"{path}: nested too deeply.") from None
    if own:
        return tables
    tool = tables.get("tool")
    table = tool.get("charlens") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise click.UsageError(f"{path}: tool.charlens is not a table.")
    return table


def _check(path: str, tables: dict[str, Any], verbs: Iterable[str]) -> None:
    example = "[check]" if path.endswith(_OWN) else "[tool.charlens.check]"
    for name, value in tables.items():
        if name == "tool" and path.endswith(_OWN):
            raise click.UsageError(f"{path}: leave out 'tool.charlens' in this file; write {example} instead.")
        if name not in _SHARED and not (isinstance(value, dict) and name in verbs):
            near = did_you_mean(name, (*_SHARED, *verbs))
            raise click.UsageError(
                f"{path}: unknown setting {name!r}. {near}The top level takes {', '.join(_SHARED)}; "
                f"options of one command belong in its table, such as {example}."
            )
