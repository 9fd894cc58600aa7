"""The paths below ``/explorer``: the page, its script and style, the OpenAPI document, and what the page shows."""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import falcon
from jinja2 import Environment, FileSystemLoader

from core.answers import JSON
from core.catalogue import Catalogue, catalogue
from core.database import database
from core.endpoint import calling
from core.generations import generation
from core.plain import dump
from core.settings import Settings, settings

from .openapi import Description, describe, document
from .overview import overview

_FOLDER = Path(__file__).parent

#: nothing from elsewhere, nothing inline, no frame around it
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


def etag_of(content: bytes) -> str:
    """The validator of a content."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def _answer(request: falcon.Request, response: falcon.Response, content: bytes, etag: str, content_type: str) -> None:
    """Write a content, or 304 when the caller has it already."""
    response.set_header("ETag", etag)
    response.set_header("Content-Security-Policy", POLICY)
    response.set_header("Referrer-Policy", "no-referrer")
    known = (request.get_header("If-None-Match") or "").split(",")
    if any(each.strip().removeprefix("W/") in (etag, "*") for each in known):
        response.status = 304
        return
    response.content_type = content_type
    response.data = content


#: seconds for which one look at the disk serves every request for the document: programs fetch it often
LATELY = 0.25


class Resource(ABC):
    """What every resource here does: HEAD as GET."""

    @abstractmethod
    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer."""

    def on_head(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer as GET; the server drops the body."""
        self.on_get(req, resp)


class Page(Resource):
    """The page itself. It holds no data: its script fetches that, with the key."""

    def __init__(self) -> None:
        pages = Environment(loader=FileSystemLoader(_FOLDER / "templates"), autoescape=True)
        template = pages.get_template("page.html")
        # A reader may come to /explorer or /explorer/; paths are relative, so that any prefix will do
        self._pages = {base: template.render(base=base).encode() for base in ("", "explorer/")}

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer the page."""
        page = self._pages["" if req.path.endswith("/") else "explorer/"]
        resp.set_header("X-Frame-Options", "DENY")
        _answer(req, resp, page, etag_of(page), "text/html; charset=utf-8")


class Entrance(Resource):
    """The server's address itself leads to the page."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Send the browser to the page, under whatever prefix it came."""
        resp.status = 302
        resp.set_header("Location", "explorer/")


class Static(Resource):
    """A file of ``static``."""

    def __init__(self, name: str, content_type: str) -> None:
        self._content = (_FOLDER / "static" / name).read_bytes()
        self._etag = etag_of(self._content)
        self._content_type = content_type

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer the file."""
        _answer(req, resp, self._content, self._etag, self._content_type)


@dataclass(frozen=True)
class _Made:
    """A description with the document made of it, and what both were made from."""

    catalogue: Catalogue
    settings: Settings
    database: object
    generation: int
    description: Description
    document: bytes
    etag: str


class Descriptions:
    """The description of what is served, made anew only when modules, settings or extra fields have changed."""

    def __init__(self, look_again: Callable[[], bool]) -> None:
        self._look_again = look_again
        self._looked = 0.0
        self._made: _Made | None = None

    def current(self, lately: float = 0.0) -> _Made:
        """The description of what lies in the module folders now.

        :param lately: seconds for which an earlier look at the disk is good enough
        """
        if time.monotonic() - self._looked >= lately:
            self._look_again()
            self._looked = time.monotonic()
        served, configured, opened, number = catalogue(), settings(), database.obj, generation()
        made = self._made
        if (
            made is None
            or made.catalogue is not served
            or made.settings is not configured
            or made.database is not opened
            or made.generation != number
        ):
            description = describe(served)
            content = dump(document(description))
            made = _Made(served, configured, opened, number, description, content, etag_of(content))
            self._made = made
        return made


class Document(Resource):
    """The OpenAPI document."""

    def __init__(self, descriptions: Descriptions) -> None:
        self._descriptions = descriptions

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer the document; it needs a key, and is the same for every caller."""
        with calling(req, "protected"):
            made = self._descriptions.current(LATELY)
        resp.set_header("Vary", "DOLAPIKEY, Authorization")
        resp.set_header("Cache-Control", "private, no-cache")
        _answer(req, resp, made.document, made.etag, JSON)


class Overview(Resource):
    """What the page shows."""

    def __init__(self, descriptions: Descriptions) -> None:
        self._descriptions = descriptions

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer what the caller may see and do."""
        with calling(req, "protected") as caller:
            content = dump(overview(self._descriptions.current().description, caller))
        resp.set_header("Cache-Control", "no-store")
        resp.content_type = JSON
        resp.data = content


def routes(look_again: Callable[[], bool]) -> dict[str, Resource]:
    """Every path of the explorer."""
    descriptions = Descriptions(look_again)
    return {
        "/": Entrance(),
        "/explorer": Page(),
        "/explorer/explorer.js": Static("explorer.js", "text/javascript; charset=utf-8"),
        "/explorer/explorer.css": Static("explorer.css", "text/css; charset=utf-8"),
        "/explorer/openapi.json": Document(descriptions),
        "/explorer/catalogue.json": Overview(descriptions),
    }
