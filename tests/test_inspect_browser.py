"""`charlens inspect` in a real browser: what a person does, with mouse and keyboard, and what they see."""

from __future__ import annotations

import base64
import os
import shlex
import time
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from browser import ROOT, axe_script, chromium, made_page, served, served_folder
from command import run
from prose_texts import PROSE

import charlens
from charlens import kernel
from charlens.cli.report import draw_page
from charlens.cli.survey import Summary
from charlens.files.line_ends import count_ends_in
from charlens.inspector.overview import look_closely
from charlens.inspector.saved import save_page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        kernel.NAME == "pure", reason="once is enough: the run with the native kernel has these"
    ),
]

#: The pictures of docs/inspect.md: the dropped file, its view, and the window.
PICTURES = {
    "light": ("letter.txt", "text", {}),
    "compare": ("letter.txt", "compare", {}),
    "bytes": ("letter.txt", "hex", {"scheme": "dark"}),
    "find": ("letter.txt", "text", {"scheme": "dark"}),
    "mixed": ("mixed.txt", "text", {}),
    "damaged": ("damaged.txt", "text", {}),
    "repair": ("double.txt", "text", {}),
    "arabic-dark": ("arabic.txt", "text", {"scheme": "dark"}),
    "folder": ("", "", {}),
    "narrow": ("page.html", "text", {"width": 390, "height": 840}),
}
DROP = """([data, name]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))], name));
  dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""
#: Whether the text of a row ends nearer to its right edge than it begins to its left one.
IS_AT_THE_RIGHT = """row => {
  const range = document.createRange();
  range.selectNodeContents(row);
  const [text, box] = [range.getBoundingClientRect(), row.getBoundingClientRect()];
  return box.right - text.right < text.left - box.left;
}"""
IS_IN_SIGHT = (
    "row => row.getBoundingClientRect().top > 60 && row.getBoundingClientRect().bottom <= innerHeight"
)
RUSSIAN = PROSE["ru"].encode("koi8-r", "ignore")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


class Pages:
    """Opens pages, and sees to it that none of them fails silently or talks to anybody else."""

    def __init__(self, browser: Any, stack: ExitStack, tmp_path: Path) -> None:
        self.browser, self.stack, self.tmp_path = browser, stack, tmp_path
        self.wrong: list[str] = []

    def open(self, path: Path | None, *, width: int = 1360, height: int = 900, scheme: str = "light") -> Any:
        """Open the page for *path* and wait for what it shows first."""
        page = self.goto(self.stack.enter_context(served(path)), width=width, height=height, scheme=scheme)
        page.wait_for_selector("main h1")
        return page

    def goto(self, address: str, *, width: int = 1360, height: int = 900, scheme: str = "light") -> Any:
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True
        )
        self.stack.callback(context.close)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        page.on("dialog", lambda dialog: self.wrong.append(dialog.message))
        origin = address.split("/", 3)[:3]
        page.on("request", lambda request: self._look_at(request.url, origin))
        page.goto(address)
        return page

    def _look_at(self, url: str, origin: list[str]) -> None:
        if not url.startswith("blob:") and url.split("/", 3)[:3] != origin:
            self.wrong.append(f"asks for {url}")

    def file(self, data: bytes, name: str = "a.txt", **how: Any) -> Any:
        """Open the page for a file with *data*."""
        path = self.tmp_path / name
        path.write_bytes(data)
        return self.open(path, **how)


@pytest.fixture
def pages(browser: Any, tmp_path: Path) -> Iterator[Pages]:
    with ExitStack() as stack:
        pages = Pages(browser, stack, tmp_path)
        yield pages
    assert pages.wrong == []


def drop(page: Any, data: bytes, name: str = "a.txt") -> None:
    page.evaluate("() => document.querySelector('main').removeAttribute('aria-busy')")
    page.evaluate(DROP, [base64.b64encode(data).decode(), name])
    page.wait_for_function("name => document.querySelector('.file').textContent === name", arg=name)
    settle(page)


def settle(page: Any) -> None:
    """Wait for the answers that are requested after the verdict."""
    page.wait_for_selector("main[aria-busy=false]")
    page.wait_for_load_state("networkidle")


def texts(page: Any) -> list[str]:
    """The lines that the view of the text shows."""
    found: list[str] = page.eval_on_selector_all(
        ".viewer .text", "all => all.map((each) => each.textContent)"
    )
    return found


def download(page: Any, place: str) -> bytes:
    with page.expect_download() as waiting:
        page.click(f"{place} >> text=Download")
    return Path(waiting.value.path()).read_bytes()


def test_drop_read_switch_convert_download(pages: Pages) -> None:
    """A file is dropped, read, read otherwise, and downloaded: the bytes are those of decode and encode."""
    page = pages.open(None)
    drop(page, RUSSIAN)
    assert page.inner_text(".verdict h1") == "Russian text in KOI8-R"
    assert texts(page) == RUSSIAN.decode("koi8-r").splitlines()
    assert download(page, ".convert") == RUSSIAN.decode("koi8-r").encode()
    page.check("input[name=reading][value=cp1251]")
    page.wait_for_function("() => document.querySelector('.reading-now').textContent === 'read as cp1251'")
    settle(page)
    assert texts(page) == RUSSIAN.decode("cp1251").splitlines()
    page.wait_for_selector(".status.proved")
    assert download(page, ".convert") == RUSSIAN.decode("cp1251").encode()
    page.select_option(".convert select >> nth=0", "utf-16")
    page.wait_for_load_state("networkidle")
    assert download(page, ".convert").decode("utf-16") == RUSSIAN.decode("cp1251")


def test_readings_are_shown_side_by_side(pages: Pages) -> None:
    """Lines that differ come first, all of them on request; a reading is used from there."""
    page = pages.file(b"plain\n" * 30 + RUSSIAN)
    settle(page)
    page.click("#tab-compare")
    page.wait_for_selector(".compare-row")
    rows = len(RUSSIAN.splitlines())
    assert page.locator(".compare-row").count() == rows and page.locator(".is-differs").count() > 50
    page.uncheck("text=Only lines that differ")
    page.wait_for_function(f"() => document.querySelectorAll('.compare-row').length === {30 + rows}")
    page.click("text=Use >> nth=1")
    page.wait_for_load_state("networkidle")
    assert page.get_attribute(".compare-head .column >> nth=0", "class") and page.is_checked(
        "input[value=cp1251]"
    )


def test_bytes_that_decided_are_shown(pages: Pages) -> None:
    """The pairs that decided are listed with their points, marked among the bytes, and explained where one clicks."""
    page = pages.file(RUSSIAN)
    settle(page)
    pairs = page.locator(".pairs .link")
    pairs.nth(next(n for n, words in enumerate(pairs.all_inner_texts()) if "20" not in words)).click()
    page.wait_for_selector(".at")
    assert page.locator(".byte.decided").count() > 20 and "points" in page.inner_text(".at p")
    assert "CYRILLIC" in page.inner_text(".at") and page.locator(".at li").count() >= 2


def test_hints_decide_at_once_and_back(pages: Pages) -> None:
    """A hint changes the verdict at once, and there is a way back to automatic."""
    page = pages.open(None)
    drop(page, bytes.fromhex("cfd2e9e2e5f2"), "few.bin")
    before = page.inner_text(".verdict")
    page.select_option(".hints select >> nth=1", "mac")
    page.wait_for_selector("text=With your hints")
    assert any("hints" in step.lower() for step in page.locator(".story li strong").all_inner_texts())
    settle(page)
    page.click("text=Back to automatic")
    page.wait_for_function(
        "() => !document.querySelector('.verdict').textContent.includes('With your hints')"
    )
    settle(page)
    assert page.inner_text(".verdict") == before


def test_mixed_files_are_converted_part_by_part(pages: Pages) -> None:
    """Each part has its own reading; what is downloaded has every part right, and another choice changes that part."""
    french = PROSE["fr"].encode("cp1252", "ignore")
    page = pages.file(PROSE["de"].encode() + french + PROSE["de"].encode())
    page.wait_for_selector(".part >> nth=2")
    page.wait_for_function(
        "() => document.querySelector('.verdict h1').textContent.startsWith('Text in several encodings')"
    )
    settle(page)
    assert (
        texts(page)[:12] == PROSE["de"].splitlines()
        and texts(page)[12:24] == french.decode("cp1252").splitlines()
    )
    page.wait_for_selector(".convert .proved")
    assert download(page, ".convert").decode() == PROSE["de"] + french.decode("cp1252") + PROSE["de"]
    page.select_option(".part >> nth=1 >> select", "cp1250")
    page.wait_for_load_state("networkidle")
    assert download(page, ".convert").decode() == PROSE["de"] + french.decode("cp1250") + PROSE["de"]


def test_double_encoding_is_repaired_with_a_preview(pages: Pages) -> None:
    """Mojibake is shown before and after, and the download is the repaired text."""
    text = "Grüße aus Köln und schöne Straßen\n" * 3
    page = pages.file(text.encode().decode("cp1252").encode())
    page.wait_for_selector(".repair .proved")
    assert page.inner_text(".preview ins >> nth=0") == text.splitlines()[0]
    assert download(page, ".repair").decode() == text


@pytest.mark.parametrize(("language", "encoding"), [("ar", "cp1256"), ("he", "cp1255"), ("he", "utf-8")])
def test_right_to_left_is_right(pages: Pages, language: str, encoding: str) -> None:
    """Arabic and Hebrew are read, and their lines run from right to left, in both views of the text."""
    data = PROSE[language].encode(encoding, "ignore")
    page = pages.file(data, scheme="dark")
    settle(page)
    assert texts(page) == data.decode(encoding).splitlines()
    assert page.eval_on_selector(".viewer .text", IS_AT_THE_RIGHT)
    page.click("#tab-compare")
    page.wait_for_selector(".compare-row")
    assert page.eval_on_selector(".compare-row .text", IS_AT_THE_RIGHT)


def test_a_gigabyte_is_read_by_ranges(pages: Pages) -> None:
    """A file of 1 GB is opened by its path; its end is shown, and never more than 100 rows are in the document."""
    path = pages.tmp_path / "large.txt"
    block = (
        b"".join(b"%07d plain line of a large file\n" % number for number in range(25_000))
        + "Ende für heute\n".encode()
    )
    with open(path, "wb") as file:
        for _ in range((1 << 30) // len(block) + 1):
            file.write(block)
    page = pages.goto(pages.stack.enter_context(served(path)))
    page.wait_for_selector(".verdict h1", timeout=60_000)
    assert page.inner_text(".verdict h1").endswith("in UTF-8") and "1.1 GB" in page.inner_text(".facts")
    page.wait_for_selector(".viewer .row")
    most = 0
    for key in (
        "End",
        "PageUp",
        "Home",
        "PageDown",
        "PageDown",
        "PageDown",
        "PageDown",
        "PageDown",
        "PageDown",
    ):
        page.focus(".viewer")
        page.keyboard.press(key)
        page.wait_for_timeout(250)
        most = max(most, page.locator("[data-row]").count())
        if key == "End":
            page.wait_for_function(
                "() => document.querySelector('.viewer').textContent.includes('Ende für heute')"
            )
    assert 20 < most <= 100
    seek(page, "text", "nothing of the kind")
    page.wait_for_selector("text=Searching, ")
    seek(page, "text", "0024999 PLAIN")
    page.wait_for_selector(".is-found")
    page.click(".strip-track", position={"x": 600, "y": 10})
    page.wait_for_function(
        "() => Number(document.querySelector('.strip-track').getAttribute('aria-valuenow')) > 3e8"
    )
    page.click("#tab-hex")
    page.wait_for_selector(".viewer .byte")
    assert page.locator("[data-row]").count() <= 100
    path.unlink()


def test_scrolling_shows_every_line_once(pages: Pages) -> None:
    """Scrolling down a long file and up again shows its lines in order, with none left out."""
    page = pages.file(b"".join(b"%06d\n" % number for number in range(3000)))
    settle(page)
    seen: set[int] = set()
    for direction, end in ((1, 1200), (-1, 0)):
        for _ in range(200):
            numbers = [int(text) for text in texts(page) if text]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) and len(numbers) <= 100
            seen.update(numbers)
            if end in numbers:
                break
            page.eval_on_selector(".viewer", f"box => box.scrollBy(0, {direction * 900})")
            page.wait_for_timeout(40)
        assert end in numbers
    assert seen.issuperset(range(1200))


HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


def test_hostile_names_and_contents_stay_text(pages: Pages) -> None:
    """Markup in names, contents and declarations is shown as text, and nothing of it is run."""
    data = f'<meta charset="{HOSTILE}">\n<script>document.title = "hit"</script>{HOSTILE} Grüße\n'.encode(
        "cp1252"
    )
    page = pages.open(None)
    drop(page, data, f"{HOSTILE.replace('/', '')}.html")
    for tab in ("text", "compare", "hex"):
        page.click(f"#tab-{tab}")
        page.wait_for_load_state("networkidle")
        assert page.locator("img").count() == 0 and page.locator("script").count() == 1, tab
    assert (
        HOSTILE.replace("/", "") in page.inner_text(".file")
        and page.title() == f"{HOSTILE.replace('/', '')}.html – charlens"
    )
    folder = pages.tmp_path / "tree"
    folder.mkdir()
    (folder / HOSTILE.replace("/", "")).write_bytes(data)
    table = pages.open(folder)
    table.wait_for_selector("td.name")
    assert table.locator("img").count() == 0 and HOSTILE.replace("/", "") in table.inner_text("td.name")
    saved = pages.tmp_path / "saved.html"
    saved.write_text(save_page(str(folder / HOSTILE.replace("/", ""))), encoding="utf-8")
    page = pages.goto(f"file://{saved}")
    page.wait_for_selector(".verdict h1")
    assert page.locator("img").count() == 0 and page.locator("script").count() == 2


def test_another_page_cannot_ask(pages: Pages) -> None:
    """A page of another origin gets nothing from the server, though the browser sends its requests."""
    address = pages.stack.enter_context(served(None))
    # With an icon of its own, the page does not ask for favicon.ico, which may fail late.
    (pages.tmp_path / "index.html").write_text('<link rel="icon" href="data:,">', encoding="utf-8")
    other = pages.goto(pages.stack.enter_context(served_folder(pages.tmp_path)))
    answer = other.evaluate(
        "address => fetch(address + 'ask', {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json'}})"
        ".then(() => 'answered', () => 'refused')",
        address,
    )
    assert answer == "refused"
    simple = "{method: 'POST', body: '{}', mode: 'no-cors'}"
    blind = f"address => fetch(address + 'ask', {simple}).then(() => 'answered', () => 'refused')"
    assert other.evaluate(blind, address) == "refused"
    pages.wrong.clear()  # what the browser reports here is what is wanted


def test_a_folder_is_sorted_filtered_and_opened(pages: Pages) -> None:
    """The table has every file, problems first; it is sorted, filtered, and leads to each file and back."""
    tree = pages.tmp_path / "tree"
    tree.mkdir()
    for name, data in sample_files().items():
        (tree / name).write_bytes(data)
    for number in range(150):
        (tree / f"plain-{number:03}.txt").write_bytes(b"plain\n")
    page = pages.open(tree)
    whole = 150 + len(sample_files())
    page.wait_for_function(
        f"() => document.querySelector('.files [role=status]').textContent.startsWith('{whole} files,')"
    )
    assert page.locator("tbody tr").count() == 100
    assert page.inner_text("tbody tr >> nth=0").count("damaged.txt") == 1
    page.click("text=Size >> nth=0")
    page.click("text=Size >> nth=0")
    sizes = {name: len(data) for name, data in sample_files().items()}
    assert page.inner_text("td.name .link >> nth=0") == max(sizes, key=sizes.__getitem__)
    page.select_option(".files select", "mojibake")
    assert page.locator("tbody tr").count() == 1 and "GrÃ¼ÃŸe" in page.inner_text(".excerpt")
    page.select_option(".files select", "")
    page.fill("input[type=search]", "nothing like it")
    assert page.inner_text("tbody") == "No matching files."
    page.fill("input[type=search]", "koi8 russian")
    assert page.locator("tbody tr").count() == 1
    page.click("td.name .link")
    page.wait_for_selector(".verdict h1")
    assert page.inner_text(".verdict h1") == "Russian text in KOI8-R"
    page.click("text=All files")
    assert page.locator("tbody tr").count() == 1


def test_a_folder_is_dropped(pages: Pages) -> None:
    """A real drop of a folder beside a file, as Chromium hands it over: every file below is in the table."""
    tree = pages.tmp_path / "tree"
    (tree / "deep" / "deeper").mkdir(parents=True)
    (tree / "deep" / "deeper" / "letter.txt").write_bytes(RUSSIAN)
    (tree / HOSTILE.replace("/", "")).write_bytes(b"plain")
    (pages.tmp_path / "beside.txt").write_bytes(PROSE["he"].encode())
    page = pages.open(None)
    dropped = {
        "items": [],
        "files": [str(tree), str(pages.tmp_path / "beside.txt")],
        "dragOperationsMask": 1,
    }
    session = page.context.new_cdp_session(page)
    # Chromium only drops after the page has accepted the drag.
    for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": dropped})
        page.wait_for_timeout(150)
    page.wait_for_selector("tbody tr >> nth=2")
    assert page.locator("img").count() == 0 and not page.locator(".dropping").count()
    names = sorted(page.locator("td.name .link").all_inner_texts())
    assert names == sorted([f"tree/{HOSTILE.replace('/', '')}", "beside.txt", "tree/deep/deeper/letter.txt"])
    page.click("text=tree/deep/deeper/letter.txt")
    page.wait_for_selector("text=Russian text in KOI8-R")
    assert download(page, ".convert") == RUSSIAN.decode("koi8-r").encode()


HALF_READABLE = """() => {
  const file = (name, found) => ({ isFile: true, fullPath: `/half/${name}`, file: found });
  const inside = [
    file("bad.txt", (done, failed) => failed(new Error("not allowed"))),
    file("good.txt", (done) => done(new File(["Grüße"], "good.txt"))),
  ];
  const readEntries = (done) => done(inside.splice(0));
  const folder = { isDirectory: true, fullPath: "/half", createReader: () => ({ readEntries }) };
  const dataTransfer = { items: [{ webkitGetAsEntry: () => folder }], files: [] };
  dispatchEvent(Object.assign(new Event("drop", { cancelable: true }), { dataTransfer }));
}"""


def test_an_unreadable_file_does_not_stop_the_others(pages: Pages) -> None:
    """A dropped folder with a file that cannot be read has that file in the table, with the reason, and the others."""
    page = pages.open(None)
    page.evaluate(HALF_READABLE)
    page.wait_for_selector("tbody tr >> nth=1")
    assert "not allowed" in page.inner_text("tbody tr:has-text('bad.txt')")
    page.click("text=half/good.txt")
    page.wait_for_selector("text=in UTF-8")


def test_a_folder_is_chosen(pages: Pages) -> None:
    """A folder that is chosen on the page is a table, too: its files are read one by one, and open from there."""
    tree = pages.tmp_path / "tree"
    tree.mkdir()
    for name, data in sample_files().items():
        (tree / name).write_bytes(data)
    page = pages.open(None)
    page.set_input_files(".welcome input", tree)
    page.wait_for_selector("tbody tr >> nth=8")
    page.click("text=tree/hebrew.txt")
    page.wait_for_selector("text=Hebrew text in UTF-8")


def test_the_way_back_leads_to_the_table(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser's own way back leads from a file to the table, with its filter; late answers do no harm."""

    def slowly(*given: Any) -> Any:
        time.sleep(0.6)
        return count_ends_in(*given)

    monkeypatch.setattr("charlens.inspector.answers.count_ends_in", slowly)
    for name, data in sample_files().items():
        (pages.tmp_path / name).write_bytes(data)
    page = pages.open(pages.tmp_path)
    page.wait_for_selector("tbody tr >> nth=8")
    page.fill("input[type=search]", "arabic")
    page.click("td.name .link")
    page.wait_for_selector(".verdict h1")
    assert page.title() == "arabic.txt – charlens"
    page.go_back()  # while the requests after the verdict are running
    page.wait_for_selector(".files")
    page.wait_for_timeout(900)
    assert page.locator("tbody tr").count() == 1
    page.click("td.name .link")
    page.wait_for_selector(".verdict h1")


