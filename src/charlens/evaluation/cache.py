"""Cache the answers of detectors on disk.

There is one file for each version of each detector, and one line for each sample; the key
is the digest of the bytes, so samples can move between datasets.  An answer that can change
(a hang, a crash) is not cached.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from charlens.evaluation.peers import Answer, Peer
from charlens.types import Outcome

# Every change to charlens starts a new file; the last five are kept, so switching
# between branches costs nothing.
_KEPT_STATES = 5


def default_folder() -> Path:
    """Return the folder where answers are kept by default."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "charlens" / "evaluation"


class AnswerCache:
    """The answers of one version of a detector."""

    def __init__(self, folder: Path, peer: Peer) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._peer = peer
        self._path = folder / f"{_slug(peer.name)}@{_slug(peer.version())}.jsonl"
        self._answers = dict(_read(self._path))
        self._path.touch()
        _forget_old(folder, _slug(peer.name))
        # Held open for the whole run, and closed by `close`.
        self._file = self._path.open("a", encoding="utf-8")

    def get(self, digest: str) -> Answer | None:
        """Return the cached answer for these bytes, or ``None``."""
        return self._answers.get(digest)

    def put(self, digest: str, answer: Answer) -> None:
        """Remember an answer."""
        self._answers[digest] = answer
        self._file.write(json.dumps([digest, *to_list(answer)], ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Write what is still in memory."""
        self._file.close()


def to_list(answer: Answer) -> list[object]:
    """Return *answer* as a list for JSON."""
    return [
        answer.encoding,
        answer.confidence,
        answer.language,
        answer.outcome.value,
        answer.web_label,
        answer.error,
        answer.remark,
    ]


def from_list(cells: list[object]) -> Answer:
    """Return the answer that `to_list` wrote."""
    encoding, confidence, language, outcome, web_label, error, remark = cells
    return Answer(encoding, confidence, language, Outcome(outcome), bool(web_label), error, remark)  # type: ignore[arg-type]


def _read(path: Path) -> list[tuple[str, Answer]]:
    """Read the answers of a file; a line that was cut off or damaged is ignored."""
    found: list[tuple[str, Answer]] = []
    if not path.is_file():
        return found
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            digest, *cells = json.loads(line)
            found.append((digest, from_list(cells)))
        except (ValueError, TypeError):
            continue
    return found


def _forget_old(folder: Path, name: str) -> None:
    states = sorted(folder.glob(f"{name}@*.jsonl"), key=lambda path: path.stat().st_mtime)
    for path in states[:-_KEPT_STATES]:
        path.unlink(missing_ok=True)


def _slug(words: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", words)
