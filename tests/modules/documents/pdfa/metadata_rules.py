"""What a file says of itself: ISO 19005-3, 6.6."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pikepdf

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
DC, PDF = "{http://purl.org/dc/elements/1.1/}", "{http://ns.adobe.com/pdf/1.3/}"
XMP, ID = "{http://ns.adobe.com/xap/1.0/}", "{http://www.aiim.org/pdfa/ns/id/}"
EXTENSION = "{http://www.aiim.org/pdfa/ns/extension/}"
SCHEMA, PROPERTY = "{http://www.aiim.org/pdfa/ns/schema#}", "{http://www.aiim.org/pdfa/ns/property#}"
#: namespaces that need no description
PREDEFINED = {DC, PDF, XMP, ID, EXTENSION}
Found = Iterator[str]


def metadata(file):
    stream = file.Root.get("/Metadata")
    if stream is None:
        yield "6.6.2: there are no metadata"
        return
    if (str(stream.get("/Type")), str(stream.get("/Subtype"))) != ("/Metadata", "/XML") or "/Filter" in stream:
        yield "6.6.2: the metadata are not a plain stream of XML"
    text = stream.read_bytes()
    if not re.match(rb"<\?xpacket begin=\"(\xef\xbb\xbf)?\" id=\"W5M0MpCehiHzreSzNTczkc9d\"\?>", text):
        yield "6.6.2: the metadata have no head, or one with what is not allowed there"
    try:
        told = ElementTree.fromstring(text.decode("utf-8"))
    except (ElementTree.ParseError, UnicodeDecodeError):
        yield "6.6.2: the metadata are not XML in UTF-8"
        return
    said = {each.tag: each for block in told.iter(f"{RDF}Description") for each in block}
    if (_text(said.get(f"{ID}part")), _text(said.get(f"{ID}conformance"))) != ("3", "B"):
        yield "6.6.4: it does not claim to be PDF/A-3B"
    yield from _agreement(file, said)
    yield from _extensions(said)


def _text(element):
    """The text of a property: its own, or that of its one item."""
    if element is None:
        return None
    items = list(element.iter(f"{RDF}li"))
    return (items[0] if len(items) == 1 else element).text or ""


def _agreement(file, said):
    info = file.trailer.get("/Info", pikepdf.Dictionary())
    for name, tag in (
        ("/Title", f"{DC}title"), ("/Author", f"{DC}creator"), ("/Subject", f"{DC}description"),
        ("/Keywords", f"{PDF}Keywords"), ("/Creator", f"{XMP}CreatorTool"), ("/Producer", f"{PDF}Producer"),
    ):  # fmt: skip
        if name in info and _text(said.get(tag)) != str(info[name]):
            yield f"6.6.3: {name} is {str(info[name])!r} here and {_text(said.get(tag))!r} there"
    for name, tag in (("/CreationDate", f"{XMP}CreateDate"), ("/ModDate", f"{XMP}ModifyDate")):
        if name in info:
            digits = re.sub(r"\D", "", str(info[name]))[:14]
            if not digits or digits != re.sub(r"\D", "", _text(said.get(tag)) or "")[:14]:
                yield f"6.6.3: {name} is another moment in the metadata"


def _extensions(said):
    described = {}
    container = said.get(f"{EXTENSION}schemas")
    for schema in container.findall(f"{RDF}Bag/{RDF}li") if container is not None else []:
        space = schema.findtext(f"{SCHEMA}namespaceURI") or ""
        words = schema.findall(f"{SCHEMA}property/{RDF}Seq/{RDF}li")
        described[f"{{{space}}}"] = {word.findtext(f"{PROPERTY}name") for word in words}
        complete = all(
            word.findtext(f"{PROPERTY}{part}") for word in words for part in ("valueType", "category", "description")
        )
        if not complete or not schema.findtext(f"{SCHEMA}schema") or not schema.findtext(f"{SCHEMA}prefix"):
            yield f"6.6.2.3.3: the description of {space} lacks a part"
    for tag in said:
        space, _, word = tag.rpartition("}")
        if f"{space}}}" not in PREDEFINED and word not in described.get(f"{space}}}", set()):
            yield f"6.6.2.3.1: the metadata have a word that they do not describe: {word}"