def sample_files() -> dict[str, bytes]:
    """Files of many kinds, for the table and for the pictures."""
    return {
        "letter.txt": RUSSIAN,
        "mixed.txt": PROSE["de"].encode() + PROSE["fr"].encode("cp1252", "ignore"),
        "double.txt": "Grüße aus Köln und schöne Straßen\n".encode().decode("cp1252").encode(),
        "page.html": b'<meta charset="utf-8"><p>' + PROSE["cs"].encode("cp1250", "ignore"),
        "damaged.txt": PROSE["el"].encode()[:600] + b"\xff" + PROSE["el"].encode()[600:],
        "arabic.txt": PROSE["ar"].encode("cp1256", "ignore"),
        "hebrew.txt": PROSE["he"].encode(),
        "wide.txt": PROSE["pl"].encode("utf-16"),
        "noise.bin": bytes(range(256)) * 8,
    }


def test_saving_is_done_by_the_server(pages: Pages) -> None:
    """'Replace' writes the file in place and keeps the old one."""
    page = pages.file(RUSSIAN)
    page.wait_for_selector(".convert .proved")
    page.click("text=Replace, keep .bak")
    page.wait_for_selector("text=Saved:")
    assert (pages.tmp_path / "a.txt").read_bytes() == RUSSIAN.decode("koi8-r").encode()
    assert (pages.tmp_path / "a.txt.bak").read_bytes() == RUSSIAN


