"""Write the short texts without kana that East Asian files contain: headings, names, cells, tables of signs.

A third of prose is kana, so a model of prose takes `{目次}` for Chinese.  Files have words of two or three ideographs
between tabs and brackets, half-width katakana, full-width Latin letters, and the signs of each vendor.
"""

from __future__ import annotations

import random
import re
import unicodedata
from functools import lru_cache

_RUN = re.compile(r"[\u4e00-\u9fff\u3005]{1,8}|[\u30a1-\u30fa\u30fc]{2,12}|[\uac00-\ud7a3]{1,6}")
_WORDS = re.compile(r"[\u3041-\u309f\u30a1-\u30fa\u30fc\u3005\u4e00-\u9fff\uac00-\ud7a3]+")
_HALF_WIDTH_WORD = re.compile(r"[\uff66-\uff9f]{2,}")
# Single letters, as Korean messages have them.
_LAUGHTER = ("ㅋㅋ", "ㅋㅋㅋ", "ㅎㅎ", "ㅎ", "ㅠㅠ", "ㅜㅜ", "ㅇㅇ", "ㄴㄴ", "ㄱㅅ", "ㅇㅋ")
# Around a word, in code, tables and configuration.
_SHAPES = (
    "{}", "{}", "{}", "{{{}}}", "[{}]", "({})", '"{}"', "'{}'", "【{}】", "「{}」", "（{}）", "<td>{}</td>", "//{}",
    "/* {} */",
    "# {}", "=== {} ===", "{}:", "{}：", "1. {}", "%s{}%d", "{} = 1", "《{}》", "■{}", "・{}", "・ {}",
    '<a href="a.html">{}</a>', "{}、", "{} 1",
)  # fmt: skip
#: Typefaces that programs and pages name in files that are otherwise ASCII.
_TYPEFACES = {
    "ja": ("ＭＳ ゴシック", "ＭＳ Ｐゴシック", "ＭＳ 明朝", "ＭＳ Ｐ明朝", "ＭＳ ＵＩ ゴシック", "メイリオ"),
    "zh-Hans": ("宋体", "新宋体", "黑体", "楷体", "仿宋", "微软雅黑", "楷体_GB2312"),
    "zh-Hant": ("新細明體", "細明體", "標楷體", "微軟正黑體"),
    "ko": ("굴림", "굴림체", "돋움", "돋움체", "바탕", "바탕체", "궁서", "맑은 고딕"),
}
_GAPS = ("\n", "\n", "\r\n", "\t", " ", "/", ",", "|", "　")
_SIGNS = "　　　、。・「」『』（）【】〔〕《》〈〉：；！？～ー→←↑↓⇒★☆●○◎◆◇■□▲△▼▽※〒＝＋－×÷…―％＆＃＠￥　。，、"
# Row 13 of NEC and the extensions of IBM: circled numbers, units, abbreviations, names.
_VENDOR = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫ⅠⅡⅢⅣⅤ㍉㌔㌢㍍㎜㎝㎏№㏍℡㊤㈱㈲㈹㍾㍽㍼∮∑≒髙﨑德濵纊"
_BOPOMOFO = "ㄅㄆㄇㄈㄉㄊㄋㄌㄍㄎㄏㄐㄑㄒㄓㄔㄕㄖㄗㄘㄙㄚㄛㄜㄝㄞㄟㄠㄡㄢㄣㄤㄥㄦㄧㄨㄩ"
_TONES = ("", "ˊ", "ˇ", "ˋ", "˙")
_HIRAGANA = [chr(point) for point in range(0x3041, 0x3094)]
_KATAKANA = [chr(point) for point in range(0x30A1, 0x30F7)]


# The plain encoding whose table a class is listed from: what extensions add is in nobody's table of characters.
_TABLES = {"gbk": "gb2312", "big5hkscs": "big5", "cp949": "euc_kr", "cp932": "shift_jis"}


@lru_cache(maxsize=16)
def _ideographs(encoding: str) -> tuple[str, ...]:
    """Return the ideographs that *encoding* has, in the order of its table; of Korean the syllables.

    Korean files list syllables; with its ideographs as likely as those of Chinese, tables of GBK were read as cp949.
    """
    codec = _TABLES.get(encoding, encoding)
    found = []
    for first in range(0x81, 0xFF):
        for second in range(0x31, 0xFF):
            text = bytes((first, second)).decode(codec, "ignore")
            if len(text) == 1 and _RUN.fullmatch(text):
                found.append(text)
    syllables = tuple(filter(_is_syllable, found))
    return syllables or tuple(found)


