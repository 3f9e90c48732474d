"""The direction of the data: who may import whom, what an import costs, and what a kernel may give and take."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

import charlens
from charlens import kernel
from charlens.kernel import pure
from charlens.kernel.shapes import JudgeRules, Scan

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCE = Path(charlens.__file__).parent
ROOT = Path(__file__).resolve().parent.parent

#: They import the core; the core never imports them.
OUTER = (
    "charlens.training",
    "charlens.evaluation",
    "charlens.cli",
    "charlens.integrations",
    "charlens.compat",
    "charlens.inspector",
)
#: Commands of the workshop: `python -m ...`; no part of the core imports them, and they may read TOML.
WORKSHOP = {"charlens.encodings.generate", "charlens.encodings.reference", "charlens.__main__"}


def module_name(path: Path) -> str:
    """The dotted name; a package keeps its '__init__', from which relative imports count like from any module."""
    return ".".join(["charlens", *path.relative_to(SOURCE).with_suffix("").parts])


def imports(source: str, module: str) -> Iterator[str]:
    """Every module that *source* imports, anywhere in it, except those for a type checker only."""
    tree = ast.parse(source)
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".")[: -node.level]
                base = ".".join([*package, base]) if base else ".".join(package)
            yield base
            # `from charlens.stages import verdict` imports a module, too.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def modules() -> dict[str, str]:
    """Every module of the package by name, with its source."""
    return {module_name(path): path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}


def is_in(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def core(sources: dict[str, str]) -> dict[str, str]:
    return {
        module: source
        for module, source in sources.items()
        if not is_in(module, OUTER) and module not in WORKSHOP
    }


def outward(sources: dict[str, str]) -> list[str]:
    """Imports in the core of modules that are built on it."""
    return [
        f"{module} imports {name}"
        for module, source in core(sources).items()
        for name in imports(source, module)
        if is_in(name, OUTER) or name in WORKSHOP
    ]


def foreign(sources: dict[str, str]) -> list[str]:
    """Imports of the core that are neither ours nor of the standard library."""
    return [
        f"{module} imports {name}"
        for module, source in core(sources).items()
        for name in imports(source, module)
        if name.split(".")[0] not in sys.stdlib_module_names | {"charlens", "__future__"}
    ]


def stage_of(module: str) -> str | None:
    """The stage that *module* belongs to: a module of `stages`, or a package there with all its parts."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["charlens", "stages"] and len(parts) > 2 and parts[2] != "__init__" else None


def across(sources: dict[str, str]) -> list[str]:
    """Imports by which one stage reaches another."""
    return [
        f"{module} imports {name}"
        for module, source in sources.items()
        if stage_of(module)
        for name in imports(source, module)
        if stage_of(name) not in (None, stage_of(module))
    ]


def test_the_core_imports_nothing_built_on_it() -> None:
    """Training, evaluation, the command, integrations and the compatible faces import the core, never the reverse."""
    assert outward(modules()) == []


def test_the_core_needs_nothing_but_python() -> None:
    """No module of the core imports anything from outside the standard library, not even when it is asked for."""
    assert foreign(modules()) == []


def test_no_stage_knows_another() -> None:
    """A stage takes what others found as values; the parts of one stage may import each other."""
    assert across(modules()) == []


def test_the_vocabulary_imports_nothing_of_ours() -> None:
    """Every module may import `types`, which imports none of ours."""
    names = list(imports(modules()["charlens.types"], "charlens.types"))
    assert [name for name in names if is_in(name, ("charlens",))] == []


@pytest.mark.parametrize(
    ("module", "source", "rule"),
    [
        ("charlens.api", "from charlens.cli import app", outward),
        ("charlens.api", "import charlens.evaluation.judge", outward),
        ("charlens.inputs.paths", "def late():\n    from charlens import training", outward),
        ("charlens.kernel.__init__", "from ..compat import chardet", outward),
        ("charlens.encodings.__init__", "from .generate import main", outward),
        ("charlens.stages.unicode", "try:\n    import numpy\nexcept ImportError:\n    pass", foreign),
        ("charlens.types", "from chardet.universaldetector import UniversalDetector", foreign),
        ("charlens.stages.unicode", "from charlens.stages.content import classify_content", across),
        ("charlens.stages.unicode", "from charlens.stages import content", across),
        ("charlens.stages.unicode", "from .content import ALLOWED", across),
        ("charlens.stages.unicode", "from . import content", across),
    ],
)
def test_the_rules_bite(module: str, source: str, rule: object) -> None:
    """Each rule finds an import that breaks it, in every way in which one can be written."""
    stages = dict.fromkeys(
        ("charlens.stages.content", "charlens.stages.unicode", "charlens.models.characters"), ""
    )
    sources = {**stages, module: source}
    assert rule(sources), "the rule found nothing"  # type: ignore[operator]


