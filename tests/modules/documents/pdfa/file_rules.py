"""The file itself: ISO 19005-3, 6.1."""

import re
from collections.abc import Iterator

import pikepdf

FILTERS = {"/FlateDecode", "/DCTDecode"}
Found = Iterator[str]


def header(data, _):
    if not re.match(rb"%PDF-1\.[0-7](\r\n|\r|\n)", data):
        yield "6.1.2: the file does not begin with its version"
    elif not re.match(rb"%[\x80-\xff]{4}", re.split(rb"\r\n|\r|\n", data, maxsplit=2)[1]):
        yield "6.1.2: no comment of four bytes above 127 follows the version"


def trailer(data, file):
    if "/ID" not in file.trailer:
        yield "6.1.3: the trailer has no ID"
    if file.is_encrypted or "/Encrypt" in file.trailer:
        yield "6.1.3: the file is encrypted"
    if not re.search(rb"%%EOF(\r\n|\r|\n)?\Z", data):
        yield "6.1.3: something follows the end of the file"


def objects(data, file):
    for fault in file.check_pdf_syntax():
        yield f"6.1: qpdf reports: {fault}"
    # A reader of PDF skips these bytes without a word
    if re.search(rb">>\s*stream(?!\r?\n)", data):
        yield "6.1.7.1: no line ends after `stream`"
    if re.search(rb"[^\r\n]endstream", data):
        yield "6.1.7.1: no line ends before `endstream`"
    if any(not re.fullmatch(rb"\d \d+ obj[\r\n]", each) for each in re.findall(rb"\d\s+\d+\s+obj\b.", data, re.S)):
        yield "6.1.9: the number of an object is not spaced as it must be"


def streams(file):
    for each in file.objects:
        if not isinstance(each, pikepdf.Stream):
            continue
        if any(name in each for name in ("/F", "/FFilter", "/FDecodeParms")):
            yield "6.1.7.1: the data of a stream is in another file"
        filters = each.get("/Filter", [])
        for name in [filters] if isinstance(filters, pikepdf.Name) else list(filters):
            if str(name) not in FILTERS:
                yield f"6.1.7.2: the filter {name} is none of {sorted(FILTERS)}"


def dictionaries(file):
    """Every dictionary of a file, those that are inside others as well."""
    for each in file.objects:
        yield from _inside(each)


def _inside(each):
    if isinstance(each, (pikepdf.Dictionary, pikepdf.Stream)):
        yield each
    if isinstance(each, (pikepdf.Dictionary, pikepdf.Stream, pikepdf.Array)):
        for child in each if isinstance(each, pikepdf.Array) else [each[name] for name in each.keys()]:  # noqa: SIM118
            if isinstance(child, pikepdf.Object) and not child.is_indirect:
                yield from _inside(child)


def limits(file):
    for each in file.objects:
        for value in _values(each):
            if isinstance(value, pikepdf.String) and len(bytes(value)) > 32_767:
                yield "6.1.13: a string is too long"
            elif isinstance(value, pikepdf.Name) and len(str(value).encode()) > 128:
                yield "6.1.13: a name is too long"
    for page in file.pages:
        sides = [float(page.mediabox[2]) - float(page.mediabox[0]), float(page.mediabox[3]) - float(page.mediabox[1])]
        if min(sides) < 3 or max(sides) > 14_400:
            yield "6.1.13: a page is too small or too large"
        deep = most = 0
        for operands, operator in pikepdf.parse_content_stream(page):
            deep += {"q": 1, "Q": -1}.get(str(operator), 0)
            most = max(most, deep)
            if str(operator) != "INLINE IMAGE" and any(
                isinstance(each, pikepdf.String) and len(bytes(each)) > 32_767 for each in operands
            ):
                yield "6.1.13: a drawn string is too long"
        if most > 28:
            yield "6.1.13: too many states lie on each other"


def _values(each):
    if isinstance(each, (pikepdf.Dictionary, pikepdf.Stream)):
        children = [each[name] for name in each.keys()]  # noqa: SIM118
    elif isinstance(each, pikepdf.Array):
        children = list(each)
    else:
        yield each
        return
    for child in children:
        if not (isinstance(child, pikepdf.Object) and child.is_indirect):
            yield from _values(child)
