"""Plain English: phrases that read as translated stay out of the pages, the comments and the messages.

Two lists: `PHRASES` is for everything; `HABITS` is for pages, help, messages, docstrings and comments, but not for
history (the changelog and the roadmap).
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import charlens
from charlens.cli.app import app

ROOT = Path(__file__).parent.parent
SOURCE = Path(charlens.__file__).parent
PAGES = [
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/errors/*.md")),
    *sorted(ROOT.glob("docs/decisions/*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")),
    *sorted(SOURCE.glob("models/**/*.md")),
]

#: Other files that users read: the commands of make, the schema of the output, and the page of `charlens inspect`.
OTHERS = [
    ROOT / "Makefile",
    ROOT / "docs" / "records.json",
    *sorted(SOURCE.glob("inspector/page/*.js")),
    *sorted(SOURCE.glob("inspector/page/*.html")),
]

PHRASES = re.compile(
    r"\bso many\b|\bso much\b|\b(?:is|are|one|none) wanted\b|\b(?:is|are) no (?:text|JSON|error|file)\b|"
    r"\btongues?\b|\bmend(?:s|ed|ing)?\b|\bstraight way\b|\bis no encoding\b|\bwanted is |\btold\b",
    re.IGNORECASE,
)
#: Habits of translated prose, each with a plain word that is usual: "anyway", "non-ASCII", "line endings", "again" …
HABITS = re.compile(
    r"\ball the same\b|\banew\b|\bone a processor\b|(?-i:\bbeyond ASCII\b)|\bis said to be\b|\w\(s\)(?!\w)|"
    r"\bexclude each other\b|\bof them before\b|\btells? of\b|\bcomplain of\b|\bline ends?\b|\bspoil\w*|"
    r"\bhonou?red\b|\bbeside\b|\bstill done\b|\bby its own\b|\bto the letter\b|\bnothing is detected then\b|"
    r"\bwhatever they are in\b|\bsurer\b|\bnothing but\b|\bthere are no such\b|\bis there already\b|\bgo on after\b|"
    r"\bwhoever\b|\bspeaks? (?:for|of)\b|\bgoes on where\b|\bnought\b|\bthrice\b|"
    r"\bkept apart\b|(?<!there )\bis no (?:answer|label|word|fault|mistake|example)\b|\bis none of\b|\bput right\b|"
    r"\b(?:bytes|documents|files|pages|samples|words) a (?:class|label|language|line|minute)\b|"
    r"\bthat ships\b|\bby itself\b|\bunasked\b|"
    r"\bis left alone\b|\bwhat is left\b|\bof your own\b|\bby hand\b|\bof one origin\b",
    re.IGNORECASE,
)
#: Reports of measurements and history, whose wording is not revised with each version.
HISTORY = {"CHANGELOG.md", "roadmap.md"}
#: From Python 3.12 on, the text of an f-string is a separate token.
STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def phrases(text: str) -> list[str]:
    """Return the phrases of the list that *text* has, also if a line break is inside one."""
    return PHRASES.findall(" ".join(text.split()))


def words_of(code: str) -> str:
    """Return the comments of *code*, without their signs, and its strings."""
    tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    comments = [token.string.lstrip("#:") for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join([*comments, *(token.string for token in tokens if token.type in STRINGS)])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_have_none_of_the_phrases(path: Path) -> None:
    """No page of the documentation has a phrase of the list."""
    assert phrases(path.read_text(encoding="utf-8")) == []


def without_values(text: str) -> str:
    """Return *text* without its strings of one word, which are values for programs: "beside"."""
    return re.sub(r'"\w+"', '""', text)


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.name)
def test_other_files_have_none_of_the_phrases_and_habits(path: Path) -> None:
    """No comment of the Makefile, description of the schema or string of the page is translated prose."""
    text = without_values(path.read_text(encoding="utf-8"))
    assert phrases(text) + habits(text) == []


def test_modules_have_none_of_the_phrases() -> None:
    """No comment, docstring or message of the package has a phrase of the list."""
    texts = {path: words_of(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    assert {str(path): found for path, text in texts.items() if (found := phrases(text))} == {}


def helps(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the help of *command* and of all commands below it, each with its name."""
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from helps(below, click.Context(below, info_name=name, parent=context))


def messages(source: str) -> str:
    """Return the strings of *source* that are not docstrings, which users may see."""
    tree = ast.parse(source)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return "\n".join(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    )


def habits(text: str) -> list[str]:
    """Return the habits that *text* has, also if a line break is inside one."""
    return HABITS.findall(" ".join(text.split()))


@pytest.mark.parametrize(
    "path", [path for path in PAGES if path.name not in HISTORY], ids=lambda path: path.name
)
def test_pages_have_none_of_the_habits(path: Path) -> None:
    """No page for users has a habit of translated prose."""
    assert habits(path.read_text(encoding="utf-8")) == []