def test_the_rules_let_pass_what_is_right() -> None:
    """The shared weights, the vocabulary, the standard library and imports for types alone are allowed."""
    source = (
        "from typing import TYPE_CHECKING\nfrom charlens.models.characters import character_weights\n"
        "from charlens.types import Span\nimport os\nif TYPE_CHECKING:\n    import numpy\n"
    )
    sources = {
        "charlens.stages.unicode": source,
        "charlens.models.characters": "",
        "charlens.cli.app": "import click",
    }
    assert outward(sources) == foreign(sources) == across(sources) == []


@pytest.mark.parametrize(
    "stage", sorted({f"charlens.stages.{stage_of(m)}" for m in modules() if stage_of(m)})
)
def test_a_stage_has_one_entry(stage: str) -> None:
    """A stage has a single public function, in its module or in the __init__ of its package."""
    sources = modules()
    tree = ast.parse(sources.get(stage) or sources[f"{stage}.__init__"])
    public = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    assert len(public) == 1


def python(code: str) -> str:
    """What *code* prints in a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


LOADED = (
    "import sys; before = set(sys.modules); import charlens; print('\\n'.join(set(sys.modules) - before))"
)


def test_importing_charlens_loads_the_standard_library_and_the_core_only() -> None:
    """`import charlens` pulls in no module from elsewhere, and no part that is built on the core."""
    loaded = python(LOADED).split()
    assert "charlens.api" in loaded and "charlens.pipeline" in loaded
    assert [m for m in loaded if m.split(".")[0] not in sys.stdlib_module_names | {"charlens"}] == []
    assert [m for m in loaded if is_in(m, OUTER) or m in WORKSHOP] == []


def test_detecting_loads_nothing_from_elsewhere_either() -> None:
    """Also after all kinds of input have been through, only the standard library and the core are loaded."""
    work = (
        "; [charlens.detect(d) for d in (b'a', b'\\xe9t\\xe9', b'a\\0b\\0' * 20, b'\\x1b$B', b'\\0')]; print("
    )
    loaded = python(LOADED.replace("; print(", work, 1)).split()
    assert [m for m in loaded if m.split(".")[0] not in sys.stdlib_module_names | {"charlens"}] == []
    assert [m for m in loaded if is_in(m, OUTER)] == []


KERNEL = [name for name in kernel.__all__ if name != "NAME"]

#: `survey` passes it on to `judge_legacy`.
EVIDENCE = "evidence: tuple[float, ...]"


@pytest.mark.parametrize("function", KERNEL)
def test_kernel_functions_take_and_return_integers_and_bytes(function: str) -> None:
    """Kernels take and return no float, no str and no object of ours, so two of them agree exactly.

    `judge_legacy` alone, and `survey` with it, has probabilities (docs/decisions/0013): of plain numbers, and nothing
    else of ours.
    """
    judging = ("JudgeTables", "SurveyTables", "judge_legacy", "survey")
    records = {"JudgeTables", "JudgeRules", "Judged", "SurveyTables", "SurveyRules", "Surveyed", "None"}
    own = records | {"bool", "float"} if function in judging else set()
    signature = inspect.signature(getattr(pure, function))
    for parameter in signature.parameters.values():
        names = {node.id for node in ast.walk(ast.parse(str(parameter.annotation))) if isinstance(node, ast.Name)}
        assert names <= {"Buffer", "bytes", "int", "tuple"} | own
    returned = ast.walk(ast.parse(str(signature.return_annotation), mode="eval"))
    assert {node.id for node in returned if isinstance(node, ast.Name)} <= {"tuple", "int", "bytes", "Scan"} | own
    assert set(get_type_hints(Scan).values()) <= {int, bytes}
    assert set(get_type_hints(JudgeRules).values()) <= {int, float}


@pytest.mark.parametrize("path", sorted((SOURCE / "kernel").glob("pure*.py")), ids=lambda path: path.stem)
def test_a_kernel_has_no_floats(path: Path) -> None:
    """There is no float constant, no true division and no call of float() in a kernel, but in `judge_legacy`."""
    if path.stem == "pure_judge":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8").replace(EVIDENCE, ""))):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
        assert not (isinstance(node, ast.Name) and node.id == "float")


@pytest.mark.parametrize("function", KERNEL)
def test_the_twins_have_the_same_functions(function: str) -> None:
    """Whatever `pure` defines, the native twin has, where it is built."""
    native = pytest.importorskip("charlens.kernel._native", reason="the native kernel is not built here")
    assert callable(getattr(pure, function)) and callable(getattr(native, function))


def test_every_wrong_edit_fits_the_code() -> None:
    """What `make mutants` changes is still there, and so are the tests that must notice."""
    for mutant in tomllib.loads((ROOT / "tests/mutants.toml").read_text(encoding="utf-8"))["mutant"]:
        assert mutant["find"] in (ROOT / mutant["file"]).read_text(encoding="utf-8"), mutant["file"]
        for name in mutant["tests"].split():
            assert (ROOT / "tests" / f"test_{name.partition('::')[0]}.py").exists(), name
