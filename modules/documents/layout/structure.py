"""The structure of a paper for those who do not see it: which words are a heading, a cell, a picture's text."""

from __future__ import annotations

from .file import PdfFile, spelled

#: that a heading is that of its row
ACROSS = "/A<</O/Table/Scope/Row>>"
_MORE = {"TH": "/A<</O/Table/Scope/Column>>"}


class Element:
    """A part of the structure.

    :ivar kids: parts of it, and marks: page and number
    :ivar all: it and all others of its structure
    :ivar reference: how other objects of the file refer to it
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
    """The structure of one file, and the marks of its pages that lead to it."""

    def __init__(self) -> None:
        self.root = Element("Document", None)
        self._pages: list[list[Element]] = [[]]

    def turn(self) -> None:
        """Begin the next page."""
        self._pages.append([])

    def mark(self, element: Element) -> int:
        """The number of a new mark of this page that leads to an element."""
        marks = self._pages[-1]
        element.kids.append((len(self._pages) - 1, len(marks)))
        marks.append(element)
        return len(marks) - 1

    def at(self, path: tuple[str, ...], more: str = "") -> Element:
        """The element that a path leads to from the outside. A step such as ``P`` is a new one; ``TR:5`` is the one
        that had this key before.

        :param more: entries of a new one
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
        """Put it into a file; answers the number of its root.

        :param pages: numbers of the pages
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
    """What stands for a picture, as an entry of its element."""
    return f"/Alt{spelled(text)}"


def spanning(columns: int) -> str:
    """That a cell goes over some columns, as an entry of its element."""
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