def _is_syllable(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"


def list_ideographs(length: int, encoding: str, chance: random.Random) -> str:
    """Return ideographs as tables and dictionaries list them: in the order of the encoding or any, mostly rare."""
    table = _ideographs(encoding)
    if chance.random() < 0.5:
        start = chance.randrange(len(table))
        some = list(table[start : start + length])
    else:
        some = chance.choices(table, k=length)
    gap = chance.choice(("", "", " ", "\n", "/", "\t1 ", ",", " /"))
    return gap.join(some)[: max(1, length)]


def half_width(text: str) -> str:
    """Return *text* with katakana of half width, a voiced one as two signs; hiragana becomes katakana first."""
    raised = (chr(ord(sign) + 0x60) if "\u3041" <= sign <= "\u3096" else sign for sign in text)
    return "".join(_HALF.get(part, part) for sign in raised for part in unicodedata.normalize("NFD", sign))


_HALF = {
    unicodedata.normalize("NFKC", chr(point)): chr(point) for point in range(0xFF61, 0xFF9E)
} | {"\u3099": "\uff9e", "\u309a": "\uff9f"}  # fmt: skip


def write_half_width(text: str, length: int, chance: random.Random) -> str:
    """Return katakana of half width: among other signs, alone, or as the fields of tills and bank transfers."""
    half = half_width(text)
    kind = chance.random()
    if kind < 0.3:
        return half[:length]
    words = [word[: chance.choice((4, 6, 8, 12))] for word in _HALF_WIDTH_WORD.findall(half)]
    if not words:
        return half[:length]
    if kind < 0.5:
        return chance.choice(("", " ", "\n", ".")).join(words)[:length]
    gap = chance.choice((",", ",", "\t", " ", ";", "|", '","'))
    fields = chance.choices(words, k=max(1, length // 6))
    lines = [
        gap.join(word if chance.random() < 0.7 else str(chance.randrange(10**7)) for word in fields[at : at + 4])
        for at in range(0, len(fields), 4)
    ]
    return "\n".join(lines)[: max(2, length)]


def find_runs(text: str, chance: random.Random) -> list[str]:
    """Return short runs of ideographs, kana or syllables of *text*, about as long as words."""
    runs = (_RUN if chance.random() < 0.7 else _WORDS).findall(text)
    return [run[: chance.choice((2, 2, 3, 4, 6, 8))] for run in runs]


def find_typeface(language: str, chance: random.Random) -> str:
    """Return the name of a typeface as programs give it; of a language without one, nothing."""
    return chance.choice(_TYPEFACES.get(language, ("",)))


def write_cells(text: str, length: int, chance: random.Random) -> str:
    """Return short words of *text*, each in brackets, cells or lines of its own."""
    runs = find_runs(text, chance)
    if not runs:
        return text[:length]
    words = chance.choices(runs, k=max(1, length // 5))
    shapes = chance.sample(_SHAPES, 2)
    gap = chance.choice(_GAPS)
    return gap.join(chance.choice(shapes).format(word) for word in words)[: max(2, length)]


def write_signs(text: str, language: str, length: int, chance: random.Random) -> str:
    """Return signs rather than words: full-width Latin, arrows, circled numbers, kana and bopomofo tables."""
    kind = chance.random()
    if language == "ko" and kind < 0.25:
        words = text.split()[: 1 + length // 8] or [""]
        return " ".join(chance.choice(_LAUGHTER) if chance.random() < 0.4 else word for word in (*words, ""))
    if kind < 0.4:
        source = "".join(sign for sign in text if "!" <= sign <= "~") or "ABC 123"
        wide = "".join(chr(ord(sign) + 0xFEE0) for sign in source[: max(2, length // 2)])
        return wide + text[: length - len(wide)] if chance.random() < 0.5 else wide
    if language == "ja" and kind < 0.7:
        table = chance.choice((_HIRAGANA, _KATAKANA))
        start = chance.randrange(len(table))
        return chance.choice(("", " ", "\n", ",", "　")).join(table[start : start + max(2, length // 2)])
    if language.startswith("zh") and kind < 0.75:
        syllables = [
            "".join(chance.sample(_BOPOMOFO, chance.choice((1, 1, 2, 3)))) + chance.choice(_TONES)
            for _ in range(max(1, length // 4))
        ]
        ideographs = _RUN.findall(text) or [""]
        return "\n".join(
            (chance.choice(ideographs)[:1] + " " if chance.random() < 0.5 else "") + syllable for syllable in syllables
        )
    signs = _SIGNS if kind < 0.9 else _VENDOR
    return "".join(
        chance.choice(signs) * chance.choice((1, 1, 2, 3)) + chance.choice(("", "", " ", "\n", "A", "1", text[:2]))
        for _ in range(max(1, length // 4))
    )[: max(2, length)]
