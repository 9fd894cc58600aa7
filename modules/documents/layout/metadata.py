"""The metadata of a PDF file: title and author in both formats (Info and XMP), colour profile, PDF/A claim.

Files claim to be PDF/A-3B, the format for long-term archiving. The tests check the rules of ISO 19005-3.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from xml.sax.saxutils import escape

from PIL import ImageCms

from ..papers.paper import Enclosed
from .file import LONGEST, PdfFile, spelled
from .scripts import UNKNOWN, cleaned

MAKER = "Comptoir"
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
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
<pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>
</rdf:Description>
{more}</rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""


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
            " ".join(cleaned(text).replace(UNKNOWN, "").split())[:LONGEST] for text in (title, author, subject)
        )
        return cls(title, author, subject, language.replace("_", "-"), datetime.now(UTC).replace(microsecond=0))

    def enter_info(self, file: PdfFile) -> int:
        """Add the Info dictionary to a file and return its object number."""
        texts = (("Title", self.title), ("Author", self.author), ("Subject", self.subject))
        moment = f"(D:{self.moment:%Y%m%d%H%M%S}Z)"
        return file.add(
            f"<<{''.join(f'/{name}{spelled(text)}' for name, text in texts if text)}/Creator({MAKER})/Producer({MAKER})"
            f"/CreationDate{moment}/ModDate{moment}>>"
        )

    def enter_packet(self, file: PdfFile, more: str) -> int:
        """Add the XMP packet to a file and return its object number.

        :param more: XMP about the embedded file
        """
        packet = _PACKET.format(
            title=escape(self.title), author=escape(self.author), subject=escape(self.subject), maker=MAKER,
            language=self.language, moment=f"{self.moment:%Y-%m-%dT%H:%M:%SZ}", more=more,
        )  # fmt: skip
        return file.stream(packet.encode(), "/Type/Metadata/Subtype/XML")


def enter_intent(file: PdfFile) -> str:
    """Add the colour profile sRGB to a file and return the entry of its catalogue."""
    profile = file.stream(_profile(), "/N 3/Filter/FlateDecode")
    return (
        "/OutputIntents[<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/Info(sRGB IEC61966-2.1)"
        f"/DestOutputProfile {profile} 0 R>>]"
    )


@cache
def _profile() -> bytes:
    return zlib.compress(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(), 9)


def enter_enclosed(file: PdfFile, enclosed: Enclosed, moment: datetime) -> str:
    """Embed another file in a file and return the entries of its catalogue."""
    when = f"(D:{moment:%Y%m%d%H%M%S}Z)"
    kind = enclosed.media_type.replace("/", "#2F")
    data = file.packed(
        enclosed.content, f"/Type/EmbeddedFile/Subtype/{kind}/Params<</Size {len(enclosed.content)}/ModDate{when}>>"
    )
    name = spelled(enclosed.name)
    number = file.add(
        f"<</Type/Filespec/F{name}/UF{name}/Desc{spelled(enclosed.description)}/AFRelationship/{enclosed.relation}"
        f"/EF<</F {data} 0 R/UF {data} 0 R>>>>"
    )
    return f"/AF[{number} 0 R]/Names<</EmbeddedFiles<</Names[{name} {number} 0 R]>>>>"
