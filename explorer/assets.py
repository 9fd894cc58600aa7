"""Responses under ``/explorer``, and the files of the page: its script, its style, its logo."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path

import falcon

from core.storage.serializer import names_etag

from .descriptions import Content

FOLDER = Path(__file__).parent

#: nothing from other hosts, nothing inline, no framing; a PDF in a response is shown in a frame
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        "frame-src blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

#: comments on lines of their own, a third of the compressed size; empty lines; indents, because no string of the script
#: has several lines
_LEFT_OUT = re.compile(r"^[ \t]*(?://.*|/\*(?s:.*?)\*/[ \t]*)?\n|^[ \t]+", re.MULTILINE)

#: minimum size in bytes of a compressed response
WORTH_IT = 1000

_NEVER = re.compile(r"\s*q\s*=\s*0(\.0*)?\s*")


def answer(request: falcon.Request, response: falcon.Response, content: Content, content_type: str) -> None:
    """Write a content, compressed if the client accepts it; 304 if the client already has it."""
    response.set_header("ETag", content.tag)
    response.set_header("Content-Security-Policy", POLICY)
    response.set_header("Referrer-Policy", "no-referrer")
    response.append_header("Vary", "Accept-Encoding")
    known = request.get_header("If-None-Match")
    if known and names_etag(known, content.tag.removeprefix("W/")):
        response.status = 304
        return
    response.content_type = content_type
    if len(content.plain) >= WORTH_IT and _takes_gzip(request.get_header("Accept-Encoding") or ""):
        response.set_header("Content-Encoding", "gzip")
        response.data = content.compressed
    else:
        response.data = content.plain


def _takes_gzip(header: str) -> bool:
    """Return whether an `Accept-Encoding` accepts gzip; ``gzip;q=0`` rejects it."""
    parts = (each.partition(";") for each in header.lower().split(","))
    return any(name.strip() == "gzip" and not _NEVER.fullmatch(weight) for name, _, weight in parts)


class Resource(ABC):
    """The base of all resources: HEAD works as GET."""

    @abstractmethod
    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Respond to GET."""

    def on_head(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Respond as to GET; the server drops the body."""
        self.on_get(req, resp, **path)


class Asset(Resource):
    """A file of the page."""

    def __init__(self, content_type: str, content: bytes) -> None:
        self._content = Content(content)
        self._content_type = content_type

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Respond with the file."""
        answer(req, resp, self._content, self._content_type)


def joined(folder: str, *, before: str = "", first: str = "", last: str = "") -> bytes:
    """Return the script or the style: all files of a folder and its subfolders, without comments and indents.

    :param before: text before the first file
    :param first: name of the first file
    :param last: name of the last file
    """
    files = sorted(
        (file for file in (FOLDER / folder).rglob("*") if file.is_file()),
        key=lambda file: (file.name != first, file.name == last, file),
    )
    text = "\n".join([before, *(file.read_text(encoding="utf-8") for file in files)])
    return _LEFT_OUT.sub("", text).encode()
