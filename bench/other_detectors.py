"""Measure detectors on the test data of other detectors: `python bench/other_detectors.py FOLDER`.

FOLDER holds checkouts, each under the name of its repository: node-chardet (runk), juniversalchardet (albfernandez),
UTF-unknown (CharsetDetector), compact_enc_det (google), chardetng (hsivonen), jschardet (aadsm), uchardet
(freedesktop), enca (nijel), tika (apache), icu (its source archive); those that are missing are skipped. The encoding
of each file comes from its path, or from the test that reads it. The script prints the share of right texts for each
detector; files that no decoder decodes as their test says are not counted.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from charlens.encodings import lookup
from charlens.encodings.orthography import write
from charlens.evaluation.judge import judge
from charlens.evaluation.names import resolve
from charlens.evaluation.peers import Peer, ask, encoding_peers

#: Bytes and the name of their encoding.
Labelled = tuple[bytes, str]
_PEERS = ("charlens-native", "chardet", "chardetng", "uchardet", "charset-normalizer")


def _node_chardet(root: Path) -> Iterator[Labelled]:
    for path in sorted((root / "corpus/generated").glob("*/*/*/*.bin")):
        yield path.read_bytes(), path.relative_to(root).parts[2]
    names = {
        "euc_jp": "euc-jp",
        "euc_kr": "euc-kr",
        "koi8r": "koi8-r",
        "shiftjis": "shift_jis",
        "windows_874": "cp874",
    }
    for path in sorted((root / "src/test/data/encodings").iterdir()):
        found = re.match(r"(iso8859)(\d)|(windows_)(125\d)|(iso2022)(jp|kr)", path.name)
        name = "-".join(filter(None, found.groups())).replace("_-", "-") if found else path.name
        if not name.startswith("lang_"):
            yield path.read_bytes(), names.get(path.name, name.replace("iso2022", "iso-2022"))


def _juniversalchardet(root: Path) -> Iterator[Labelled]:
    # By src/test/java/org/mozilla/universalchardet.
    names = {
        "ascii": "ascii", "big5": "big5", "euc": "euc-jp", "euckr": "euc-kr", "euctw": "euc-tw",
        "gb18030": "gb18030", "gb2312-sample": "gb18030", "gbk-sample": "gb18030", "iso2022jp": "iso-2022-jp",
        "iso88598": "iso-8859-8", "shiftjis": "shift_jis", "tis620": "tis-620", "utf16le": "utf-16-le",
        "utf8": "utf-8", "utf8n": "utf-8", "utf8n-emoji": "utf-8", "windows1255": "windows-1255",
    }  # fmt: skip
    for name, encoding in names.items():
        path = root / "src/test/resources" / f"{name}.txt"
        if path.exists():
            yield path.read_bytes(), encoding


def _utf_unknown(root: Path) -> Iterator[Labelled]:
    for path in sorted((root / "tests/Data").glob("*/**/*")):
        if path.is_file():
            name = path.relative_to(root / "tests/Data").parts[0]
            yield (
                path.read_bytes(),
                {"windows-1252 (latin1)": "windows-1252", "x-mac-ce": "mac-latin2"}.get(name, name),
            )


def _jschardet(root: Path) -> Iterator[Labelled]:
    for path in sorted((root / "tests/fixtures").glob("*.txt")):
        found = re.match(
            r"shift_jis|euc-kr|gb18030|gb2312|iso-8859-\d+|windows-\d+|utf-8", path.name, re.IGNORECASE
        )
        if found:
            yield path.read_bytes(), found.group()


_C_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CED_NAMES = {
    "CHINESE_GB": "gb18030", "CHINESE_BIG5": "big5", "RUSSIAN_KOI8_R": "koi8-r", "RUSSIAN_KOI8_RU": "koi8-u",
    "UTF8": "utf-8", "JAPANESE_SHIFT_JIS": "shift_jis", "JAPANESE_EUC_JP": "euc-jp", "KOREAN_EUC_KR": "euc-kr",
    "ISO_8859_8_I": "iso-8859-8",
}  # fmt: skip


def _compact_enc_det(root: Path) -> Iterator[Labelled]:
    text = (root / "compact_enc_det/compact_enc_det_unittest.cc").read_text(encoding="latin-1")
    texts: dict[str, bytes] = {}
    for name, body in re.findall(r"const char\*? (kTeststr\w+)(?:\[\])? =(.*?)\n;", text, re.DOTALL):
        lines = (line for line in body.splitlines() if not line.lstrip().startswith("//"))
        pieces = (piece for line in lines for piece in _C_STRING.findall(line))
        texts[name] = b"".join(
            ast.literal_eval(f"b'''{piece}'''") for piece in pieces if not piece.endswith("'")
        )
    for name, words, means in re.findall(
        r'TestCompactEncDet\((\w+), strlen\(\w+\), "(\w+)(?: => (\d+))?"', text
    ):
        encoding = _CED_NAMES.get(words) or words.removeprefix("MSFT_").removeprefix("RUSSIAN_").replace(
            "_", "-"
        )
        encoding = f"cp{means}" if means else encoding
        if name in texts:
            yield texts[name], encoding


def _chardetng(root: Path) -> Iterator[Labelled]:
    text = (root / "src/lib.rs").read_text(encoding="utf-8")
    for words, name in re.findall(r'check\(\s*"((?:[^"\\]|\\.)*)",\s*([A-Z0-9_]+),?\s*\)', text):
        encoding = resolve(name.replace("_", "-"))
        if encoding is not None:
            data = write(words, encoding.name)
            if data is not None:
                yield data, encoding.name


def _uchardet(root: Path) -> Iterator[Labelled]:
    for path in sorted((root / "test").glob("*/*.txt")):
        name = path.name.split(".")[0]
        yield path.read_bytes(), "mac-latin2" if name == "mac-centraleurope" else name


#: Cork (TeX), KEYBCS2 and the like are encodings that no Python codec decodes.
_ENCA_NAMES = {
    "cp1250": "cp1250", "cp1251": "cp1251", "cp1257": "cp1257", "cp866": "cp866", "ibm775": "cp775", "ibm852": "cp852",
    "ibm855": "cp855", "ibm866": "cp866", "iso88592": "iso8859-2", "iso88594": "iso8859-4", "iso88595": "iso8859-5",
    "iso885913": "iso8859-13", "iso885916": "iso8859-16", "koi8r": "koi8-r", "koi8u": "koi8-u", "macce": "mac-latin2",
    "maccyr": "mac-cyrillic", "utf8": "utf-8", "gbk": "gbk", "big5": "big5", "hz": "hz",
}  # fmt: skip


def _enca(root: Path) -> Iterator[Labelled]:
    for path in sorted((root / "test").glob("??-s.*")):
        name = _ENCA_NAMES.get(path.name.partition(".")[2])
        if name is not None:
            yield path.read_bytes(), name


def _tika(root: Path) -> Iterator[Labelled]:
    for path in sorted(root.glob("**/tika-parser-text-module/src/test/resources/test-documents/*.txt")):
        found = re.fullmatch(r"(?:[a-z]+\.|testTXT_)(cp\d+|win-\d+)\.txt", path.name)
        if found:
            yield path.read_bytes(), found[1].replace("win-", "cp")


def _icu(root: Path) -> Iterator[Labelled]:
    for path in root.glob("**/testdata/csdetest.xml"):
        for case in ElementTree.parse(path).getroot():
            text = "".join(case.itertext())
            for encoding in case.attrib["encodings"].split():
                known = lookup(encoding.split("/")[0].removesuffix("-I"))  # Python has no codec for ISO-2022-CN
                data = write(text, known.name) if known else None
                if data is not None and known is not None:
                    yield data, known.name


SOURCES = {
    "icu": _icu,
    "uchardet": _uchardet,
    "enca": _enca,
    "tika": _tika,
    "node-chardet": _node_chardet,
    "juniversalchardet": _juniversalchardet,
    "UTF-unknown": _utf_unknown,
    "compact_enc_det": _compact_enc_det,
    "chardetng": _chardetng,
    "jschardet": _jschardet,
}


def _decodes(data: bytes, name: str) -> bool:
    encoding = resolve(name)
    try:
        data.decode(encoding.name if encoding else name)
    except (UnicodeError, LookupError):
        return False
    return True


def main(arguments: list[str]) -> None:
    """Print a line for each source, and the errors of charlens."""
    peers: list[Peer] = [peer for peer in encoding_peers() if peer.name in _PEERS and not peer.missing_reason]
    print("| data of | files | " + " | ".join(peer.name for peer in peers) + " |")
    print("| --- |" + " ---: |" * (len(peers) + 1))
    wrong: list[str] = []
    for name, read in SOURCES.items():
        root = Path(arguments[0], name)
        samples = [sample for sample in read(root) if _decodes(*sample)] if root.is_dir() else []
        right: defaultdict[str, int] = defaultdict(int)
        for data, truth in samples:
            for peer in peers:
                answer = ask(peer, data)
                is_right = judge(data, truth, answer).grade.right
                right[peer.name] += is_right
                if not is_right and peer is peers[0]:
                    wrong.append(
                        f"{name}: {truth}, {len(data):,} bytes: {answer.encoding} {answer.confidence:.2f}"
                    )
        if samples:
            shares = " | ".join(f"{100 * right[peer.name] / len(samples):.1f} %" for peer in peers)
            print(f"| {name} | {len(samples)} | {shares} |")
    print(*("", f"What {peers[0].name} misses:", *wrong), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
