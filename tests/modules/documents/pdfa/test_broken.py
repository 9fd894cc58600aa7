"""Each rule of the checker is seen to fire: a good file, of which one thing is broken."""

import ast
import re
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Stream, String

from modules.documents.layout.style import Style
from tests.modules.documents.layout.drawing import draw
from tests.modules.documents.pdfa.checker import check
from tests.modules.documents.pdfa.test_pdfa import full


def saved(file, **options):
    output = BytesIO()
    # Metadata that are broken on purpose stay so
    file.save(output, fix_metadata_version=False, **options)
    return output.getvalue()


@pytest.fixture(scope="module")
def good():
    """A good file, saved again by pikepdf."""
    with pikepdf.open(BytesIO(draw(full(), Style()))) as file:
        data = saved(file)
    assert check(data) == []
    return data


def page(file):
    return file.pages[0].obj


def font(file):
    fonts = page(file).Resources.Font
    return fonts[min(fonts.keys())]


def image(file):
    return next(each for each in file.objects if isinstance(each, Stream) and each.get("/Subtype") == "/Image")


def spec(file):
    return file.Root.Names.EmbeddedFiles.Names[1]


def intent(file):
    return file.Root.OutputIntents[0]


def put(place, **entries):
    """A breaker that sets entries of a dictionary; None deletes one."""

    def breaks(file):
        target = place(file)
        for name, value in entries.items():
            if value is None:
                del target[f"/{name}"]
            else:
                target[f"/{name}"] = value(file) if callable(value) else value

    return breaks


def root(**entries):
    return put(lambda file: file.Root, **entries)


def drawn(operators):
    """A breaker that draws more on the first page."""

    def breaks(file):
        content = b"".join(each.read_bytes() for each in _contents(file))
        page(file).Contents = file.make_stream(content + b"\n" + operators)

    return breaks


def _contents(file):
    found = page(file).Contents
    return [found] if isinstance(found, Stream) else list(found)


def annotated(**entries):
    return put(page, Annots=lambda _: Array([Dictionary(Type=Name.Annot, Rect=[0, 0, 1, 1], **entries)]))


def text_of_metadata(before, after):
    def breaks(file):
        stream = file.Root.Metadata
        content = stream.read_bytes()
        assert before in content
        stream.write(content.replace(before, after))

    return breaks


def profile(place, value):
    def breaks(file):
        stream = intent(file).DestOutputProfile
        content = stream.read_bytes()
        stream.write(content[:place] + value + content[place + len(value) :])

    return breaks


def to_unicode(content):
    def breaks(file):
        font(file).ToUnicode.write(content)

    return breaks


def without_a_glyph(file):
    """Write a character that the font has no glyph for."""
    drawn(b"BT %s 9 Tf (\xfe) Tj ET" % min(page(file).Resources.Font.keys()).encode())(file)


def nested(file):
    page(file).Contents = file.make_stream(b"q " * 29 + b"Q " * 29)


def mark(file):
    """The first content of an element, which says which page it is on."""
    return next(each for each in file.objects if isinstance(each, Dictionary) and "/Pg" in each)


def detached(file):
    element = mark(file)
    element.Pg = file.make_indirect(Dictionary(page(file)))


