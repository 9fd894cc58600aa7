"""The structure tree of a PDF for screen readers: headings, table cells, alternative texts of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pikepdf import Pdf

#: attributes of a header cell that applies to its row or its column
ACROSS = {"/O": "/Table", "/Scope": "/Row"}
DOWN = {"/O": "/Table", "/Scope": "/Column"}
_NONE: Mapping[str, Any] = MappingProxyType({})


class Element:
    """An element of the structure tree.

    :param attributes: its attributes (ISO 32000-1, 14.8.5); without any, a header cell applies to its column
    :param alt: alternative text of a picture
    :ivar kids: child elements, and marks as (page, number)
    :ivar all: all elements of the tree, each after its parent
    """

    __slots__ = ("all", "alt", "attributes", "kids", "kind", "known", "parent")

    def __init__(self, kind: str, parent: Element | None, attributes: Mapping[str, Any] = _NONE, alt: str = "") -> None:
        self.kind = kind
        self.parent = parent
        self.kids: list[Element | tuple[int, int]] = []
        self.known: dict[str, Element] = {}
        self.attributes = attributes or (DOWN if kind == "TH" else _NONE)
        self.alt = alt
        self.all: list[Element] = [] if parent is None else parent.all
        self.all.append(self)
        if parent is not None:
            parent.kids.append(self)


class Structure:
    """The structure tree of one file, and the marks of each page that refer to its elements."""

    def __init__(self) -> None:
        self.root = Element("Document", None)
        self._pages: list[list[Element]] = [[]]

    def turn(self) -> None:
        """Begin the next page."""
        self._pages.append([])

    def mark(self, element: Element) -> int:
        """Add a mark for an element to this page and return the mark's number."""
        marks = self._pages[-1]
        element.kids.append((len(self._pages) - 1, len(marks)))
        marks.append(element)
        return len(marks) - 1

    def at(self, path: tuple[str, ...], attributes: Mapping[str, Any] = _NONE) -> Element:
        """Return the element at a path from the root.

        A step such as ``P`` adds an element; ``TR:5`` reuses the one with this key if it exists.

        :param attributes: attributes of the last element if it is new
        """
        element = self.root
        for place, step in enumerate(path, 1):
            found = element.known.get(step)
            if found is None:
                kind, _, key = step.partition(":")
                found = Element(kind, element, attributes if place == len(path) else _NONE)
                if key:
                    element.known[step] = found
            element = found
        return element

    def enter(self, pdf: Pdf) -> None:
        """Add the tree to a file; its pages have the marks."""
        from pikepdf import Dictionary, Name

        pages = [page.obj for page in pdf.pages]
        root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        names = {kind: Name(f"/{kind}") for kind in {element.kind for element in self.root.all}}
        made: dict[Element, Any] = {}
        for element in self.root.all:
            entries: dict[str, Any] = {
                "/S": names[element.kind], "/P": made[element.parent] if element.parent else root
            }  # fmt: skip
            if element.attributes:
                entries["/A"] = _names(element.attributes)
            if element.alt:
                entries["/Alt"] = element.alt
            made[element] = pdf.make_indirect(Dictionary(entries))
        for element, entered in made.items():
            own = next((kid[0] for kid in element.kids if isinstance(kid, tuple)), None)
            if own is not None:
                entered.Pg = pages[own]
            entered.K = [made[kid] if isinstance(kid, Element) else _mark(kid, own, pages) for kid in element.kids]
        leads: list[Any] = []
        for number, (page, marks) in enumerate(zip(pages, self._pages, strict=False)):
            page.StructParents, page.Tabs = number, Name.S
            leads += (number, [made[element] for element in marks])
        root.K, root.ParentTree, root.ParentTreeNextKey = made[self.root], Dictionary(Nums=leads), len(pages)
        pdf.Root.StructTreeRoot = root
        pdf.Root.MarkInfo = Dictionary(Marked=True)


def spanning(columns: int) -> Mapping[str, Any]:
    """Return the attributes of a cell that spans several columns."""
    return {"/O": "/Table", "/ColSpan": columns}


def _names(attributes: Mapping[str, Any]) -> dict[str, Any]:
    from pikepdf import Name

    return {key: Name(value) if isinstance(value, str) else value for key, value in attributes.items()}


def _mark(kid: tuple[int, int], own: int | None, pages: list[Any]) -> Any:
    from pikepdf import Name

    page, mark = kid
    return mark if page == own else {"/Type": Name.MCR, "/Pg": pages[page], "/MCID": mark}
