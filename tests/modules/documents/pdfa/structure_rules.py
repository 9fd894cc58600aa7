"""The structure, where a file says that it has one: ISO 19005-3, 6.7."""

import re
from collections.abc import Iterator

import pikepdf

Found = Iterator[str]


def structure(file):
    """Conformance B asks for none; where a file says that it has one, it has."""
    if not file.Root.get("/MarkInfo", {}).get("/Marked", False):
        return
    tree = file.Root.get("/StructTreeRoot")
    if tree is None:
        yield "6.7.3.3: it is marked, and there is no structure"
        return
    if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", str(file.Root.get("/Lang", ""))):
        yield "6.7.4: the language is not said"
    numbers = list(tree["/ParentTree"]["/Nums"])
    parents = dict(zip(map(int, numbers[::2]), numbers[1::2], strict=True))
    for page in file.pages:
        marks = [
            int(operands[1]["/MCID"])
            for operands, operator in pikepdf.parse_content_stream(page)
            if str(operator) == "BDC" and "/MCID" in operands[1]
        ]
        elements = list(parents.get(int(page.get("/StructParents", -1)), []))
        if sorted(marks) != list(range(len(elements))):
            yield "6.7.3: the marks of a page are not those of the structure"
        elif any(page.objgen != _page_of(element, mark) for mark, element in enumerate(elements)):
            yield "6.7.3: a mark's element does not lead back to it"


def _page_of(element, mark):
    """The page that an element says a mark of it is on."""
    kids = element["/K"] if isinstance(element["/K"], pikepdf.Array) else [element["/K"]]
    for kid in kids:
        if isinstance(kid, int) and kid == mark:
            return element["/Pg"].objgen
    for kid in kids:
        if isinstance(kid, pikepdf.Dictionary) and "/MCID" in kid and int(kid["/MCID"]) == mark:
            return kid["/Pg"].objgen
    return None
