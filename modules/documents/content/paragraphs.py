"""Texts as paragraphs, with bold, italic, underlined and struck-out runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BOLD, ITALIC, UNDERLINE, STRUCK = 1, 2, 4, 8

#: a run of text and its style, a sum of the numbers above
Run = tuple[str, int]


@dataclass(frozen=True)
class Paragraph:
    """A line of text before it is wrapped.

    :param indent: number of lists and quotations that contain it
    :param marker: the bullet or number before it
    """

    runs: tuple[Run, ...]
    indent: int = 0
    marker: str = ""

    @property
    def text(self) -> str:
        """The text without styles, indent and marker."""
        return "".join(text for text, _ in self.runs)

    def __str__(self) -> str:
        before = f"{self.marker} " if self.marker else ""
        return ("  " * (self.indent - bool(self.marker)) + before + self.text).rstrip()


class RichText(str):
    """A text with its paragraphs; as a `str` it is the plain text, with a line for each paragraph."""

    __slots__ = ("paragraphs",)
    paragraphs: tuple[Paragraph, ...]

    def __new__(cls, paragraphs: Iterable[Paragraph]) -> RichText:
        """Create a rich text from its paragraphs."""
        paragraphs = tuple(paragraphs)
        made = super().__new__(cls, "\n".join(map(str, paragraphs)))
        made.paragraphs = paragraphs
        return made


def stacked(*texts: str) -> str:
    """Return texts joined by line feeds; empty ones are left out."""
    texts = tuple(filter(None, texts))
    if not any(isinstance(text, RichText) for text in texts):
        return "\n".join(texts)
    return RichText(paragraph for text in texts for paragraph in paragraphs_of(text))


def beside(first: str, text: str) -> str:
    """Return a text with a plain text added before its first line."""
    if not first or not text:
        return first or text
    first = f"{first} · "
    if not isinstance(text, RichText):
        return first + text
    head, *rest = text.paragraphs
    return RichText([Paragraph(((first, 0), *head.runs), head.indent, head.marker), *rest])


def paragraphs_of(text: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a text; in a plain text, each line is a paragraph."""
    if isinstance(text, RichText):
        return text.paragraphs
    return tuple(Paragraph(((line, 0),)) for line in text.split("\n"))
