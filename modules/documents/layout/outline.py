"""The outline (bookmarks) of a PDF file."""

from __future__ import annotations

from dataclasses import dataclass, field

from .file import PdfFile, spelled

#: maximum characters of a title
LONGEST = 250


@dataclass
class Place:
    """An entry of the outline, with its child entries.

    :param page: index of the page
    :param y: points from the bottom of the page
    """

    title: str
    page: int
    y: float
    below: list[Place] = field(default_factory=list)
    number: int = 0


class Outline:
    """The entries of one file, on two levels."""

    def __init__(self) -> None:
        self._top = Place("", 0, 0)

    def add(self, place: Place, level: int) -> None:
        """Append an entry at the top level, or to the children of the last top-level entry."""
        (self._top.below[-1] if level and self._top.below else self._top).below.append(place)

    def enter(self, file: PdfFile, pages: list[int]) -> int:
        """Add the outline to a file and return its object number.

        :param pages: object numbers of the pages
        """
        self._top.number = file.reserve()
        count = _place(file, self._top, pages)
        file.put(self._top.number, f"<</Type/Outlines{_span(self._top)}/Count {count}>>")
        return self._top.number


def _place(file: PdfFile, parent: Place, pages: list[int]) -> int:
    """Add the descendants of an entry to a file and return their number."""
    below = parent.below
    for each in below:
        each.number = file.reserve()
    count = len(below)
    for before, each, after in zip([None, *below], below, [*below[1:], None], strict=False):
        entries = f"/Title{spelled(each.title[:LONGEST])}/Parent {parent.number} 0 R"
        entries += f"/Dest[{pages[each.page]} 0 R/XYZ 0 {each.y:.2f} 0]"
        entries += f"/Prev {before.number} 0 R" if before else ""
        entries += f"/Next {after.number} 0 R" if after else ""
        if each.below:
            inner = _place(file, each, pages)
            entries += f"{_span(each)}/Count {inner}"
            count += inner
        file.put(each.number, f"<<{entries}>>")
    return count


def _span(place: Place) -> str:
    return f"/First {place.below[0].number} 0 R/Last {place.below[-1].number} 0 R" if place.below else ""
