"""Build the fuzzer of the native kernel: `python fuzz/native/build.py FOLDER`, then `sh FOLDER/run.sh SECONDS [JOBS]`.

FOLDER gets the program (clang with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, including libraries),
the tables of the package, a corpus made from the prose and the cases of the tests, and run.sh; it can be copied to
another machine. Without clang, only the tables and the corpus are made, which `make cross` needs, and a message is
printed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from array import array
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from inputs import ENCODINGS, PIECES, texts  # noqa: E402

from charlens import survey  # noqa: E402
from charlens.encodings.walks import packed_tables, pair_masks  # noqa: E402
from charlens.models import default_model  # noqa: E402
from charlens.models.characters import character_weights  # noqa: E402
from charlens.models.language_model import default_language_model  # noqa: E402
from charlens.mojibake.chains import CODECS, _pages  # noqa: E402
from charlens.stages.statistics.tables import tables_of  # noqa: E402
from charlens.stages.structure.tables import structure_tables  # noqa: E402

#: Options of libFuzzer besides the sanitizers; a byte too many or an overflow ends the run.
FLAGS = ["-std=c11", "-O1", "-g", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
#: Newest first; Debian's package has its version in its name.
COMPILERS = ("clang", *(f"clang-{version}" for version in range(22, 12, -1)))


def find_compiler() -> str | None:
    """Return a clang that has libFuzzer."""
    for name in COMPILERS:
        if not (path := shutil.which(name)):
            continue
        source = "int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9 ? 0 : 0; }"
        command = [path, "-x", "c", "-", "-fsanitize=fuzzer", "-o", "/dev/null"]
        if subprocess.run(command, input=source.encode(), capture_output=True).returncode == 0:
            return path
    return None


def compile_fuzzer(compiler: str, folder: Path) -> None:
    """Compile the kernel, all but its Python face, with the entries."""
    sources = [
        path for path in sorted((HERE.parent.parent / "native").glob("*.c")) if path.name != "module.c"
    ]
    command = [compiler, *FLAGS, *map(str, sources), str(HERE / "entries.c"), "-o", str(folder / "fuzz")]
    # A program that runs elsewhere brings the C++ library of libFuzzer with it, where there is one to bring.
    alone = ["-nostdlib++", "-Wl,-Bstatic", "-lstdc++", "-Wl,-Bdynamic", "-static-libgcc", "-lm"]
    if subprocess.run([*command, *alone], capture_output=True).returncode:
        subprocess.run(command, check=True)


def write_tables(folder: Path) -> None:
    """Write the tables that the package gives the kernel, each as the file that entries.c reads."""
    index, signs = _pages()
    tables_of_model = tables_of(default_model())
    _, _, families, points, relatives, begins, odds, judge_sets, judge_rules = tables_of_model.arguments
    _, _, _, *of_survey, survey_rules = survey.arguments()
    survey_names = ("words", "openings", "survey-sets", "pages", "lacking", "tolerant", "stray-relatives", "not-ebcdic")
    tables = {
        "packed": packed_tables(),
        "masks": pair_masks(),
        "columns": structure_tables().kernel[0],
        "owners": structure_tables().kernel[3],
        "characters": character_weights(),
        "languages": default_language_model().tables,
        **{f"model-{number}": part for number, part in enumerate(default_model().parts)},
        "index": index,
        "signs": signs + bytes([len(CODECS)]),
        "families": families,
        "meanings": points,
        "relatives": relatives,
        "judge-sets": judge_sets,
        **dict(zip(("amounts", "factors", "bias"), begins, strict=True)),
        **dict(zip(("priors", "sharpness", "spoken"), odds, strict=True)),
        "judge-rules": array("d", judge_rules).tobytes(),
        **dict(zip(survey_names, of_survey, strict=True)),
        "survey-rules": array("q", survey_rules).tobytes(),
    }
    folder.mkdir(exist_ok=True)
    for name, table in tables.items():
        (folder / name).write_bytes(bytes(table))


def write_seeds(folder: Path) -> None:
    """Write a first corpus: prose in many encodings, pieces that the stages look for, and the cases of the tests."""
    folder.mkdir(exist_ok=True)
    seeds = [text.encode(encoding, "ignore")[:600] for text in texts() for encoding in ENCODINGS[::3]]
    seeds += PIECES
    seeds += [path.read_bytes()[:4000] for path in (HERE.parent.parent / "tests" / "cases").glob("*.toml")]
    seeds += [bytes([0, 1, 2, 9, 40, 3, 7, 1, 64]) + seed for seed in seeds[::5]]  # numbers before the data
    for number, seed in enumerate(seeds):
        (folder / f"seed-{number:04}").write_bytes(seed)


def main() -> int:
    """Build; 0 also where there is no compiler for it."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_tables(folder / "tables")
    write_seeds(folder / "seeds")
    compiler = find_compiler()
    if compiler is None:
        print("No clang with libFuzzer here; the C kernel is not fuzzed (Debian: apt-get install clang).")
        return 0
    compile_fuzzer(compiler, folder)
    shutil.copy(HERE / "run.sh", folder / "run.sh")
    return 0


if __name__ == "__main__":
    sys.exit(main())
