"""The parts of a PDF that reportlab doesn't write: metadata (Info and XMP), colour profile, embedded file.

Files follow the rules of PDF/A-3B (ISO 19005-3), the format for long-term archiving.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from ..content.printed_document import Enclosed
from .scripts import UNKNOWN, cleaned

if TYPE_CHECKING:
    # It is imported by the first PDF: many processes print none
    from pikepdf import Pdf

MAKER = "Comptoir"
#: maximum characters of a title; a PDF string has at most 32,767 bytes
MAX_TITLE_CHARS = 2000
_PACKET = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
<dc:language><rdf:Bag><rdf:li>{language}</rdf:li></rdf:Bag></dc:language>
<pdf:Producer>{maker}</pdf:Producer><xmp:CreatorTool>{maker}</xmp:CreatorTool>
<xmp:CreateDate>{moment}</xmp:CreateDate><xmp:ModifyDate>{moment}</xmp:ModifyDate>
</rdf:Description>
{more}</rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""
_CLAIM = """<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
<pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>
</rdf:Description>
"""


@dataclass
class Metadata:
    """Title, author, subject, language and creation time of a file.

    :param language: language tag such as ``fr-FR``
    :param moment: creation time
    """

    title: str
    author: str
    subject: str
    language: str
    moment: datetime

    @classmethod
    def of(cls, title: str, author: str, subject: str, language: str) -> Metadata:
        """Return the metadata of a file created now; each text is reduced to one line."""
        title, author, subject = (
            " ".join(cleaned(text).replace(UNKNOWN, "").split())[:MAX_TITLE_CHARS] for text in (title, author, subject)
        )
        return cls(title, author, subject, language.replace("_", "-"), datetime.now(UTC).replace(microsecond=0))


def finished(pdf: Pdf, metadata: Metadata, enclosed: Enclosed | None = None, *, archive: bool = True) -> bytes:
    """Return a PDF with its metadata and an embedded file.

    :param archive: whether the file claims to be PDF/A-3B; it then gets a colour profile
    """
    from pikepdf import Dictionary, Name, ObjectStreamMode, Stream

    more = enclosed.metadata if enclosed else ""
    if archive:
        more = _CLAIM + more
        profile = Stream(pdf, _profile(), N=3)
        pdf.Root.OutputIntents = [{
            "/Type": Name.OutputIntent, "/S": Name.GTS_PDFA1, "/OutputConditionIdentifier": "sRGB",
            "/Info": "sRGB IEC61966-2.1", "/DestOutputProfile": profile,
        }]  # fmt: skip
    packet = _PACKET.format(
        title=escape(metadata.title), author=escape(metadata.author), subject=escape(metadata.subject), maker=MAKER,
        language=metadata.language, moment=f"{metadata.moment:%Y-%m-%dT%H:%M:%SZ}", more=more,
    )  # fmt: skip
    pdf.Root.Metadata = Stream(pdf, packet.encode(), Type=Name.Metadata, Subtype=Name.XML)
    moment = f"D:{metadata.moment:%Y%m%d%H%M%S}Z"
    texts = {"/Title": metadata.title, "/Author": metadata.author, "/Subject": metadata.subject}
    info = {name: text for name, text in texts.items() if text}
    info |= {"/Creator": MAKER, "/Producer": MAKER, "/CreationDate": moment, "/ModDate": moment}
    pdf.trailer.Info = pdf.make_indirect(Dictionary(info))
    if enclosed:
        _enclose(pdf, enclosed, moment)
    output = BytesIO()
    pdf.save(output, object_stream_mode=ObjectStreamMode.generate, force_version="1.7")
    return output.getvalue()


def _enclose(pdf: Pdf, enclosed: Enclosed, moment: str) -> None:
    from pikepdf import AttachedFileSpec, Name

    spec = AttachedFileSpec(
        pdf, enclosed.content, description=enclosed.description, filename=enclosed.name,
        mime_type=enclosed.media_type, relationship=Name(f"/{enclosed.relation}"), mod_date=moment,
    )  # fmt: skip
    # It also adds /AF to the catalogue
    pdf.attachments[enclosed.name] = spec


@cache
def _profile() -> bytes:
    from PIL import ImageCms

    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
