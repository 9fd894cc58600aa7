"""What is drawn: ISO 19005-3, 6.2."""

from collections.abc import Iterator

import pikepdf

from .file_rules import dictionaries
from .font_rules import Texts, fonts_of

#: operators of a page that are known to be harmless or are looked at here
OPERATORS = (
    "b B b* B* BDC BMC BT c cm d Do EMC ET f f* G g h i j J K k l m M n q Q re RG rg s S sc SC scn SCN T* Tc Td TD Tf "
    "Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' \" gs cs CS ri sh"
)
#: keys of the catalogue and of a page that are known to be harmless or are looked at
CATALOGUE = {
    "/AcroForm", "/AA", "/AF", "/Lang", "/MarkInfo", "/Metadata", "/Names", "/Outlines", "/OutputIntents", "/PageMode", "/Pages",
    "/StructTreeRoot", "/Type", "/ViewerPreferences",
}  # fmt: skip
PAGE = {
    "/AA", "/Annots", "/Contents", "/Group", "/MediaBox", "/Parent", "/Resources", "/Rotate", "/StructParents", "/Tabs", "/Trans", "/Type",
}  # fmt: skip
Found = Iterator[str]


def keys(file):
    for key in file.Root.keys() - CATALOGUE:
        yield f"6.1: the key {key} of the catalogue is not known"
    for page in file.pages:
        for key in page.keys() - PAGE:
            yield f"6.1: the key {key} of a page is not known"


def colours(file):
    intents = [each for each in file.Root.get("/OutputIntents", []) if each.get("/S") == "/GTS_PDFA1"]
    if len(intents) != 1:
        yield "6.2.3: there is not one output intent of PDF/A"
        return
    profile = intents[0].get("/DestOutputProfile")
    if profile is None:
        yield "6.2.3: the output intent has no profile"
        return
    if "/OutputConditionIdentifier" not in intents[0]:
        yield "6.2.3: the output intent has no identifier"
    header = profile.read_bytes()
    if len(header) < 128 or header[36:40] != b"acsp" or header[8] not in (2, 4):
        yield "6.2.3: the profile is not one of version 2 or 4"
    elif header[12:16] not in (b"mntr", b"prtr") or header[16:20] != b"RGB " or int(profile.get("/N", 0)) != 3:
        yield "6.2.3: the profile is not one of a device of red, green and blue"


def pages(file):
    for page in file.pages:
        for operands, operator in pikepdf.parse_content_stream(page):
            name = str(operator)
            if name == "INLINE IMAGE":
                image = operands[0]
                if any(str(each) not in ("/FlateDecode", "/Fl", "/DCTDecode", "/DCT") for each in _filters(image)):
                    yield "6.1.10: an inline image has a filter that is not allowed"
            elif name not in OPERATORS.split():
                yield f"6.2.2: the operator {name} is not known"
            elif name in ("k", "K"):
                yield "6.2.4.3: a colour of four inks, and the output intent is one of red, green and blue"
            elif name in ("cs", "CS") and str(operands[0]) not in ("/DeviceRGB", "/DeviceGray"):
                yield f"6.2.4: the colour space {operands[0]} is not known"
            elif name == "ri" and str(operands[0]) not in (
                "/RelativeColorimetric", "/AbsoluteColorimetric", "/Perceptual", "/Saturation",
            ):  # fmt: skip
                yield f"6.2.6: the rendering intent {operands[0]} is not known"
    for each in file.objects:
        if isinstance(each, pikepdf.Stream) and each.get("/Subtype") == "/Image":
            yield from _image(each)


def _filters(image):
    filters = getattr(image, "filters", [])
    return [filters] if isinstance(filters, (str, pikepdf.Name)) else list(filters)


def _image(image):
    if "/Alternates" in image or "/OPI" in image:
        yield "6.2.8: a picture has alternatives"
    if image.get("/Interpolate", False):
        yield "6.2.8: a picture is interpolated"
    if str(image.get("/ColorSpace")) not in ("/DeviceRGB", "/DeviceGray"):
        yield "6.2.4.3: a picture's colours are not those of the output intent"
    if int(image.get("/BitsPerComponent", 0)) not in (1, 2, 4, 8, 16):
        yield "6.2.8: a picture has another number of bits"


def transparency(file):
    # It could be allowed; PDFs have none, so that they look alike wherever they are printed
    for each in dictionaries(file):
        if each.get("/SMask", pikepdf.Name.None_) != pikepdf.Name.None_ or "/SMaskInData" in each:
            yield "6.2.10: a picture is transparent"
        if str(each.get("/Type")) == "/ExtGState" or "/ca" in each or "/CA" in each:
            yield "6.2.10: something is drawn half transparent"
        if "/ExtGState" in each:
            yield "6.2.10: there are states in which something is drawn half transparent"
        if str(each.get("/S")) == "/Transparency":
            yield "6.2.10: a group is transparent"


def fonts(file):
    for page in file.pages:
        shown = Texts(page).codes
        for name, font in fonts_of(page).items():
            yield from font.violations(shown.get(name, set()))
        for name in shown.keys() - fonts_of(page).keys():
            yield f"6.2.2: a page writes with a font that it does not have: {name}"
