"""Links to other languages, each with its name in its script, as on every page of Wikipedia.

No encoding but those of Unicode has all of these scripts: in the others many of the names become question marks.
"""

from __future__ import annotations

import random

#: The names of languages in themselves, as the pages of an encyclopedia in many languages link to each other.
_NAMES = {
    "ar": "العربية",
    "be": "Беларуская",
    "bg": "Български",
    "ca": "Català",
    "cs": "Čeština",
    "da": "Dansk",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "en": "English",
    "eo": "Esperanto",
    "es": "Español",
    "fa": "فارسی",
    "fi": "Suomi",
    "fr": "Français",
    "he": "עברית",
    "hi": "हिन्दी",
    "hu": "Magyar",
    "is": "Íslenska",
    "it": "Italiano",
    "ja": "日本語",
    "ka": "ქართული",
    "ko": "한국어",
    "lt": "Lietuvių",
    "lv": "Latviešu",
    "nl": "Nederlands",
    "no": "Norsk",
    "pl": "Polski",
    "pt": "Português",
    "ro": "Română",
    "ru": "Русский",
    "sk": "Slovenčina",
    "sl": "Slovenščina",
    "sr": "Српски",
    "sv": "Svenska",
    "th": "ไทย",
    "tr": "Türkçe",
    "uk": "Українська",
    "vi": "Tiếng Việt",
    "zh": "中文",
}
#: The fewest links of a page, an article that not everybody has; and all that there are.
FEWEST, EVERY = 10, len(_NAMES)


def add_links(page: str, name: str, fewest: int = FEWEST) -> str:
    """Put links before the end of *page*; how many and which is chance, the same for the same *name*."""
    chance = random.Random(f"links {name}")
    chosen = sorted(chance.sample(sorted(_NAMES), chance.randint(fewest, EVERY)))
    items = "\n".join(
        f'<li><a href="https://{tag}.example.org/" lang="{tag}">{_NAMES[tag]}</a></li>' for tag in chosen
    )
    body, end, rest = page.rpartition("</body>")
    return f"{body}<ul>\n{items}\n</ul>\n{end}{rest}" if end else f"{page}<ul>\n{items}\n</ul>\n"
