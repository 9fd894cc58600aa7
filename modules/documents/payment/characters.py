"""The letters that payments take: what the codes of a Swiss bill may hold."""

from __future__ import annotations

import unicodedata

#: Basic Latin, Latin-1 Supplement and Latin Extended-A without control characters, and what is allowed besides
ALLOWED = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x180)))) | frozenset("ȘșȚț€")
#: what is written otherwise where its character is not allowed
OTHERWISE = {
    "‘": "'", "’": "'", "‚": ",", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‐": "-", "‑": "-",  # noqa: RUF001
    "…": "...", "•": "-", "ẞ": "SS", "™": "(TM)", "−": "-",  # noqa: RUF001
}  # fmt: skip


def latin(text: str, most: int) -> str:
    """A text in the letters that payments take, on one line: accents that are not allowed go, and so does what no
    Latin letter stands for.

    :param most: characters it may have; what is beyond them is cut off
    """
    found = "".join(character if character in ALLOWED else _otherwise(character) for character in text)
    return " ".join(found.split())[:most].strip()


def plain(text: str, most: int) -> str:
    """A text on one line, without control characters.

    :param most: characters it may have; what is beyond them is cut off
    """
    found = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(found.split())[:most].strip()


def _otherwise(character: str) -> str:
    if character.isspace():
        return " "
    if character in OTHERWISE:
        return OTHERWISE[character]
    return "".join(each for each in unicodedata.normalize("NFKD", character) if each in ALLOWED)
