"""Texts that may contain HTML, such as descriptions and notes from clients, prepared for printing.

A text without markup is returned unchanged. From HTML, the text is kept in paragraphs and lists, with bold, italic,
underlined and struck-out runs. Rows of tables become lines. Scripts, styles and comments are removed with their
content; other tags leave their text. Nothing is ever fetched: a URL is text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import overload

from .html_reader import has_markup, read_html
from .paragraphs import Paragraph, RichText, Run
from .printed_document import Party

#: maximum characters of a text whose paragraphs are cached
LONGEST_KEPT = 4000


def rich_text(text: str) -> str:
    """Return a text for printing; HTML with styles, lists or indents becomes a `RichText`."""
    if not has_markup(text):
        return text
    return _kept(text) if len(text) <= LONGEST_KEPT else _kept.__wrapped__(text)


def plain_text(text: str) -> str:
    """Return a text without markup: a line for each paragraph, bullets and numbers as characters."""
    return str(rich_text(text))


def inline_text(text: str) -> str:
    """Return a text for printing as one paragraph; paragraphs separated by markup are joined by spaces."""
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
    """Return a text without markup; HTML becomes one line."""
    plain = plain_text(text)
    return text if plain is text else " ".join(plain.split())


def plain_lines(texts: Iterable[str]) -> list[str]:
    """Return lines without markup; a line that markup separates becomes several."""
    found: list[str] = []
    for text in texts:
        plain = plain_text(text)
        found += [text] if plain is text else filter(None, map(str.strip, plain.split("\n")))
    return found


def plain_pairs(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return pairs of label and text, with markup removed from the texts."""
    return [(label, plain_text(text)) for label, text in pairs]


@overload
def plain_party(party: Party) -> Party: ...
@overload
def plain_party(party: Party | None) -> Party | None: ...
def plain_party(party: Party | None) -> Party | None:
    """Return the company or another party with markup removed from its lines."""
    return Party(plain_lines(party.address), plain_lines(party.details), party.country) if party else None


# Cached: a document that is printed again, and its XML, have the same texts
@lru_cache(maxsize=128)
def _kept(text: str) -> str:
    return _simplest(read_html(text))


def _simplest(paragraphs: list[Paragraph]) -> str:
    """Return paragraphs without empty ones at either end; as plain text if they have no styles, lists or indents."""
    while paragraphs and not paragraphs[-1].text.strip():
        paragraphs.pop()
    first = next((place for place, each in enumerate(paragraphs) if each.text.strip()), 0)
    paragraphs = paragraphs[first:]
    if any(each.indent or each.marker or any(style for _, style in each.runs) for each in paragraphs):
        return RichText(paragraphs)
    return "\n".join(each.text.rstrip() for each in paragraphs)
