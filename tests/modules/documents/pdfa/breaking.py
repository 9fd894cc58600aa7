"""Ways to break a good file: each with the clause of ISO 19005-3 that forbids it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, String

Break = Callable[[Pdf], object]


def _image(pdf: Pdf) -> Any:
    return next(each for each in pdf.objects if isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Image")


def _font(pdf: Pdf) -> Any:
    return pdf.pages[0].Resources.Font["/R0"]


def _link(pdf: Pdf, **more: Any) -> Any:
    action = Dictionary(S=Name.URI, URI=String("https://example.org"))
    annotation = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], F=4, A=action)
    for name, value in more.items():
        annotation["/" + name] = value
    pdf.pages[0].Annots = Array([pdf.make_indirect(annotation)])
    return annotation


def _draw(words: bytes) -> Break:
    return lambda pdf: pdf.pages[0].contents_add(words)


def _say(old: str, new: str) -> Break:
    def change(pdf: Pdf) -> None:
        text = pdf.Root.Metadata.read_bytes()
        assert old.encode() in text, old
        pdf.Root.Metadata.write(text.replace(old.encode(), new.encode()))

    return change


def _profile(place: int, value: bytes) -> Break:
    def change(pdf: Pdf) -> None:
        profile = pdf.Root.OutputIntents[0].DestOutputProfile
        data = profile.read_bytes()
        profile.write(data[:place] + value + data[place + len(value) :])

    return change


def _put(path: str, value: Any) -> Break:
    """Put a value at a path from the catalogue."""

    def change(pdf: Pdf) -> None:
        *steps, last = path.split("/")
        at: Any = pdf.Root
        for step in steps:
            at = at[int(step)] if step.isdigit() else at["/" + step]
        at["/" + last] = value() if callable(value) else value

    return change


def _drop(path: str) -> Break:
    """Take away what is at a path from the catalogue."""

    def change(pdf: Pdf) -> None:
        *steps, last = path.split("/")
        at: Any = pdf.Root
        for step in steps:
            at = at[int(step)] if step.isdigit() else at["/" + step]
        del at["/" + last]

    return change


def _crypt(pdf: Pdf) -> None:
    stream = pdf.Root.AF[0].EF.F
    stream.write(b"80 0b>", filter=Name.LZWDecode)


def _widths(pdf: Pdf) -> None:
    _font(pdf).Widths = Array([float(each) + 2 for each in _font(pdf).Widths])


def _other_language(pdf: Pdf) -> None:
    pdf.Root.Lang = String("français")


def _other_parent(pdf: Pdf) -> None:
    marks = pdf.Root.StructTreeRoot.ParentTree.Nums[1]
    marks[0], marks[1] = marks[1], marks[0]


def _unknown_letter(pdf: Pdf) -> None:
    pdf.pages[0].contents_add(b"BT /R0 9 Tf <%02x> Tj ET" % (int(_font(pdf).LastChar) + 1))


def _meaning(pdf: Pdf) -> None:
    stream = _font(pdf).ToUnicode
    stream.write(stream.read_bytes().replace(b"<46> <0046>", b"<46> <fffe>"))


#: clause → ways of breaking it; each file has a logo, an XML and a structure
BROKEN: dict[str, list[Break]] = {
    "6.1.7.1": [lambda pdf: pdf.Root.AF[0].EF.F.__setitem__("/F", String("other"))],
    "6.1.7.2": [_crypt],
    "6.1.13": [
        _put("Lang2", String("x" * 32_768)), _put("Long", Name("/" + "x" * 128)), _draw(b"q " * 29 + b"Q " * 29),
        lambda pdf: setattr(pdf.pages[0], "MediaBox", Array([0, 0, 2, 2])),
    ],
    "6.2.2": [_draw(b"what"), lambda pdf: pdf.pages[0].Resources.__delitem__("/Font")],
    "6.2.3": [
        _drop("OutputIntents"), _drop("OutputIntents/0/DestOutputProfile"), _drop("OutputIntents/0/OutputConditionIdentifier"),
        _profile(8, b"\x05"), _profile(12, b"abst"), _profile(16, b"CMYK"),
        _put("OutputIntents/0/S", Name.GTS_PDFX),
    ],
    "6.2.4": [_draw(b"/Lab cs")],
    "6.2.4.3": [_draw(b"0 0 0 1 k"), lambda pdf: setattr(_image(pdf), "ColorSpace", Name.DeviceCMYK)],
    "6.2.6": [_draw(b"/Pretty ri")],
    "6.2.8": [
        lambda pdf: setattr(_image(pdf), "Interpolate", True), lambda pdf: setattr(_image(pdf), "Alternates", Array([])),
        lambda pdf: setattr(_image(pdf), "BitsPerComponent", 3),
    ],
    "6.2.10": [
        lambda pdf: setattr(_image(pdf), "SMask", pdf.make_stream(b"")),
        lambda pdf: setattr(pdf.pages[0].Resources, "ExtGState", Dictionary(a=Dictionary(ca=0.5))),
        lambda pdf: setattr(pdf.pages[0], "Group", pdf.make_indirect(Dictionary(S=Name.Transparency))),
    ],
    "6.2.11.2": [
        lambda pdf: setattr(_font(pdf), "LastChar", 3), lambda pdf: setattr(_font(pdf), "BaseFont", Name.Other),
        lambda pdf: setattr(_font(pdf), "Subtype", Name.Type1),
        lambda pdf: setattr(_font(pdf).FontDescriptor.FontFile2, "Length1", 7),
    ],
    "6.2.11.4.1": [
        lambda pdf: _font(pdf).FontDescriptor.__delitem__("/FontFile2"),
        lambda pdf: _font(pdf).__delitem__("/FontDescriptor"),
    ],
    "6.2.11.5": [_widths],
    "6.2.11.6": [
        lambda pdf: setattr(_font(pdf).FontDescriptor, "Flags", 36),
        lambda pdf: setattr(_font(pdf), "Encoding", Name.WinAnsiEncoding),
    ],
    "6.2.11.7": [lambda pdf: _font(pdf).__delitem__("/ToUnicode"), _meaning],
    "6.2.11.8": [_unknown_letter],
    "6.3.1": [lambda pdf: _link(pdf, Subtype=Name.Movie)],
    "6.3.2": [lambda pdf: _link(pdf, F=0), lambda pdf: _link(pdf, F=6)],
    "6.4.1": [_put("AcroForm", lambda: Dictionary(Fields=Array([])))],
    "6.5.1": [
        lambda pdf: _link(pdf, A=Dictionary(S=Name.JavaScript, JS=String("1"))),
        lambda pdf: _link(pdf, A=Dictionary(S=Name.Launch, F=String("x"))),
        _put("Names/JavaScript", lambda: Dictionary(Names=Array([]))),
    ],
    "6.5.2": [_put("AA", lambda: Dictionary()), lambda pdf: setattr(pdf.pages[0], "AA", Dictionary())],
    "6.6.2": [
        _drop("Metadata"), _say("<dc:format>", "<dc:formt>"), _put("Metadata/Subtype", Name.Text),
        _say('id="W5M0', 'bytes="9" id="W5M0'),
    ],
    "6.6.2.3.1": [_say("<fx:Version>1.0</fx:Version>", "<fx:Other>1.0</fx:Other>"), _say("pdfaExtension:schemas>", "pdfaExtension:none>")],
    "6.6.2.3.3": [_say("<pdfaProperty:category>external</pdfaProperty:category>", "")],
    "6.6.3": [
        _say("FA2611-0001</rdf:li>", "FA2611-0002</rdf:li>"), _say("<xmp:CreateDate>2", "<xmp:CreateDate>3"),
        _say("Comptoir</pdf:Producer>", "Other</pdf:Producer>"),
    ],
    "6.6.4": [_say("<pdfaid:part>3<", "<pdfaid:part>2<"), _say("conformance>B<", "conformance>Z<")],
    "6.7.3": [_other_parent, _draw(b"/P<</MCID 999>>BDC EMC")],
    "6.7.3.3": [_drop("StructTreeRoot")],
    "6.7.4": [_drop("Lang"), _other_language],
    "6.8": [
        _drop("AF"), _drop("Names"), _drop("AF/0/UF"), _drop("AF/0/AFRelationship"), _drop("AF/0/EF/F/Subtype"),
        _drop("AF/0/EF/F/Params/ModDate"),
    ],
}  # fmt: skip

#: what is broken in the bytes: clause → what stands in the file, and what instead
BROKEN_BYTES: dict[str, list[tuple[bytes, bytes]]] = {
    "6.1": [(b"startxref", b"startxxxx")],
    "6.1.2": [(b"%PDF-1.7\n", b"%PDF-2.0\n"), (b"%\xe2\xe3\xcf\xd3", b"%abcd")],
    "6.1.3": [(b"/ID[", b"/Ix["), (b"%%EOF\n", b"%%EOF\nmore")],
    "6.1.7.1": [(b"\nendstream", b" endstream"), (b"stream\n", b"stream ")],
    "6.1.9": [(b" 0 obj\n", b" 0 obj "), (b" 0 obj\n", b"\t0 obj\n")],
}