def test_a_replaced_file_is_looked_at_again(pages: Pages) -> None:
    """After 'Replace' the page shows what the file is now, and says where the old one is."""
    page = pages.file(RUSSIAN)
    page.wait_for_selector(".convert .proved")
    page.click("text=Replace, keep .bak")
    page.wait_for_selector("text=Russian text in UTF-8")
    settle(page)
    assert ".bak" in page.inner_text(".message") and texts(page) == RUSSIAN.decode("koi8-r").splitlines()


def test_a_file_that_changes_is_noticed(pages: Pages) -> None:
    """Where the file has changed, or is gone, the page says so, and looks again on request."""
    page = pages.file(RUSSIAN * 30)
    settle(page)
    (pages.tmp_path / "a.txt").write_bytes(RUSSIAN.decode("koi8-r").encode("cp1251") * 30)
    page.focus(".viewer")
    page.keyboard.press("End")
    page.click("text=Look again")
    page.wait_for_selector("text=Russian text in windows-1251")
    settle(page)
    assert page.inner_text(".message") == ""
    (pages.tmp_path / "a.txt").unlink()
    page.focus(".viewer")
    page.keyboard.press("End")
    page.wait_for_selector(".message >> text=No such file")


def seek(page: Any, kind: str, sought: str, key: str = "Enter") -> None:
    page.select_option(".find select", kind)
    page.fill(".find input", sought)
    page.press(".find input", key)


