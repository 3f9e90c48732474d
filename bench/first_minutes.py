"""Follow README.md as a new user would, from three starting points, and print how long each takes.

    python bench/first_minutes.py

The starting points are a garbled CSV, a crawler and a legacy repository, each with files as people have them.  The
commands are those of README.md, in a fresh environment with a warm pip cache; at the end the goal is checked.  Reading
is counted at 200 words per minute (the text before the first task, and the task); thinking and typing are not counted.
"""

from __future__ import annotations

import http.server
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
WORDS_PER_MINUTE = 200
#: The trials, each with the task of README.md that it follows.
SECTIONS = {
    "a garbled CSV": "A file opens garbled",
    "a crawler": "A crawler",
    "a legacy repository": "A legacy repository",
}
ROWS = ["Kundennr;Name;Straße;Ort"] + [
    "1001;Jürgen Weiß;Bäckergasse 3;Köln",
    "1002;Zoë Groß;Königstraße 12;Bonn",
] * 60
TABLE = "\r\n".join(ROWS) + "\r\n"
PAGES = {
    "/ru": ("text/html", "cp1251", "<title>Погода</title><p>Завтра ожидается дождь и сильный ветер.</p>"),
    "/cs": ("text/html; charset=iso-8859-1", "cp1250", "<p>Čtvrtek: déšť, vítr a chladno, večer jasno.</p>"),
    "/ja": ("text/html", "euc_jp", "<title>天気</title><p>明日は雨が降るでしょう。</p>"),
    "/el": ("text/html; charset=utf-8", "iso8859-7", "<p>Ο καιρός αύριο θα είναι βροχερός και κρύος.</p>"),
    "/de": ("text/html; charset=utf-8", "utf-8", "<p>Grüße aus Köln</p>"),
}
CRAWLER = """
import sys
from urllib.request import urlopen
import charlens.html
for path in sys.argv[2:]:
    with urlopen(sys.argv[1] + path) as response:
        text, verdict = charlens.html.decode(response.read(), response.headers.get("Content-Type"))
    sys.stdout.buffer.write((path + " " + text + "\\n").encode())
"""