#: beginning of the violation → what breaks the file
FILES = {
    "6.1: the key /PieceInfo of the catalogue": root(PieceInfo=Dictionary()),
    "6.1: the key /PresSteps of a page": put(page, PresSteps=Dictionary()),
    "6.1.7.1: the data of a stream is in another file": put(image, F="other.png"),
    "6.1.7.2: the filter /LZWDecode": put(image, Filter=Name.LZWDecode),
    "6.1.10: an inline image": drawn(b"BI /W 1 /H 1 /BPC 8 /CS /G /F /RL ID \x00x\x80 EI"),
    "6.1.13: a string is too long": root(Lang=String("x" * 40_000)),
    "6.1.13: a drawn string": drawn(b"BT (" + b"x" * 40_000 + b") Tj ET"),
    "6.1.13: a name": root(PageMode=Name("/" + "x" * 130)),
    "6.1.13: a page": put(page, MediaBox=[0, 0, 2, 2]),
    "6.1.13: too many states": nested,
    "6.2.2: the operator": drawn(b"BX EX"),
    "6.2.2: a page writes with a font": drawn(b"BT /Other 9 Tf (x) Tj ET"),
    "6.2.3: there is not one output intent": root(OutputIntents=None),
    "6.2.3: the output intent has no profile": put(intent, DestOutputProfile=None),
    "6.2.3: the output intent has no identifier": put(intent, OutputConditionIdentifier=None),
    "6.2.3: the profile is not one of version": profile(8, b"\x05"),
    "6.2.3: the profile is not one of a device": profile(16, b"CMYK"),
    "6.2.4: the colour space": drawn(b"/Pattern cs"),
    "6.2.4.3: a colour of four inks": drawn(b"0 0 0 1 k"),
    "6.2.4.3: a picture's colours": put(image, ColorSpace=Name.DeviceCMYK),
    "6.2.6: the rendering intent": drawn(b"/Other ri"),
    "6.2.8: a picture has alternatives": put(image, Alternates=Array([])),
    "6.2.8: a picture is interpolated": put(image, Interpolate=True),
    "6.2.8: a picture has another number of bits": put(image, BitsPerComponent=3),
    "6.2.10: a picture is transparent": put(image, SMask=lambda file: file.make_stream(b"x")),
    "6.2.10: something is drawn half": put(lambda file: page(file).Resources, Properties=Dictionary(X=Dictionary(ca=0.5))),
    "6.2.10: there are states": put(lambda file: page(file).Resources, ExtGState=Dictionary()),
    "6.2.10: a group is transparent": put(page, Group=lambda file: file.make_indirect(Dictionary(S=Name.Transparency))),
    "6.2.11.2: {font} is no TrueType font": put(font, Subtype=Name.Type1),
    "6.2.11.2: {font} has another name inside": put(lambda file: font(file).FontDescriptor, FontName=Name.Other),
    "6.2.11.2: the length of": put(lambda file: font(file).FontDescriptor.FontFile2, Length1=1),
    "6.2.11.2: {font} has another number of widths": put(font, LastChar=255),
    "6.2.11.4.1: {font} is not inside": put(lambda file: font(file).FontDescriptor, FontFile2=None),
    "6.2.11.5: the width of the code": put(font, Widths=lambda file: Array([1] * len(font(file).Widths))),
    "6.2.11.6: {font} is neither or both": put(lambda file: font(file).FontDescriptor, Flags=36),
    "6.2.11.6: {font} is symbolic, and": put(font, Encoding=Name.WinAnsiEncoding),
    "6.2.11.7: what the codes of": put(font, ToUnicode=None),
    "6.2.11.7: what the code ": to_unicode(b"<00> <0000>"),
    "6.2.11.8: {font} has no glyph": without_a_glyph,
    "6.3.1: an annotation": annotated(Subtype=Name.Highlight, F=4),
    "6.3.2: an annotation": annotated(Subtype=Name.Link, F=2),
    "6.4.1: there is a form": root(AcroForm=Dictionary()),
    "6.5.1: the action": annotated(Subtype=Name.Link, F=4, A=Dictionary(S=Name.Launch, F="x")),
    "6.5.1: there is a program": put(lambda file: file.Root.Names, JavaScript=Dictionary()),
    "6.5.2: something happens": put(page, AA=Dictionary()),
    "6.6.2: there are no metadata": root(Metadata=None),
    "6.6.2: the metadata are not a plain": put(lambda file: file.Root.Metadata, Subtype=Name.Other),
    "6.6.2: the metadata have no head": text_of_metadata(b"<?xpacket begin", b"<?xpacket bytes='9' begin"),
    "6.6.2: the metadata are not XML": text_of_metadata(b"</x:xmpmeta>", b""),
    "6.6.2.3.1: the metadata have a word": text_of_metadata(b"<dc:format>", b"<o:word xmlns:o='urn:o'>x</o:word><dc:format>"),
    "6.6.2.3.3: the description of": text_of_metadata(b"<pdfaSchema:prefix>fx</pdfaSchema:prefix>", b""),
    "6.6.3: /Title": put(lambda file: file.docinfo, Title="Other"),
    "6.6.3: /CreationDate": put(lambda file: file.docinfo, CreationDate="D:20200101000000Z"),
    "6.6.4: it does not claim": text_of_metadata(b"<pdfaid:part>3", b"<pdfaid:part>1"),
    "6.7.3: the marks of a page": drawn(b"/P <</MCID 999>> BDC EMC"),
    "6.7.3: a mark's element": detached,
    "6.7.3.3: it is marked": root(StructTreeRoot=None),
    "6.7.4: the language": root(Lang=None),
    "6.8: a file inside has no name": put(spec, UF=None),
    "6.8: how a file inside belongs": put(spec, AFRelationship=None),
    "6.8: a file inside belongs to nothing": root(AF=None),
    "6.8: a file inside is not listed": put(lambda file: file.Root.Names, EmbeddedFiles=None),
    "6.8: the media type": put(lambda file: spec(file).EF.F, Subtype=None),
    "6.8: when a file inside": put(lambda file: spec(file).EF.F, Params=None),
}  # fmt: skip
#: the same, of the bytes of the file: each replacement is as long
BYTES = {
    "6.1: not readable": lambda data: data[: len(data) // 2],
    "6.1: qpdf reports": lambda data: re.sub(rb"(/Length1 \d+ /Length )\d", rb"\g<1>1", data, count=1),
    "6.1.2: the file does not begin": lambda data: data.replace(b"%PDF-1.7", b"%PDF-2.0", 1),
    "6.1.2: no comment": lambda data: data.replace(b"%\xbf\xf7\xa2\xfe", b"%abcd", 1),
    "6.1.3: the trailer has no ID": lambda data: data.replace(b"/ID [", b"/IX [", 1),
    "6.1.3: something follows": lambda data: data + b"x",
    "6.1.7.1: no line ends after": lambda data: data.replace(b"stream\n", b"stream\r", 1),
    "6.1.7.1: no line ends before": lambda data: data.replace(b"\nendstream", b" endstream", 1),
    "6.1.9: the number of an object": lambda data: data.replace(b" obj\n", b" obj ", 1),
}


def fired(data, beginning):
    """What the checker finds, if it is what was broken."""
    with pikepdf.open(BytesIO(data)) as file:
        name = str(font(file).BaseFont) if "{font}" in beginning else ""
    return [each for each in check(data) if each.startswith(beginning.replace("{font}", name))]


@pytest.mark.parametrize("beginning", FILES)
def test_a_file_that_breaks_a_rule_is_seen(good, beginning):
    with pikepdf.open(BytesIO(good)) as file:
        FILES[beginning](file)
        broken = saved(file)
    assert fired(broken, beginning), check(broken)


@pytest.mark.parametrize("beginning", BYTES)
def test_bytes_that_break_a_rule_are_seen(good, beginning):
    broken = BYTES[beginning](good)
    assert broken != good
    assert any(each.startswith(beginning) for each in check(broken)), check(broken)


def test_an_encrypted_file_is_seen(good):
    with pikepdf.open(BytesIO(good)) as file:
        broken = saved(file, encryption=pikepdf.Encryption(owner="x", user=""))
    assert "6.1.3: the file is encrypted" in check(broken)


def test_no_rule_is_left_out():
    """Each message in the rules is that of a broken file above."""
    begun = [*FILES, *BYTES, "6.1.3: the file is encrypted"]
    for path in Path(__file__).parent.glob("*_rules.py"):
        for each in ast.walk(ast.parse(path.read_text())):
            if isinstance(each, ast.Yield) and isinstance(each.value, (ast.Constant, ast.JoinedStr)):
                text = _begin(each.value)
                assert any(name.startswith(text) or text.startswith(name) for name in begun), ast.unparse(each)


def _begin(message):
    """The text of a message up to a field other than the name of the font."""
    text = ""
    for part in getattr(message, "values", [message]):
        if isinstance(part, ast.FormattedValue):
            if ast.unparse(part.value) != "self.name":
                break
            text += "{font}"
        else:
            text += part.value
    return text