def test_text_and_bytes_are_found(pages: Pages) -> None:
    """Text is found in the chosen reading, bytes as hex: forwards, backwards, around the end; or not, in words."""
    page = pages.file(b"plain\n" * 400 + RUSSIAN + b"plain\n" * 400 + RUSSIAN)
    settle(page)
    page.keyboard.press("Control+f")
    assert page.evaluate("document.activeElement.matches('.find input')")
    seek(page, "text", "горячей воды")
    page.wait_for_selector(".is-found")
    assert page.eval_on_selector(".is-found", IS_IN_SIGHT)
    assert page.inner_text(".is-found") == "ГОРЯЧЕЙ ВОДЫ" and page.inner_text(".has-found .number") == "401"
    second = 400 + len(RUSSIAN.splitlines()) + 400 + 1
    number = f"() => document.querySelector('.has-found .number')?.textContent === '{second}'"
    page.press(".find input", "Enter")
    page.wait_for_function(number)
    assert page.eval_on_selector(".is-found", IS_IN_SIGHT)
    page.press(".find input", "Shift+Enter")
    page.wait_for_function(number.replace(str(second), "401"))
    page.click(".find [aria-label=Previous]")
    page.wait_for_function(number)
    assert page.inner_text(".find-status") == "Continued from the end."
    page.check("input[name=reading][value=cp1251]")
    settle(page)
    seek(page, "text", "горячей воды")
    page.wait_for_selector("text=Not found.")
    seek(page, "hex", "0x0a, F7 ee:e9")
    page.wait_for_selector(".byte.is-found >> nth=3")
    assert page.locator(".byte.is-found").all_inner_texts() == ["0a", "f7", "ee", "e9"]
    seek(page, "hex", "abc")
    page.wait_for_selector("text=These are not pairs")
    page.click("#tab-text")
    seek(page, "line", str(second))
    page.wait_for_selector(f".row:has(.number:text-is('{second}'))")
    page.click("#tab-hex")
    seek(page, "byte", "0x5")
    page.wait_for_selector(".byte.chosen[data-offset='5']")
    seek(page, "byte", "99999")
    page.wait_for_selector("text=The file has 7,386 bytes.")


