"""How what lies below ``/explorer`` is sent, and the files of the page: its script, its style, its mark."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path

import falcon

from core.storage.serializer import names_etag

from .descriptions import Content

FOLDER = Path(__file__).parent

#: nothing from elsewhere, nothing inline, no frame around it; a PDF of an answer is shown in a frame
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

#: a comment that has lines of its own: a third of what would be sent, compressed
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?s:.*?)\*/[ \t]*)\n", re.MULTILINE)

#: bytes from which an answer is worth compressing
WORTH_IT = 1000

_NEVER = re.compile(r"\s*q\s*=\s*0(\.0*)?\s*")


def answer(request: falcon.Request, response: falcon.Response, content: Content, content_type: str) -> None:
    """Write a content, compressed where that is accepted, or 304 when the caller has it already."""
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
    """Whether an `Accept-Encoding` takes gzip; ``gzip;q=0`` refuses it."""
    parts = (each.partition(";") for each in header.lower().split(","))
    return any(name.strip() == "gzip" and not _NEVER.fullmatch(weight) for name, _, weight in parts)


class Resource(ABC):
    """What every resource here does: HEAD as GET."""

    @abstractmethod
    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Answer."""

    def on_head(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Answer as GET; the server drops the body."""
        self.on_get(req, resp, **path)


class Asset(Resource):
    """A file of the page."""

    def __init__(self, content_type: str, content: bytes) -> None:
        self._content = Content(content)
        self._content_type = content_type

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Answer it."""
        answer(req, resp, self._content, self._content_type)


def joined(folder: str, *, before: str = "", first: str = "", last: str = "") -> bytes:
    """The script or the style: the files of a folder and its subfolders put together, so that a browser asks once, and
    without the comments between their lines.

    :param before: what stands in front of them all
    :param first: the file that comes first
    :param last: the file that comes last
    """
    files = sorted(
        (file for file in (FOLDER / folder).rglob("*") if file.is_file()),
        key=lambda file: (file.name != first, file.name == last, file),
    )
    text = "\n".join([before, *(file.read_text() for file in files)])
    return _COMMENT.sub("", text).encode()
