"""Texts that may hold HTML, as clients store them in descriptions and notes: what is printed of them.

A text without markup is what it is, and costs nothing. Of HTML the text remains, with what is bold, italic, underlined
or struck out, in paragraphs and lists; rows of tables are lines. Scripts, styles and comments vanish with what they
hold, all other tags leave their text. Nothing is ever fetched: an address is text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import overload

from .html_reader import read_html
from .markup import html_of
from .paper import Party
from .paragraphs import Paragraph, RichText, Run

#: characters of the longest text whose paragraphs are kept
LONGEST_KEPT = 4000


def rich_text(text: str) -> str:
    """What is printed of a text: with its paragraphs, if it is HTML that asks for more than lines."""
    return _read(text) if "<" in text or "&" in text else text


def plain_text(text: str) -> str:
    """A text without markup: a line for each paragraph, bullets and numbers as letters."""
    return str(_read(text)) if "<" in text or "&" in text else text


def inline_text(text: str) -> str:
    """What is printed of a text in a place that has no paragraphs: what was parted by markup stands in one."""
    found = rich_text(text)
    if found is text:
        return text
    if not isinstance(found, RichText):
        return " ".join(found.split("\n"))
    runs: list[Run] = []
    for paragraph in found.paragraphs:
        if paragraph.runs:
            runs += [(" ", 0)] * bool(runs) + [*paragraph.runs]
    return _simplest([Paragraph(tuple(runs))])


def one_line(text: str) -> str:
    """A text without markup, what was parted by it in one line."""
    plain = plain_text(text)
    return text if plain is text else " ".join(plain.split())


def plain_lines(texts: Iterable[str]) -> list[str]:
    """Lines without markup; those that markup parts are several."""
    found: list[str] = []
    for text in texts:
        plain = plain_text(text)
        found += [text] if plain is text else filter(None, map(str.strip, plain.split("\n")))
    return found


def plain_pairs(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Labels and texts, these without markup."""
    return [(label, plain_text(text)) for label, text in pairs]


@overload
def plain_party(party: Party) -> Party: ...
@overload
def plain_party(party: Party | None) -> Party | None: ...
def plain_party(party: Party | None) -> Party | None:
    """The own company or another one, its name and address without markup."""
    return Party(plain_lines(party.address), plain_lines(party.details), party.country) if party else None


# The lines of a paper that is printed again, and of its XML, are the same
@lru_cache(maxsize=128)
def _kept(text: str) -> str | None:
    markup = html_of(text)
    if markup is None:
        return None
    return _simplest(read_html(markup))


def _read(text: str) -> str:
    found = _kept(text) if len(text) <= LONGEST_KEPT else _kept.__wrapped__(text)
    return text if found is None else found


def _simplest(paragraphs: list[Paragraph]) -> str:
    """Paragraphs without empty ones around; as a plain text where they say no more than it."""
    while paragraphs and not paragraphs[-1].text.strip():
        paragraphs.pop()
    first = next((place for place, each in enumerate(paragraphs) if each.text.strip()), 0)
    paragraphs = paragraphs[first:]
    if any(each.indent or each.marker or any(style for _, style in each.runs) for each in paragraphs):
        return RichText(paragraphs)
    return "\n".join(each.text.rstrip() for each in paragraphs)