def test_bytes_are_walked_by_arrows(pages: Pages) -> None:
    """In the hex view the arrow keys move left, right, up and down, also beyond the shown rows."""
    page = pages.file(RUSSIAN * 20)
    settle(page)
    page.click("#tab-hex")
    page.wait_for_selector(".viewer .byte")
    page.focus(".viewer")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
    page.wait_for_selector(".byte.chosen[data-offset='16']")
    seek(page, "byte", "16000")
    page.wait_for_selector(".byte.chosen[data-offset='16000']")
    page.wait_for_load_state("networkidle")
    page.focus(".viewer")
    for _ in range(45):
        page.keyboard.press("ArrowUp")
    page.wait_for_selector(f".byte.chosen[data-offset='{16000 - 45 * 16}']")
    page.wait_for_load_state("networkidle")


def test_a_damaged_file_is_converted_on_request(pages: Pages) -> None:
    """It is refused first; the page offers to replace what does not decode, says how much that is, and does it."""
    data = sample_files()["damaged.txt"]
    page = pages.file(data)
    page.wait_for_selector(".convert .refused")
    assert page.is_disabled(".convert >> text=Download")
    page.check("text=cannot be read; those bytes are lost")
    page.wait_for_selector(".convert .proved")
    places = page.inner_text(".verdict .bad")
    assert "U+FFFD" in page.inner_text(".convert .proved") and places.splitlines()[-1] in page.inner_text(
        ".convert .proved"
    )
    assert "--replace-damage" in page.inner_text(".commands")
    assert download(page, ".convert") == data.decode("utf-8", "replace").encode()


