"""Measure how long `charlens inspect` takes to show the verdict for a large file: `python bench/inspect_page.py`.

Measured in Chromium, from the request for the file until its headline is in the document; the page itself is already
loaded.  Needs Playwright and Chromium, as the tests of the page do.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from browser import chromium, served  # noqa: E402

ROUNDS = 5
SIZES = (10, 64)
ENCODINGS = {"utf-8": "ru", "cp1251": "ru", "cp932": "ja", "utf-16-le": "de"}
#: Open the file again, and wait for a headline that was not there before.
OPEN = """async (path) => {
  const root = document.getElementById("app");
  const { App } = await import("./app.js");
  const transport = { can: {}, ask: async (question) => (await fetch("ask", { method: "POST",
    headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) })).json() };
  const app = new App(root, transport);
  app.about = await transport.ask({ ask: "about" });
  const begin = performance.now();
  const shown = new Promise((done) => {
    new MutationObserver(() => document.querySelector(".verdict h1") && done(performance.now() - begin))
      .observe(root, { childList: true, subtree: true });
  });
  const opened = app.openPath(path);
  const time = await shown;
  await opened;  // what is asked for after the verdict does not disturb the next round
  return time;
}"""


def main() -> None:
    """Print a table: the median, and the best round."""
    print(f"| encoding | {' | '.join(f'{size} MB' for size in SIZES)} |")
    print(f"|---|{'--:|' * len(SIZES)}")
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        for encoding, language in ENCODINGS.items():
            text = (TESTS / "prose" / f"{language}.txt").read_text(encoding="utf-8")
            block = text.encode(encoding, "ignore")
            cells = []
            for size in SIZES:
                path = Path(folder) / f"{encoding}-{size}.txt"
                path.write_bytes(block * ((size << 20) // len(block) + 1))
                with served(path) as address:
                    page = browser.new_page()
                    page.goto(address)
                    page.wait_for_selector("main[aria-busy=false]")
                    # A file that is opened again is looked at again.
                    times = [page.evaluate(OPEN, str(path)) for _ in range(ROUNDS)]
                    page.close()
                cells.append(f"{statistics.median(times):.0f} ms, at best {min(times):.0f} ms")
            print(f"| {encoding} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
