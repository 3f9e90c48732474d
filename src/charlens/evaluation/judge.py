"""Judge one answer for one sample: equal, equitable, or a kind of miss.

*Equal* is the same encoding by name.  *Equitable* is another name for the same text: decoding
with the answer gives what the author wrote.  What counts as the author's text where a label is
narrower than the bytes is decided here; `problems_of` reports such a label as a problem.

The rules are here and not in `charlens.encodings`, so an error in the table of the
detector cannot make its answers right.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from charlens.evaluation.names import BINARY, Name, resolve
from charlens.evaluation.peers import Answer
from charlens.types import Outcome


class Grade(Enum):
    """The grade of an answer.  `EQUAL` and `EQUITABLE` are right, the others are not."""

    EQUAL = "equal"
    EQUITABLE = "equitable"
    WRONG = "wrong"
    UNDECODABLE = "undecodable"
    UNDECIDED = "undecided"
    BINARY = "binary"
    FAILED = "failed"

    @property
    def right(self) -> bool:
        """Whether the answer gives the text that the author wrote."""
        return self in (Grade.EQUAL, Grade.EQUITABLE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A grade and the reason for it."""

    grade: Grade
    reason: str


# The encodings that a browser uses for a label, by the Encoding Standard: the encoding and its supersets,
# the narrowest first.  The direction matters: 'gbk' is right for a text in GB 2312, 'gb2312' is not
# right for a text that needs GBK.
_WEB_SUPERSETS: dict[str, tuple[str, ...]] = {
    "gb2312": ("gbk", "gb18030"),
    "gbk": ("gb18030",),
    "shift_jis": ("cp932",),
    "euc_kr": ("cp949",),
    "big5": ("cp950", "big5hkscs"),
    "iso8859-1": ("cp1252",),
    "iso8859-9": ("cp1254",),
    "iso8859-11": ("cp874",),
    "tis-620": ("iso8859-11", "cp874"),
}


def judge(data: bytes, truth: str, answer: Answer) -> Judgement:
    """Judge *answer* for *data*, whose true encoding is *truth* (or 'binary')."""
    return SampleJudge(data, truth).judge(answer)


def supersets_of(encoding: str) -> tuple[str, ...]:
    """Return the encodings that browsers use for *encoding*, the smallest first."""
    return _WEB_SUPERSETS.get(encoding, ())


class SampleJudge:
    """Judges many answers for one sample; decodes the bytes once for each encoding."""

    def __init__(self, data: bytes, truth: str) -> None:
        self._data = data
        self._truth = truth
        self._readings: dict[str, str | None] = {}

    def judge(self, answer: Answer) -> Judgement:
        """Judge one answer."""
        if answer.error is not None:
            return Judgement(Grade.FAILED, answer.error)
        if self._truth == BINARY:
            return self._judge_binary(answer)
        if answer.outcome is Outcome.BINARY:
            return Judgement(Grade.BINARY, "called binary")
        if answer.outcome is Outcome.UNDECIDED or answer.encoding is None:
            return Judgement(Grade.UNDECIDED, "no encoding named")
        given = resolve(answer.encoding)
        if given is None:
            return Judgement(Grade.FAILED, f"named {answer.encoding!r}, which is not an encoding")
        judgement = self._judge_encoding(given)
        if answer.web_label and not judgement.grade.right:
            return self._judge_label(given, judgement)
        return judgement

    def _judge_label(self, given: Name, judgement: Judgement) -> Judgement:
        """Judge a web label by the encoding that browsers use for it."""
        for wider in supersets_of(given.name):
            read_as = Name(wider, wider)
            if self._judge_encoding(read_as).grade.right:
                return Judgement(Grade.EQUITABLE, f"the web reads the label {given.name} as {wider}")
        return judgement

    def _judge_binary(self, answer: Answer) -> Judgement:
        if answer.outcome is Outcome.BINARY:
            return Judgement(Grade.EQUAL, "binary")
        if answer.outcome is Outcome.UNDECIDED:
            return Judgement(Grade.UNDECIDED, "no encoding named")
        return Judgement(Grade.WRONG, f"binary taken for text in {answer.encoding}")

    def _judge_encoding(self, given: Name) -> Judgement:
        truth = self._label
        if truth is not None and given.name == truth.name:
            return Judgement(Grade.EQUAL, "the same encoding")
        if given.codec is None or truth is None or truth.codec is None:
            lacking = given.name if given.codec is None else self._truth
            return Judgement(Grade.UNDECODABLE, f"Python has no codec for {lacking} to compare texts with")
        if self._read(given.codec) is None:
            return self._judge_damaged(given.codec)
        if given.name in supersets_of(truth.name):
            return Judgement(Grade.EQUITABLE, f"the web reads {truth.name} as {given.name}")
        if self._read(given.codec) == self._true_text:
            return Judgement(Grade.EQUITABLE, "the same text")
        return Judgement(Grade.WRONG, "another text")

    def _judge_damaged(self, codec: str) -> Judgement:
        """Judge an answer that does not decode the bytes: right only if the label does not either."""
        if self.label_decodes or _replaced(self._data, codec) != self._true_text:
            return Judgement(Grade.UNDECODABLE, f"{codec} does not decode these bytes")
        return Judgement(Grade.EQUITABLE, "the same text where the bytes are sound")

    @cached_property
    def _label(self) -> Name | None:
        return resolve(self._truth)

    @cached_property
    def label_decodes(self) -> bool:
        """Whether the label, or the encoding that browsers use for it, decodes the bytes without an error."""
        return self._reference is not None

    @cached_property
    def narrow(self) -> bool:
        """Whether the label alone does not decode the bytes, and only a superset of it does."""
        label = self._label
        return label is not None and label.codec is not None and self._read(label.codec) is None

    @cached_property
    def _reference(self) -> str | None:
        """The narrowest of the label and its web supersets that decodes the bytes."""
        label = self._label
        if label is None or label.codec is None:
            return None
        choices = (label.codec, *supersets_of(label.name))
        return next((codec for codec in choices if self._read(codec) is not None), None)

    @cached_property
    def _true_text(self) -> str | None:
        if self._reference is not None:
            return self._read(self._reference)
        label = self._label
        if label is None or label.codec is None:
            return None
        return _replaced(self._data, (label.codec, *supersets_of(label.name))[-1])

    def _read(self, codec: str) -> str | None:
        if codec not in self._readings:
            self._readings[codec] = read(self._data, codec)
        return self._readings[codec]


def read(data: bytes, codec: str) -> str | None:
    """Decode *data*, without a byte order mark; ``None`` if it does not decode.

    A sequence cut off by the end of the data is not an error: samples are often cut out of files.
    """
    try:
        text = codecs.getincrementaldecoder(codec)("strict").decode(data, final=False)
    except (UnicodeError, ValueError):
        return None
    return text.removeprefix("\ufeff")


def _replaced(data: bytes, codec: str) -> str:
    # Python rejects 'utf-16' without a mark even with 'replace'; the standard reads it as UTF-16LE.
    if codec == "utf-16" and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        codec = "utf-16-le"
    return codecs.getincrementaldecoder(codec)("replace").decode(data, final=False).removeprefix("\ufeff")
