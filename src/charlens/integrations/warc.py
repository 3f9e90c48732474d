"""Decode the pages of crawl archives (WARC) to rows of Arrow, with the declared and the detected encoding.

fastwarc reads the records.  A unit of work is a range of bytes of one file: the records that start in it.  Files with
a gzip member for each record, which is usual, can be read from any member that starts with 'WARC/'; plain
files are read from header to header.  If a record cannot be read, only that record is lost, and its row has an error.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from charlens.api import detect_with
from charlens.findings import Conflict
from charlens.integrations.arrow import decode_row, result_type
from charlens.integrations.locations import open_input, size_of
from charlens.integrations.parts import Job, Part, load_model, part_of, stamp
from charlens.options import make_options
from charlens.stages.declarations.claims import charsets_of
from charlens.types import Verdict

if TYPE_CHECKING:
    import pyarrow

#: Bytes of an archive in a unit of work: a few seconds of one processor.
UNIT = 64 << 20
#: Larger records are skipped with an error, because a record must fit into memory; few pages have a megabyte.
LARGEST = 256 << 20

_GZIP = b"\x1f\x8b\x08"
_OPENS = b"WARC/"
#: The empty lines after a record.
_AFTER_RECORD = 4
#: Bytes read at a time to find a member, and the first record in it.
_STEP = 1 << 20
_FIRST_RECORD = 8 << 20
#: The most rows, and bytes of pages, in one batch.
_ROWS, _BYTES = 512, 32 << 20
_TYPES = ("text/", "application/xhtml", "application/xml")
_SPOILED = "damaged: the record cannot be decompressed"
_NOT_WARC = "not a WARC archive: it has no records"
_CUT_SHORT = "cut short: the archive ends inside this record. Fetch it again."


class Unit(NamedTuple):
    """The records of the archive *path* that start in a range of bytes; *end* is -1 for the rest of the file."""

    path: str
    start: int = 0
    end: int = -1


class Page(NamedTuple):
    """A crawled response, or the error of the record at *offset*."""

    offset: int
    url: str | None = None
    content_type: str | None = None
    body: bytes = b""
    error: str | None = None


class Settings(NamedTuple):
    """Settings that change the rows."""

    text: bool = True
    min_confidence: float = 0.0
    #: The folder of a model, or the bytes of its file; None for the default model.
    model: str | bytes | None = None
    largest: int = LARGEST


@cache
def schema() -> pyarrow.Schema:
    """Return the schema of the rows of `decode_unit`."""
    import pyarrow as pa

    found = list(result_type())
    said = [
        ("url", pa.string()),
        ("offset", pa.int64()),
        ("size", pa.int64()),
        ("http_charset", pa.string()),
        ("meta_charset", pa.string()),
    ]
    return pa.schema([*said, *found[:-2], ("conflict", pa.bool_()), *found[-2:]])


# ---- units


def split(path: str, size: int = UNIT) -> list[Unit]:
    """Return units of about *size* bytes that cover each record of *path* once."""
    whole = size_of(path)
    with open_input(path) as file:
        if whole <= size or not _can_be_entered(file):
            return [Unit(path)]
    return [Unit(path, start, start + size) for start in range(0, whole, size)]


def _can_be_entered(file: BinaryIO) -> bool:
    """Whether reading can start in the middle: the file is plain, or has a gzip member for each record."""
    head = file.read(_FIRST_RECORD)
    if head.startswith(_OPENS):
        return True
    if not head.startswith(_GZIP):
        return False
    member = zlib.decompressobj(31)
    try:
        record = member.decompress(head, _FIRST_RECORD)
    except zlib.error:
        return True  # only the first record is damaged
    length = _record_length(record)
    return member.eof and length is not None and len(record) <= length


def _record_length(head: bytes) -> int | None:
    """Return the length of the record at the start of *head*, with its header and the empty lines after it."""
    end = head.find(b"\r\n\r\n")
    if end < 0 or not head.startswith(_OPENS):
        return None
    for line in head[:end].split(b"\r\n"):
        name, _, value = line.partition(b":")
        # At most 18 digits: a larger number is not a valid file offset.
        if name.strip().lower() == b"content-length" and value.strip().isdigit() and len(value.strip()) <= 18:
            return end + 4 + int(value) + _AFTER_RECORD
    return None


def _next_member(file: BinaryIO, start: int) -> int:
    """Return the offset of the next gzip member with a record, from *start* on, or -1."""
    at = start
    while True:
        file.seek(at)
        piece = file.read(_STEP)
        place = piece.find(_GZIP)
        while place >= 0:
            if _opens_record_at(file, at + place):
                return at + place
            place = piece.find(_GZIP, place + 1)
        if len(piece) < _STEP:
            return -1
        at += _STEP - len(_GZIP) + 1


def _opens_record_at(file: BinaryIO, start: int) -> bool:
    """Whether a gzip member starts at *start* whose first bytes open a record."""
    file.seek(start)
    try:
        return zlib.decompressobj(31).decompress(file.read(4096), len(_OPENS)) == _OPENS
    except zlib.error:
        return False


def _member_end(file: BinaryIO, start: int) -> int:
    """Return the end of the gzip member at *start*; -1 if it does not decompress, or its checksum is wrong."""
    file.seek(start)
    member = zlib.decompressobj(31)
    try:
        while not member.eof:
            piece = file.read(_STEP)
            if not piece:
                return -1
            while piece and not member.eof:
                member.decompress(piece, _STEP)  # in steps, so a decompression bomb cannot fill the memory
                piece = member.unconsumed_tail
    except zlib.error:
        return -1
    return file.tell() - len(member.unused_data)


def _cut_short(file: BinaryIO, last: int, zipped: bool) -> int:
    """Return the offset of an incomplete record at the end of the archive, after its *last* record, or -1."""
    file.seek(last)
    head = file.read(1 << 16)
    if zipped and not head.startswith(_GZIP):
        return -1  # several records in one member: their ends are unknown
    if zipped:
        end = _member_end(file, last)
    else:
        length = _record_length(head)
        end = -1 if length is None else last + length
        file.seek(max(end - _AFTER_RECORD - 1, 0))
        if not file.read(1):
            return last
    if end < 0:
        return last
    file.seek(end)
    return end if file.read(1 << 16).strip(b"\0\r\n") else -1


def _walk_to(file: BinaryIO, start: int) -> int:
    """Return the offset of the first record of a plain archive from *start* on, or -1."""
    at = 0
    while at < start:
        file.seek(at)
        length = _record_length(file.read(1 << 16))
        if length is None:
            return -1
        at += length
    file.seek(at)
    return at if file.read(len(_OPENS)) == _OPENS else -1


# ---- records


def read_pages(unit: Unit, largest: int = LARGEST) -> Iterator[Page]:
    """Yield the HTML and text responses of *unit*, and an error for each record that cannot be read."""
    with open_input(unit.path) as file, open_input(unit.path) as probe:
        head = probe.read(len(_OPENS))
        zipped = head.startswith(_GZIP) or (unit.path.endswith(".gz") and head != _OPENS)
        at = unit.start
        if at:
            at = _next_member(probe, at) if zipped else _walk_to(probe, at)
        while at >= 0 and (unit.end < 0 or at < unit.end):
            last, page = -1, None
            file.seek(at)
            try:
                for start, following in _records(file, largest):
                    if page is not None:
                        yield page
                    last, page = start, following
                    if 0 <= unit.end <= last:
                        return
            except (OSError, ValueError) as error:
                if page is not None:
                    yield page
                if not zipped:
                    words = f"cannot be read: {error}" if last >= 0 or at else _NOT_WARC
                    yield Page(_end_of_record(probe, last, at), error=words)
                    return
                after = _member_end(probe, last) if last >= 0 else at
                lost, at = _after_damage(probe, after if after >= 0 else last + 1)
                # The next unit reports what starts there, if it can find it.
                if unit.end < 0 or lost < unit.end or not _opens_record_at(probe, lost):
                    yield Page(lost, error=_SPOILED)
                continue
            if last >= 0:
                yield from _end_of_archive(probe, last, page, zipped)
            elif not at:
                yield Page(0, error=_NOT_WARC)
            return


def _end_of_record(file: BinaryIO, last: int, start: int) -> int:
    """Return the offset after the *last* record that was read of a plain archive, or *start* if there is none."""
    if last < 0:
        return start
    file.seek(last)
    length = _record_length(file.read(1 << 16))
    return last if length is None else last + length


def _end_of_archive(file: BinaryIO, last: int, page: Page | None, zipped: bool) -> Iterator[Page]:
    """Yield the *page* of the *last* record of an archive, or the error of a record that is cut short."""
    cut = _cut_short(file, last, zipped)
    if page is not None and (cut != last or page.error is not None):
        yield page
    if cut >= 0 and (page is None or page.error is None):
        yield Page(cut, page.url if page is not None and cut == last else None, error=_CUT_SHORT)


def _after_damage(file: BinaryIO, start: int) -> tuple[int, int]:
    """Return the offset of the first damaged member from *start* on, and of the next good one or -1."""
    lost = at = _next_member(file, start)
    if (
        at > start and _member_end(file, at) >= 0
    ):  # then not even the first bytes of the damaged one are right
        return start, at
    # A member that decompresses, where reading failed, contains something that is not a record.
    return (start if lost < 0 else lost), (_next_member(file, at + 1) if at >= 0 else -1)


def _records(file: BinaryIO, largest: int) -> Iterator[tuple[int, Page | None]]:
    """Yield the offset of each record from the position of *file* on, with its page or None."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for record in ArchiveIterator(file, record_types=WarcRecordType.any_type):
        is_page = record.record_type == WarcRecordType.response and _is_wanted(record)
        yield record.stream_pos, _page(record, largest) if is_page else None


