"""The limits of the server, with their values from the code: `core/LIMITS.md` is generated from this list."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path

from core.common import errors, json_texts
from core.common.settings import Settings, variable_name
from core.contract import converters
from core.records import extra_field_definitions, lists
from core.serving import gunicorn
from core.serving.worker import connection, request
from core.storage import sqlfilters, values
from core.web import bodies
from modules.commercial import links, plain_lines
from modules.documents.files import filenames
from modules.documents.layout import images
from modules.documents.printing import logo
from modules.invoices import payments
from modules.numbering import mask_constants
from modules.numbering import parts as masks
from modules.setup import company
from modules.users import passwords

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Limit:
    """A limit.

    :ivar what: what is limited
    :ivar most: the highest value that the server accepts
    :ivar beyond: the status of a request beyond it, or what happens instead
    :ivar setting: the setting that changes it; empty: it is fixed
    """

    what: str
    most: int
    beyond: int | str
    setting: str = ""


def _setting(name, what, beyond):
    default = next(each.default for each in fields(Settings) if each.name == name)
    return Limit(what, default, beyond, variable_name(name))


def _in_docstring(path, pattern):
    """A limit that only a docstring declares."""
    match = re.search(pattern, (ROOT / path).read_text())
    assert match is not None
    return int(match[1])


#: heading → key → limit
LIMITS = {
    "Requests": {
        "body": _setting("max_body", "Bytes of a body", 413),
        "body without key": Limit(
            "Bytes of a body sent without a key, unless the operation declares `:body:`",
            bodies.MAX_BYTES_WITHOUT_KEY,
            413,
        ),
        "trailer": Limit("Bytes of the trailer of a chunked body", request.MAX_TRAILER_BYTES, 400),
        "request line": Limit("Bytes of the request line", gunicorn.LONGEST_LINE, 414),
        "headers": Limit("Headers of a request", gunicorn.MOST_HEADERS, 431),
        "header": Limit("Bytes of a header, including its line end", gunicorn.LONGEST_HEADER, 431),
        "head": Limit("Bytes of the request line and all headers", connection.MAX_HEAD_BYTES, 431),
        "bodies": Limit("Bytes of bodies that arrive at the same time, in each worker", connection.ROOM_BYTES, 503),
        "bodies of an address": Limit(
            "The same of one client address, unless it is in `COMPTOIR_PROXIES`", connection.ADDRESS_BYTES, 503
        ),
        "form values": Limit("Values of a form", bodies.MOST_FORM_VALUES, 400),
        "parts": Limit("Parts of a multipart body", bodies.MOST_PARTS, 400),
        "list parameter": Limit("Values of a list parameter", converters.LONGEST_LIST, 400),
        "batch": _setting("batch_entries", "Entries of a batch", 400),
        "names": Limit(
            "Unknown names that a message lists", errors.MAX_NAMES, "the message has the number of the others"
        ),
        "errors": Limit("Invalid fields that a response lists", errors.MOST_ERRORS, "the response omits the others"),
    },
    "JSON and CSV": {
        "json levels": Limit("Levels of nesting", json_texts.DEPTH, 400),
        "json values": Limit("Values in a body", json_texts.MOST_VALUES, 400),
        "csv values": Limit("Values in a CSV file; an empty line or cell counts as well", json_texts.MOST_VALUES, 400),
        "json number": Limit("Characters of a number", json_texts.LONGEST_NUMBER, 400),
        "json exponent": Limit("Exponent of a number, positive or negative", json_texts.LARGEST_EXPONENT, 400),
        "text": Limit("Characters of a text, if its field sets no other limit", values.LONGEST_TEXT, 400),
    },
    "Lists and filters": {
        "page": _setting("max_page", "Rows on a page", "the page has that many rows"),
        "sort fields": Limit("Fields to sort by", lists.MOST_SORT_FIELDS, 400),
        "filter": Limit("Characters of a filter", sqlfilters.MAX_LENGTH, 400),
        "criteria": Limit("Criteria of a filter", sqlfilters.MAX_CRITERIA, 400),
        "parentheses": Limit("Levels of parentheses in a filter", sqlfilters.MAX_DEPTH, 400),
        "in": Limit("Values of `in` and `notin`", sqlfilters.MAX_VALUES, 400),
        "pattern": Limit("Characters of a `like` pattern", sqlfilters.MAX_PATTERN, 400),
        "wildcards": Limit("`%` signs in a `like` pattern", sqlfilters.MAX_WILDCARDS, 400),
        "searched text": Limit(
            "Characters of a text that `like` searches", sqlfilters.LOOKED_INTO, "the rest of the text is not searched"
        ),
    },
    "Documents and payments": {
        "lines": Limit("Lines of a document", plain_lines.MAX_LINES, 400),
        "line texts": Limit("Characters of the texts of all lines of a document", plain_lines.MAX_TEXT_CHARS, 400),
        "page lines": Limit("Lines of all documents on a page of a list", plain_lines.MAX_PAGE_LINES, 400),
        "links": Limit("Documents to which a new document is linked", links.MAX_LINKS, 400),
        "payment": Limit("Invoices that one payment covers", payments.MOST_INVOICES, 400),
    },
    "Setup": {
        "extra fields": Limit("Extra fields of one type of record", extra_field_definitions.MOST_FIELDS, 400),
        "options": Limit("Options of an extra field", extra_field_definitions.MOST_OPTIONS, 400),
        "option bytes": Limit(
            "Bytes of the options of an extra field, as JSON", extra_field_definitions.LONGEST_PARAM, 400
        ),
        "constant": Limit(
            "Characters of a constant's value",
            _in_docstring("modules/setup/class/api_setup.py", r"new value \{@max (\d+)\}"),
            400,
        ),
        "company": Limit("Characters of a field of the company", company.LONGEST, 400),
        "mask": Limit("Characters of a numbering mask", masks.LONGEST_MASK, 400),
        "mask reference": Limit(
            "Characters of the references that a mask creates", mask_constants.MAX_REFERENCE_CHARS, 400
        ),
        "password": Limit("Characters of a password", passwords.LONGEST, 400),
    },
    "Files": {
        "file name": Limit("Bytes of a file name", filenames.LONGEST, 400),
        "logo": Limit("Bytes of a logo", logo.LARGEST, 400),
        "pixels": Limit("Pixels of a logo", images.TOO_MANY, 400),
    },
}

#: all of them, by key
BY_KEY = {key: limit for group in LIMITS.values() for key, limit in group.items()}
