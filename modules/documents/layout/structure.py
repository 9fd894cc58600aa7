"""The structure tree of a PDF for screen readers: headings, table cells, alternative texts of pictures."""

from __future__ import annotations

from .file import PdfFile, spelled

#: entry of a header cell that applies to its row
ACROSS = "/A<</O/Table/Scope/Row>>"
_MORE = {"TH": "/A<</O/Table/Scope/Column>>"}


class Element:
    """An element of the structure tree.

    :ivar kids: child elements, and marks as (page, number)
    :ivar all: all elements of the tree
    :ivar reference: the element's object reference in the file
    """

    __slots__ = ("all", "kids", "kind", "known", "more", "parent", "reference")

    def __init__(self, kind: str, parent: Element | None, more: str = "") -> None:
        self.kind = kind
        self.parent = parent
        self.kids: list[Element | tuple[int, int]] = []
        self.known: dict[str, Element] = {}
        self.more = more or _MORE.get(kind, "")
        self.reference = ""
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

    def at(self, path: tuple[str, ...], more: str = "") -> Element:
        """Return the element at a path from the root.

        A step such as ``P`` adds an element; ``TR:5`` reuses the one with this key if it exists.

        :param more: entries of the last element if it is new
        """
        element = self.root
        for step in path:
            found = element.known.get(step)
            if found is None:
                kind, _, key = step.partition(":")
                found = Element(kind, element, more if step is path[-1] else "")
                if key:
                    element.known[step] = found
            element = found
        return element

    def enter(self, file: PdfFile, pages: list[int]) -> int:
        """Add the tree to a file and return the object number of its root.

        :param pages: object numbers of the pages
        """
        root = file.reserve()
        elements = self.root.all
        for number, element in enumerate(elements, file.next):
            element.reference = f"{number} 0 R"
        file.add(*[_spelled(element, root, pages) for element in elements])
        leads = " ".join(
            [
                f"{place}[{' '.join([element.reference for element in marks])}]"
                for place, marks in enumerate(self._pages[: len(pages)])
            ]
        )
        tree = file.add(f"<</Nums[{leads}]>>")
        file.put(
            root,
            f"<</Type/StructTreeRoot/K {self.root.reference}/ParentTree {tree} 0 R/ParentTreeNextKey {len(pages)}>>",
        )
        return root


def alternative(text: str) -> str:
    """Return the entry for the alternative text of a picture."""
    return f"/Alt{spelled(text)}"


def spanning(columns: int) -> str:
    """Return the entry for a cell that spans several columns."""
    return f"/A<</O/Table/ColSpan {columns}>>"


def _spelled(element: Element, root: int, pages: list[int]) -> str:
    own, kids = -1, []
    for kid in element.kids:
        if isinstance(kid, Element):
            kids.append(kid.reference)
            continue
        page, mark = kid
        if own < 0:
            own = page
        kids.append(f"{mark}" if page == own else f"<</Type/MCR/Pg {pages[page]} 0 R/MCID {mark}>>")
    shown = f"/Pg {pages[own]} 0 R" if own >= 0 else ""
    parent = element.parent.reference if element.parent else f"{root} 0 R"
    return f"<</S/{element.kind}/P {parent}{shown}{element.more}/K[{' '.join(kids)}]>>"