def test_the_lines_to_copy_do_the_same(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands and the Python lines give the bytes that the page gives, for whatever was chosen."""
    cases = {
        "letter.txt": [(".convert select >> nth=0", "utf-16"), (".convert select >> nth=1", "crlf")],
        "mixed.txt": [(".part >> nth=1 >> select", "iso8859-15")],
        "double.txt": [],
        "page.html": [],
        "damaged.txt": [],
    }
    for name, choices in cases.items():
        data = sample_files()[name]
        page = pages.file(data, name)
        settle(page)
        for place, value in choices:
            page.select_option(place, value)
        if name == "damaged.txt":
            page.check("text=cannot be read; those bytes are lost")
        card = ".repair" if name == "double.txt" else ".convert"
        page.wait_for_selector(f"{card} .proved")
        wanted = download(page, card)
        codes = page.locator(".commands pre").all_inner_texts()
        path = pages.tmp_path / name
        exec(codes[-1], {})
        assert path.read_bytes() == wanted, name
        path.write_bytes(data)
        command = codes[0].splitlines()[-1]
        if name == "mixed.txt":
            assert "convert" not in command  # no command takes an encoding for one part
            continue
        code, _, err = run(*shlex.split(command)[1:], *(["--yes"] if name == "double.txt" else []))
        assert (code, path.read_bytes()) == (0, wanted), (name, err)


def test_pasted_text_and_hex(pages: Pages) -> None:
    """Text is read as UTF-8, hexadecimal digits as bytes, and what is neither is said to be."""
    page = pages.open(None)
    page.click(".tools >> text=Paste")
    page.fill("textarea", "cf d0 c9 xx")
    page.click("text=As hex")
    assert "not pairs" in page.inner_text("dialog .refused")
    page.fill("textarea", PROSE["ru"][:80].encode("koi8-r").hex(" "))
    page.click("text=As hex")
    page.wait_for_selector("text=in KOI8-R")
    page.click(".tools >> text=Paste")
    page.fill("textarea", "Grüße aus Köln")
    page.click("text=As text")
    page.wait_for_selector("text=German text in UTF-8")


def test_everything_by_keyboard(pages: Pages) -> None:
    """Tabs by arrows, the strip as a slider, the text by its keys, hints and readings by Tab alone."""
    page = pages.file(RUSSIAN * 40)
    settle(page)
    page.focus("#tab-text")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".compare-row")
    assert page.evaluate("document.activeElement.id") == "tab-compare"
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".viewer .byte")
    page.focus(".viewer")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Byte 1 >> nth=0")
    page.focus(".strip-track")
    page.keyboard.press("End")
    page.wait_for_function(
        "() => document.querySelector('.viewer .row:last-child .number').textContent.startsWith('0000c')"
    )
    assert "%" in page.get_attribute(".strip-track", "aria-valuetext")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(document.activeElement.closest('section, aside, header') ?? document.body).className"
            )
        )
    assert {"card readings", "card convert", "card story", "card hints", "card commands"} <= reached


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_windows_have_no_sideways_scroll(pages: Pages, scheme: str) -> None:
    """At the width of a telephone nothing sticks out, in any view."""
    page = pages.file(RUSSIAN, width=360, height=740, scheme=scheme)
    settle(page)
    for tab in ("text", "compare", "hex"):
        page.click(f"#tab-{tab}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, tab
    page.click("#tab-text")
    page.evaluate("scrollTo(0, 0)")


def test_a_saved_page_is_self_contained(pages: Pages) -> None:
    """Opened from a disk, a saved page shows verdict, text, differences, bytes and reasons, and asks for nothing."""
    path = pages.tmp_path / "a.txt"
    path.write_bytes(RUSSIAN)
    saved = pages.tmp_path / "out.html"
    saved.write_text(save_page(str(path)), encoding="utf-8")
    page = pages.goto(f"file://{saved}")
    settle(page)
    assert page.inner_text(".verdict h1") == "Russian text in KOI8-R"
    assert texts(page) == RUSSIAN.decode("koi8-r").splitlines()
    page.check("input[name=reading][value=cp1251]")
    page.wait_for_function("() => document.querySelector('.reading-now').textContent === 'read as cp1251'")
    page.click("#tab-compare")
    page.wait_for_selector(".is-differs")
    page.click(".pairs .link >> nth=0")
    page.wait_for_selector(".byte.decided")
    assert page.locator(".convert, .hints").count() == 0 and page.locator(".commands").count() == 1
    seek(page, "hex", RUSSIAN[700:706].hex(" "))
    page.wait_for_selector(".byte.is-found >> nth=5")
    assert page.get_attribute(".byte.is-found >> nth=0", "data-offset") == "700"
    page.click("#tab-text")
    page.check("input[name=reading][value=koi8-r]")
    seek(page, "text", "ПОЕЗД")
    page.wait_for_selector(".has-found")
    assert page.inner_text(".has-found .number") == "4"


def findings(page: Any) -> list[str]:
    """What axe-core finds that is serious or worse."""
    page.evaluate(axe_script())
    # Rows are all alike: the first ones are enough.
    rows = "['.row:nth-child(n + 9)', '.compare-row:nth-child(n + 9)']"
    run = f"axe.run({{exclude: {rows}}}, {{resultTypes: ['violations']}}).then((found) => found.violations)"
    violations = page.evaluate(run)
    return [
        f"{found['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for found in violations
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"][:3]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(pages: Pages, scheme: str) -> None:
    """The page is fit for screen readers by axe-core: first sight, all views, mixed, damaged, folder, saved, report."""
    page = pages.open(None, scheme=scheme)
    assert findings(page) == []
    tree = pages.tmp_path / "tree"
    tree.mkdir()
    for name, data in sample_files().items():
        (tree / name).write_bytes(data)
    rows = [look_closely(str(tree / name)).row(name) for name in sample_files()]
    page = pages.open(tree, scheme=scheme)
    page.wait_for_selector("tbody tr >> nth=8")
    assert findings(page) == []
    names = ("letter.txt", "mixed.txt", "double.txt", "damaged.txt", "noise.bin", "page.html")
    # Only colours differ in the dark.
    for name in names if scheme == "light" else ("letter.txt", "damaged.txt"):
        page = pages.open(tree / name, scheme=scheme)
        settle(page)
        for tab in ("hex",) if name == "noise.bin" else ("text", "compare", "hex"):
            page.click(f"#tab-{tab}")
            page.wait_for_load_state("networkidle")
            assert findings(page) == [], (name, tab)
        if name == "letter.txt":
            page.click(".sign >> nth=4")
            page.wait_for_selector(".at")
            assert findings(page) == []
            page.click("#tab-text")
    for name, text in (
        ("saved.html", save_page(str(tree / "letter.txt"))),
        ("report.html", draw_page(Summary(0.9), "here", rows)),
    ):
        (pages.tmp_path / name).write_text(text, encoding="utf-8")
        page = pages.goto(f"file://{pages.tmp_path / name}", scheme=scheme)
        page.wait_for_selector("h1")
        assert findings(page) == [], name


def forty() -> dict[str, bytes]:
    """Forty files: prose in many encodings, and binary files."""
    files = dict(sample_files())
    for language, encoding in (
        *(("ru", name) for name in ("cp1251", "cp866", "iso8859-5", "utf-8", "mac-cyrillic")),
        *(("de", name) for name in ("cp1252", "cp850", "utf-8", "utf-16-le", "cp037", "mac-roman")),
        *(("ja", name) for name in ("cp932", "euc_jp", "iso2022_jp", "utf-8")),
        *(("zh-Hans", name) for name in ("gbk", "gb18030")),
        *(("ko", name) for name in ("cp949", "utf-8")),
        *(("el", name) for name in ("cp1253", "iso8859-7")),
        *(("pl", name) for name in ("cp1250", "iso8859-2")),
        *(
            ("tr", "cp1254"),
            ("he", "cp1255"),
            ("th", "tis-620"),
            ("vi", "cp1258"),
            ("lt", "cp1257"),
            ("en", "ascii"),
        ),
        *(("fr", "cp1252"), ("zh-Hant", "big5")),
    ):
        # Pyodide runs the kernel in plain Python: the beginnings are enough.
        data = PROSE[language][:400].encode(encoding, "ignore")
        files[f"{language}-{encoding}.txt"] = data
    assert len(files) == 40
    return files


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])
def test_pyodide_gives_the_same_verdicts(pages: Pages, every: int) -> None:
    """Without a server, in the browser alone, files get the verdicts that this Python gives: some of forty, or all."""
    folder = made_page()
    with zipfile.ZipFile(folder / "charlens.whl") as wheel:
        assert {"charlens/inspector/page/app.js", "charlens/inspector/page/style.css"} <= set(
            wheel.namelist()
        )
    address = pages.stack.enter_context(served_folder(folder))
    page = pages.goto(address)
    page.set_default_timeout(180_000)
    page.wait_for_selector(".welcome")
    local = pages.open(None)
    for name, data in list(forty().items())[::every]:
        verdicts = []
        for each in (page, local):
            drop(each, data, name)
            verdicts.append(each.inner_text(".verdict"))
        assert verdicts[0] == verdicts[1], name
        encoding = charlens.detect(data).encoding
        assert encoding is None or name == "mixed.txt" or f"\n{encoding}\n" in verdicts[0], name
    drop(page, RUSSIAN, "letter.txt")
    assert download(page, ".convert") == RUSSIAN.decode("koi8-r").encode()
    seek(page, "text", "горячей воды")
    page.wait_for_selector(".is-found")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_the_documentation(pages: Pages, name: str) -> None:
    """The page looks as in the documentation: `make pictures` copies these screenshots to docs/pictures."""
    file, tab, how = PICTURES[name]
    page = pages.open(None, **how)
    if file:
        drop(page, sample_files()[file], file)
        page.click(f"#tab-{tab}")
        settle(page)
        if tab == "hex":
            page.click(".sign.decided")
            page.wait_for_selector(".at")
        if name == "find":
            seek(page, "text", "автобус")
            page.wait_for_selector(".is-found")
        if name == "damaged":
            page.check("text=cannot be read; those bytes are lost")
            page.wait_for_selector(".convert .proved")
        if name == "repair":
            page.wait_for_selector(".repair .proved")
    else:
        for each, data in sample_files().items():
            (pages.tmp_path / each).write_bytes(data)
        page.set_input_files(".tools input[multiple]", [pages.tmp_path / each for each in sample_files()])
        page.wait_for_selector(f"text={len(sample_files())} files >> nth=0")
        page.wait_for_selector("tbody tr >> nth=8")
    taken = page.screenshot()
    folder = os.environ.get("CHARLENS_PICTURES")
    if folder:
        (Path(folder) / f"inspect-{name}.png").write_bytes(taken)
    shown = ROOT / "docs" / "pictures" / f"inspect-{name}.png"
    assert shown.name in (ROOT / "docs" / "inspect.md").read_text(encoding="utf-8")
    # The width and the height are at the same offset in every PNG.
    assert shown.read_bytes()[16:24] == taken[16:24]