def test_tools_have_none_of_the_habits() -> None:
    """The documentation of the benchmarks, the fuzzers and the release tools is plain, too."""
    tools = [path for folder in ("bench", "fuzz", "release", "docs/_site") for path in ROOT.glob(f"{folder}/**/*.py")]
    texts = {path: words_of(path.read_text(encoding="utf-8")) for path in tools}
    found = {path.name: [habit for habit in habits(text) if habit not in INSIDE] for path, text in texts.items()}
    assert len(tools) > 40 and {name: bad for name, bad in found.items() if bad} == {}
    assert {path.name: bad for path, text in texts.items() if (bad := phrases(text))} == {}


def test_help_has_none_of_the_habits() -> None:
    """The help of every command and option is plain, and says what every option does."""
    texts = dict(helps(app, click.Context(app, info_name="charlens")))
    assert len(texts) > 20 and {name: found for name, text in texts.items() if (found := habits(text))} == {}


def commands(command: click.Command, context: click.Context) -> Iterator[click.Command]:
    """Yield *command* and all commands below it."""
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, click.Context(below, info_name=name, parent=context))


def test_every_option_has_a_help() -> None:
    """No option is listed without words."""
    silent = {
        f"{command.name} {option.opts[0]}"
        for command in commands(app, click.Context(app, info_name="charlens"))
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    }
    assert silent == set()


def test_messages_have_none_of_the_habits() -> None:
    """No message of the package has a habit of translated prose."""
    texts = {path: messages(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    assert {str(path): found for path, text in texts.items() if (found := habits(text))} == {}


def test_docstrings_of_the_api_have_none_of_the_habits() -> None:
    """The API reference is made of the docstrings of the public names and their members."""
    found = {}
    for name in charlens.__all__:
        thing = getattr(charlens, name)
        members = [thing, *(vars(thing).values() if inspect.isclass(thing) else ())]
        texts = [doc for each in members if isinstance(doc := getattr(each, "__doc__", None), str)]
        if bad := habits("\n".join(texts)):
            found[name] = bad
    assert found == {}


def test_the_habits_are_found() -> None:
    """The check finds habits in pages, help and messages, but not in internal docstrings and code."""
    assert habits("3 file(s) beside\nit, all\nthe same") == ["e(s)", "beside", "all the same"]
    code = '"""Anew."""\ndef f():\n    """Beside it."""\n    raise ValueError(f"{x} line ends")\n'
    assert habits(without_values('save("Save beside it", "beside")')) == ["beside"] and len(OTHERS) > 15
    assert habits(messages(code)) == ["line ends"] and habits("renewal, besides, outline endings") == []


def test_the_phrases_are_found() -> None:
    """The check finds phrases in comments, strings and f-strings, across lines, but not in code."""
    assert phrases("none is wanted, what is no text, so much") == ["is wanted", "is no text", "so much"]
    code = '#: At most so\n#: many.\ntold = f"{name}; wanted is {wanted}" if wanted is None else "Mended"\n'
    assert sorted(phrases(words_of(code))) == ["Mended", "so many", "wanted is "]
    assert phrases("recommended, amends, retold") == []


def usage_errors(source: str) -> Iterator[tuple[str, str]]:
    """Yield the first and the last words of each message of wrong use in *source*; '' for a value."""
    for node in ast.walk(ast.parse(source)):
        name = getattr(getattr(node, "func", None), "attr", "")
        if (
            isinstance(node, ast.Call)
            and name in ("UsageError", "ClickException", "BadParameter")
            and node.args
        ):
            message = node.args[0]
            parts = message.values if isinstance(message, ast.JoinedStr) else [message]
            first, last = (
                part.value if isinstance(part, ast.Constant) else "" for part in (parts[0], parts[-1])
            )
            yield str(first), str(last)


def test_messages_of_wrong_use_are_sentences() -> None:
    """After 'Error:' there is a sentence with its full stop, or a command to copy at the end."""
    messages = [
        words
        for path in (SOURCE / "cli").glob("*.py")
        for words in usage_errors(path.read_text(encoding="utf-8"))
    ]
    assert len(messages) > 30
    assert [last for _, last in messages if last and last[-1] not in ".?'"] == []
    assert list(usage_errors("raise click.UsageError(f'{x} no stop')")) == [("", " no stop")]


#: Habits that are plain enough in a comment.
INSIDE = {"by itself", "by hand"}


def test_comments_have_none_of_the_habits() -> None:
    """No comment or docstring of the package has a habit of translated prose either."""
    texts = {path: words_of(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    found = {str(path): [habit for habit in habits(text) if habit not in INSIDE] for path, text in texts.items()}
    assert {path: bad for path, bad in found.items() if bad} == {}