class Environment:
    """A fresh environment with the command, and the seconds that its commands took."""

    def __init__(self, folder: Path) -> None:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self._bin = folder / "bin"
        command = [self._bin / "pip", "install", "--quiet", "--disable-pip-version-check", f"{ROOT}[cli]"]
        subprocess.run(command, check=True)
        self.install = time.perf_counter() - begin
        self.seconds = 0.0

    def run(self, program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
        """Run a program of the environment, as typed."""
        begin = time.perf_counter()
        done = subprocess.run(
            [self._bin / program, *arguments], cwd=cwd, capture_output=True, stdin=subprocess.DEVNULL
        )
        self.seconds += time.perf_counter() - begin
        return done


def garbled_csv(environment: Environment, folder: Path) -> bool:
    """A windows-1252 export, a UTF-16 one, and one with mojibake; the goal is right text in UTF-8."""
    (folder / "export.csv").write_bytes(TABLE.encode("cp1252"))
    (folder / "unicode.csv").write_bytes(TABLE.encode("utf-16"))
    (folder / "sales.csv").write_bytes(TABLE.encode().decode("latin-1").encode())
    names = ("export.csv", "unicode.csv", "sales.csv")
    environment.run("charlens", "detect", *names, cwd=folder)
    environment.run("charlens", "convert", "--in-place", "--backup", *names, cwd=folder)
    environment.run("charlens", "repair", "sales.csv", cwd=folder)
    environment.run("charlens", "repair", "--in-place", "sales.csv", cwd=folder)
    return all((folder / name).read_bytes().decode() == TABLE for name in names)


class Page(http.server.BaseHTTPRequestHandler):
    """A site whose headers are right, wrong or silent."""

    def do_GET(self) -> None:
        header, encoding, text = PAGES[self.path]
        self.send_response(200)
        self.send_header("Content-Type", header)
        self.end_headers()
        self.wfile.write(text.encode(encoding))

    def log_message(self, format: str, *args: object) -> None:
        """Be quiet."""


def crawler(environment: Environment, folder: Path) -> bool:
    """Pages with right, wrong and missing headers; the goal is the right text of each."""
    (folder / "crawl.py").write_text(CRAWLER)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        done = environment.run("python", "crawl.py", address, *PAGES, cwd=folder)
        server.shutdown()
    return done.stdout.decode().splitlines() == [f"{path} {text}" for path, (_, _, text) in PAGES.items()]


def legacy_repository(environment: Environment, folder: Path) -> bool:
    """Sources in six encodings, one file damaged, one mixed; the goal is that `charlens check` passes."""
    russian = "{ Процедура: вывод текста на экран }\r\nbegin\r\n  writeln('Привет, мир');\r\nend;\r\n"
    german = "Grüße aus Köln\nund schöne Straßen\n"
    files = {
        **{
            f"src/m{n}.c": f"/* Größe des Puffers {n}, geändert für München */\n".encode("cp1252")
            for n in range(30)
        },
        **{f"src/p{n}.pas": russian.encode("cp866") for n in range(10)},
        "hello.py": "# -*- coding: koi8-r -*-\nprint('Привет, мир! Как дела?')\n".encode("koi8-r"),
        "index.html": '<meta charset="shift_jis">\n<p>このページは古いです。書き直しましょう。</p>\n'.encode(
            "cp932"
        ),
        "de.po": '"Content-Type: text/plain; charset=ISO-8859-1\\n"\nmsgstr "Größe ändern, Öffnen"\n'.encode(
            "latin-1"
        ),
        "app.rc": 'STRINGTABLE\r\n 1 "Größe ändern"\r\n'.encode("utf-16"),
        "notes.txt": "Already UTF-8: naïve café\n".encode(),
        "damaged.txt": german.encode() * 5 + b"\xff\n",
        "log.txt": german.encode() * 4 + "Café crème, déjà vu à la carte, élève\n".encode("cp1252") * 4,
        "logo.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    }
    project = folder / "project"
    (project / "src").mkdir(parents=True)
    for name, content in files.items():
        (project / name).write_bytes(content)
    environment.run("charlens", "scan", "project", cwd=folder)
    environment.run("charlens", "convert", "--dry-run", "project", cwd=folder)
    environment.run("charlens", "convert", "--in-place", "--log", "changes.jsonl", "project", cwd=folder)
    environment.run("charlens", "convert", "--in-place", "--mixed", "project/log.txt", cwd=folder)
    damaged = project / "damaged.txt"
    environment.run(
        "charlens", "convert", "-i", "--backup", "--replace-damage", "project/damaged.txt", cwd=folder
    )
    text = damaged.read_text(encoding="utf-8")
    damaged.write_text(text.replace("\ufffd", ""), encoding="utf-8")  # what a person does in an editor
    return environment.run("charlens", "check", "project", cwd=folder).returncode == 0


def words_of(section: str) -> int:
    """Return the number of words of README.md before its first task, and in the task *section*."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    opening = text.partition("\n### ")[0]
    _, found, rest = text.partition(f"### {section}\n")
    assert found, section
    return len(opening.split()) + len(rest.partition("\n##")[0].split())


def main() -> int:
    """Print a row for each trial; exit with 1 if one does not reach its goal, or takes over three minutes."""
    trials: dict[str, Callable[[Environment, Path], bool]] = {
        "a garbled CSV": garbled_csv,
        "a crawler": crawler,
        "a legacy repository": legacy_repository,
    }
    good = True
    with tempfile.TemporaryDirectory() as name:
        environment = Environment(Path(name) / "venv")
        print(
            "| starting point | words to read | reading, s | install, s | commands, s | together, s | goal |"
        )
        print("|---|--:|--:|--:|--:|--:|---|")
        for trial, follow in trials.items():
            folder = Path(name) / trial.replace(" ", "-")
            folder.mkdir()
            environment.seconds = 0.0
            reached = follow(environment, folder)
            words = words_of(SECTIONS[trial])
            reading = 60 * words / WORDS_PER_MINUTE
            together = reading + environment.install + environment.seconds
            good = good and reached and together < 180
            print(
                f"| {trial} | {words} | {reading:.0f} | {environment.install:.0f} | {environment.seconds:.1f} | "
                f"{together:.0f} | {'reached' if reached else 'NOT REACHED'} |"
            )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