def _is_wanted(record: Any) -> bool:
    kind = record.http_content_type if record.is_http else None
    return kind is None or kind.startswith(_TYPES)


def _page(record: Any, largest: int) -> Page:
    at, url = record.stream_pos, record.headers.get("WARC-Target-URI")
    length = record.content_length
    if length > largest:
        return Page(at, url, error=_too_large(f"{length:,}", largest))
    body = record.reader.read()
    if len(body) < length:
        return Page(at, url, error=_CUT_SHORT)
    headers = record.http_headers if record.is_http else None
    if headers is None:
        return Page(at, url, None, body)
    body = _payload(body, headers, largest)
    if len(body) > largest:
        return Page(at, url, error=_too_large(f"more than {largest:,}", largest))
    return Page(at, url, headers.get("Content-Type"), body)


def _too_large(length: str, largest: int) -> str:
    return f"has {length} bytes, over the limit of {largest:,}. Raise it with --largest, or leave it out."


def _payload(body: bytes, headers: Any, largest: int) -> bytes:
    """Undo transfer encodings; a failure is ignored, because crawlers often undo them and keep the header.

    At most one byte more than *largest* is unpacked.
    """
    transfer, content = (headers.get(name) for name in ("Transfer-Encoding", "Content-Encoding"))
    if not transfer and not content:
        return body
    from fastwarc import stream_io

    readers: list[Any] = []
    if transfer and "chunked" in transfer.lower():
        readers.append(stream_io.ChunkedReader)
    if content and content.strip().lower() in ("gzip", "x-gzip"):
        readers.append(stream_io.GzipReader)
    elif content and content.strip().lower() == "br":
        readers.append(stream_io.BrotliReader)
    for reader in readers:
        try:
            body = reader(io.BytesIO(body)).read(largest + 1)
        except (OSError, ValueError):
            continue
    return body


