"""The paths below ``/explorer``: the page with its script and style, the documents, and what the page lists."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import falcon
from jinja2 import Environment, FileSystemLoader

from core import Caller, NotFound
from core.common.settings import settings
from core.loading.file_status import file_statuses, outline, report
from core.storage.serializer import names_etag
from core.web.answers import JSON
from core.web.endpoint import authenticated

from .descriptions import Content, Description, Descriptions
from .index import index
from .openapi import document
from .swagger import swagger

_FOLDER = Path(__file__).parent

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

#: bytes from which an answer is worth compressing
WORTH_IT = 1000

_NEVER = re.compile(r"\s*q\s*=\s*0(\.0*)?\s*")


def _answer(request: falcon.Request, response: falcon.Response, content: Content, content_type: str) -> None:
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


class Page(Resource):
    """The page itself. It holds no data: its script fetches that, with the key."""

    def __init__(self) -> None:
        pages = Environment(loader=FileSystemLoader(_FOLDER / "templates"), autoescape=True)
        template = pages.get_template("page.html")
        # A reader may come to /explorer or /explorer/; paths are relative, so that any prefix will do
        self._pages = {
            (base, login): Content(template.render(base=base, login=login).encode())
            for base in ("", "explorer/")
            for login in (True, False)
        }

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Answer the page."""
        base = "" if req.path.endswith("/") else "explorer/"
        resp.set_header("X-Frame-Options", "DENY")
        _answer(req, resp, self._pages[base, settings().login], "text/html; charset=utf-8")


class Entrance(Resource):
    """The server's address itself leads to the page."""

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Send the browser to the page, under whatever prefix it came."""
        resp.status = 302
        # The address may end in the reference's index.php, with or without a slash
        last = req.path.rpartition("/")[2]
        resp.set_header("Location", f"{last}/explorer/" if last else "explorer/")


class Asset(Resource):
    """The script or the style: the files of a folder and its subfolders put together, so that a browser asks once.

    :param before: what stands in front of them all
    :param first: the file that comes first
    :param last: the file that comes last
    """

    def __init__(self, content_type: str, folder: str, *, before: str = "", first: str = "", last: str = "") -> None:
        files = sorted(
            (file for file in (_FOLDER / folder).rglob("*") if file.is_file()),
            key=lambda file: (file.name != first, file.name == last, file),
        )
        self._content = Content("\n".join([before, *(file.read_text() for file in files)]).encode())
        self._content_type = content_type

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Answer it."""
        _answer(req, resp, self._content, self._content_type)


#: finds or makes what is answered, from the description, for the caller and what the path says
Maker = Callable[[Description, Caller, dict[str, str]], Content]


class Made(Resource):
    """What is made of the description for the caller; it needs a key.

    :param make: finds or makes the content
    """

    def __init__(
        self, descriptions: Descriptions, make: Callable[[Description, Caller, dict[str, str]], Content]
    ) -> None:
        self._descriptions = descriptions
        self._make = make

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Answer it."""
        with authenticated(req, "protected") as caller:
            content = self._make(self._descriptions.current(), caller, {**path, "root": _root_of(req)})
        _answer(req, resp, content, JSON)


def _root_of(request: falcon.Request) -> str:
    """The path below which everything is served, as the caller wrote it; a proxy may have taken a part off."""
    path = request.root_path + request.path.lower()
    return path[: path.rindex("/explorer/")] or "/"


def _everything(made: Description, caller: Caller, path: dict[str, str]) -> Content:
    """The OpenAPI document."""
    return made.content("openapi", caller, partial(document, made.services))


def _one_service(made: Description, caller: Caller, path: dict[str, str]) -> Content:
    """The OpenAPI document of one service."""
    name = path["rest"].removesuffix(".json").lower()
    described = next((each for each in made.services if each.service.name == name), None)
    if described is None or not path["rest"].endswith(".json"):
        raise NotFound(f"there is no service {name!r:.80}")
    return made.content(
        ("service", name),
        caller,
        partial(document, (described,), root="../..", title=f"Comptoir: {name}", tag=described.tag),
    )


def _swagger(made: Description, caller: Caller, path: dict[str, str]) -> Content:
    """The same as Swagger 2.0, in which the root cannot be given as a relative address."""
    root = path["root"]
    return made.content(("swagger", root), caller, lambda held: swagger(document(made.services, held, root=root)))


def _modules(made: Description, caller: Caller, path: dict[str, str]) -> Content:
    """What became of every file: for administrators what `check --json` prints."""
    served = made.catalogue
    return made.content(
        "modules", caller, lambda held: report(file_statuses(served)) if caller.oversees else outline(served)
    )


def _index(made: Description, caller: Caller, path: dict[str, str]) -> Content:
    """What the page lists."""
    shared = made.content("index", caller, lambda held: index(made.catalogue, made.services, caller.oversees, held))
    return shared.with_keys({"caller": {"login": caller.login, "admin": caller.admin}})


def routes(descriptions: Descriptions) -> dict[str, Any]:
    """Every path of the explorer."""
    return {
        "/": Entrance(),
        "/explorer": Page(),
        "/explorer/explorer.js": Asset(
            "text/javascript; charset=utf-8", "script", before='"use strict";', last="start.js"
        ),
        "/explorer/explorer.css": Asset("text/css; charset=utf-8", "style", first="base.css"),
        "/explorer/openapi.json": Made(descriptions, _everything),
        "/explorer/openapi/*": Made(descriptions, _one_service),
        "/explorer/index.json": Made(descriptions, _index),
        "/explorer/swagger.json": Made(descriptions, _swagger),
        "/explorer/modules": Made(descriptions, _modules),
    }
