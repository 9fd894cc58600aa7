"""The outline of a PDF file: places that have a name."""

from __future__ import annotations

from dataclasses import dataclass, field

from .file import PdfFile, spelled

#: letters of a title at the most
LONGEST = 250


@dataclass
class Place:
    """A place of a page, with those that stand below it in the outline.

    :param page: its index
    :param y: points from the page's foot
    """

    title: str
    page: int
    y: float
    below: list[Place] = field(default_factory=list)
    number: int = 0


class Outline:
    """The places of one file, on two levels."""

    def __init__(self) -> None:
        self._top = Place("", 0, 0)

    def add(self, place: Place, level: int) -> None:
        """Add a place behind the others: at the top, or on the second level below the last one there."""
        (self._top.below[-1] if level and self._top.below else self._top).below.append(place)

    def enter(self, file: PdfFile, pages: list[int]) -> int:
        """Put it into a file; answers its number.

        :param pages: numbers of the pages
        """
        self._top.number = file.reserve()
        count = _place(file, self._top, pages)
        file.put(self._top.number, f"<</Type/Outlines{_span(self._top)}/Count {count}>>")
        return self._top.number


def _place(file: PdfFile, parent: Place, pages: list[int]) -> int:
    """Put what stands below a place into a file; answers how many they are."""
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
