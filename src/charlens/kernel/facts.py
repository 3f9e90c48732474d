"""Facts that several modules and both kernels need, each once; `native/facts.h` is generated from them.

`python -m charlens.kernel.generate` writes the header; the tables of elements are in `elements.py`.
"""

from __future__ import annotations

#: The marks that Unicode text may open with, and the encoding each stands for.  Longest first: the mark of UTF-32-LE
#: begins with the mark of UTF-16-LE.
MARKS = (
    # UTF-7 writes U+FEFF as +/v8- when something that needs no shift follows; in the four other forms the
    # fourth byte also carries bits of the next character, so there is no mark that could be cut off.
    (b"+/v8-", "utf-7"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x84\x31\x95\x33", "gb18030"),
    (b"+/v8", "utf-7"),
    (b"+/v9", "utf-7"),
    (b"+/v+", "utf-7"),
    (b"+/v/", "utf-7"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xff\xfe", "utf-16-le"),
)
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

#: The block list of "A Fast Method of Identifying Plain Text Files" (zlib): text has none of these bytes.
BLOCKED_BYTES = bytes((*range(7), *range(14, 26), *range(28, 32)))
#: They occur in text, but are not evidence of it: BEL, BS, VT, FF, SUB, ESC.
TOLERATED_BYTES = bytes((7, 8, 11, 12, 26, 27))

#: The space of EBCDIC, which is "@" in ASCII.
EBCDIC_SPACE = 0x40

#: From here on, the first plane has East Asian characters.
EAST_ASIA = 0x2E00

#: Elements that show that a file is HTML, and elements whose content has no elements.
HTML_NAMES = (  # noqa: SIM905
    "html head body title meta link table tr td div span p a br hr b i u em strong font center img h1 h2 "
    "h3 h4 h5 h6 ul ol li dl dt dd pre form input select option frameset script style"
).split()
RAW_NAMES = ["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"]
#: Fewer tags than this in the head are text that talks about tags.
LEAST_TAGS = 3

#: What `page_flavour` returns.
FLAVOURS = ("NO_MARKUP", "HTML", "XML", "CUES", "SCRIPTED")

#: Letters of languages up to here are folded one by one, by a table; those above count as they are.
FOLDED = 0x600
# Odd numbers without a pattern: what each place of an n-gram is multiplied with, and the mixing of the sum.
PLACES = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
WORD = 0x5BD1E995
WORD_END = 0x27D4EB2F
MIX = 0x2C1B3C6D

# The same for the set of known words: mixed into the hash with each letter; what spreads a hash over the places in the
# table, each of which takes this many bits.
WORD_MIX = 0x01000193
#: What a digit or a sign in a word becomes; a word with one is never known.
WORD_SIGN = 0xFFFD
SCATTER = 0x9E3779B97F4A7C15
PLACE_BITS = 21

#: Limits of the kernel functions.
MOST_TABLES = 32
MOST_NUDGES = 256
MOST_CHARSETS = 16
MOST_SALTS = 64
#: The most points of a pair of bytes: a signed byte times a level, which is a byte.
MOST_POINTS = 1 << 15
#: Limits of `judge_legacy`: classes and languages, encodings with stray bytes, its own nudges (one each for glued
#: words, rare encodings and other scripts, and one for each language), the bytes of words that it reads, and log-odds.
MOST_JUDGED = 64
MOST_STRAYED = 32
OWN_NUDGES = 3 + MOST_JUDGED
MOST_WHOLE = 4096
MOST_ODDS = 100
#: Limit of `survey`: the offsets of bytes that a page lacks.
MOST_UNDEFINED = 64
#: Stray bytes that `survey` counts; in longer input it leaves them to the stage.
MOST_SURVEYED_STRAYS = 100
#: What `survey` is asked to do: judge the text; keep the pages of EBCDIC among the candidates.
SURVEY_JUDGES = 1
SURVEY_EBCDIC = 2
#: Stray bytes that may come at once, before the length of the text says how many there may be.
STRAYS_AHEAD = 8
#: The least first and second byte of a character of two bytes in any encoding, and the number of such pairs.
FIRST_LEAD, FIRST_TRAIL = 0x80, 0x40
CHARACTERS = (256 - FIRST_LEAD) * (256 - FIRST_TRAIL)
#: In the map of an encoding: this byte value has no character.
UNDEFINED = 0xFFFF
#: The bytes of a window before its first non-ASCII byte.
BEFORE_WINDOW = 16

#: The facts of `scan_many` about a row: one bit for each set of byte values, flags, and two small numbers.
COLUMN_SETS = 4
ROW_OPENS = 1 << 4
ROW_NOT_UTF8 = 1 << 5
ROW_LONG = 1 << 6
ROW_CUT = 1 << 8
ROW_LEADS = 1 << 10
ROW_MOST_LEADS = 31