# ---- rows


def archive_job(paths: Sequence[str], settings: Settings = Settings(), size: int = UNIT) -> Job:  # noqa: B008
    """Return the work of decoding archives, in units of *size* bytes."""
    ending = stamp("warc", settings._replace(model=None), size, model=settings.model)
    parts = [
        part_of(path, number, ending, unit.start, unit.end)
        for path in paths
        for number, unit in enumerate(split(path, size))
    ]
    return Job(_rows, settings, schema(), ending, parts)


def _rows(job: Job, part: Part) -> Iterator[pyarrow.RecordBatch]:
    return decode_unit(Unit(part.path, part.start, part.end), job.settings)


def decode_unit(unit: Unit, settings: Settings = Settings()) -> Iterator[pyarrow.RecordBatch]:  # noqa: B008
    """Yield the rows of *unit* in batches: `schema` names the columns."""
    pages: list[Page] = []
    size = 0
    for page in read_pages(unit, settings.largest):
        pages.append(page)
        size += len(page.body)
        if len(pages) >= _ROWS or size >= _BYTES:
            yield decode_pages(pages, settings)
            pages, size = [], 0
    if pages:
        yield decode_pages(pages, settings)


def decode_pages(pages: list[Page], settings: Settings) -> pyarrow.RecordBatch:
    """Return a row for each of *pages*."""
    import pyarrow as pa

    rows = [_row(page, settings) for page in pages]
    columns = zip(*rows, strict=True)
    arrays = []
    for field, values in zip(schema(), columns, strict=True):
        if field.name == "text":  # the bytes are already UTF-8
            arrays.append(pa.array(values, pa.large_binary()).view(field.type))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema())


_NOTHING = (None,) * 11


def _row(page: Page, settings: Settings) -> tuple[Any, ...]:
    if page.error is not None:
        return (page.url, page.offset, *_NOTHING, page.error)
    options = make_options(content_type=page.content_type, model=load_model(settings.model))
    verdict = detect_with(page.body, options)
    http, meta = _declared(verdict)
    text, error = None, None
    if settings.text and verdict.confidence >= settings.min_confidence:
        text, error = decode_row(memoryview(page.body), verdict)
    return (
        page.url,
        page.offset,
        len(page.body),
        http,
        meta,
        verdict.outcome.value,
        verdict.encoding,
        verdict.confidence,
        verdict.language,
        [span._asdict() for span in verdict.damage],
        verdict.cut,
        any(isinstance(finding, Conflict) for finding in verdict.findings),
        text,
        error,
    )


def _declared(verdict: Verdict) -> tuple[str | None, str | None]:
    """Return the labels declared by HTTP and by the page."""
    declared = charsets_of(verdict)
    http = next((each.label for each in declared if each.source == "http"), None)
    own = next((each.label for each in declared if each.source != "http"), None)
    return http, own
