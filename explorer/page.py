"""The routes under ``/explorer``: the page, the documents, the index, and the guide."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import falcon

from core import BadRequest, Caller, NotFound, shown
from core.common.client_addresses import proxies_of
from core.common.settings import settings
from core.loading.file_status import file_statuses, module_rows, outline, report
from core.web.answers import JSON
from core.web.authentication import authenticated

from .assets import FOLDER, Asset, Resource, answer, joined
from .descriptions import Content, Description, Descriptions
from .guide_pages import guide_content, guide_pages, module_pages
from .index import index
from .openapi import document, with_closed_bodies
from .operations import DescribedService
from .swagger import swagger

_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?", re.ASCII)
#: the path prefix that a proxy has removed; ignored if the proxy isn't trusted
_PREFIX = re.compile(r"(/[\w.~-]+)*", re.ASCII)
#: the value of ``names`` for the IDs of operations that the page and its links have
_PATHS = "paths"


def root_of(request: falcon.Request) -> str:
    """Return the root path of the server, as the caller sent it; empty: the host's root."""
    path = request.root_path + request.path.lower()
    path = path[: path.rindex("/explorer/")]
    prefix = (request.get_header("X-Forwarded-Prefix") or "").rstrip("/")
    trusted = (request.env.get("REMOTE_ADDR") or "") in proxies_of(settings().proxies)
    return prefix + path if trusted and _PREFIX.fullmatch(prefix) else path


def host_of(request: falcon.Request) -> str:
    """Return the host with its port, as the caller sent it; empty if it isn't valid."""
    host = request.get_header("Host") or request.netloc
    return host if _HOST.fullmatch(host) else ""


class Page(Resource):
    """The page itself. It holds no data: its script fetches that, with the key."""

    @cached_property
    def _pages(self) -> dict[tuple[str, bool], Content]:
        from jinja2 import Environment, FileSystemLoader

        pages = Environment(loader=FileSystemLoader(FOLDER / "templates"), autoescape=True)
        template = pages.get_template("page.html")
        # Paths are relative, so the page works at /explorer, at /explorer/ and under any prefix
        return {
            (base, login): Content(template.render(base=base, login=login).encode())
            for base in ("", "explorer/")
            for login in (True, False)
        }

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Respond with the page."""
        base = "" if req.path.endswith("/") else "explorer/"
        resp.set_header("X-Frame-Options", "DENY")
        answer(req, resp, self._pages[base, settings().login], "text/html; charset=utf-8")


class Entrance(Resource):
    """The server's address itself leads to the page."""

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Redirect to the page, under any prefix."""
        resp.status = 302
        # The address may end in the reference's index.php, with or without a slash
        last = req.path.rpartition("/")[2]
        resp.set_header("Location", f"{last}/explorer/" if last else "explorer/")


@dataclass(frozen=True)
class Asked:
    """The data of a request, without its caller.

    :param rest: the part of the path that a star matches
    :param root: the path of the server, without a trailing slash
    :param host: the host of the request; empty if it isn't valid
    """

    rest: str
    root: str
    host: str
    scheme: str
    #: whether the IDs of operations are made of methods and paths
    has_path_ids: bool = False

    @property
    def servers(self) -> dict[str, Any]:
        """Return the address of the server in OpenAPI."""
        return {"servers": [{"url": f"{self.scheme}://{self.host}{self.root}" if self.host else self.root or "/"}]}

    @property
    def swagger_address(self) -> dict[str, Any]:
        """Return the address of the server in Swagger 2.0."""
        return {
            **({"schemes": [self.scheme], "host": self.host} if self.host else {}),
            "basePath": self.root or "/",
        }


#: finds or makes a response from the description, the caller and the request
Maker = Callable[[Description, Caller, Asked], Content]


class Made(Resource):
    """A document made from the description for a caller with a key.

    :param make: finds or makes the content
    :param published: whether callers without a key may read it if `COMPTOIR_DOCS=public`
    """

    def __init__(self, descriptions: Descriptions, make: Maker, *, published: bool = False) -> None:
        self._descriptions = descriptions
        self._make = make
        self._published = published

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Respond with the document."""
        names = req.get_param("names", default="")
        asked = Asked(path.get("rest", ""), root_of(req), host_of(req), req.scheme, names == _PATHS)
        opened = self._published and settings().docs == "public"
        with authenticated(req, "hybrid" if opened else "protected") as caller:
            if names not in ("", _PATHS):
                raise BadRequest(errors=[("names", f"expected {_PATHS}, got {shown(names)}")])
            content = self._make(self._descriptions.current(), caller, asked)
        answer(req, resp, content, JSON)


def _everything(made: Description, caller: Caller, path: Asked) -> Content:
    """The OpenAPI document."""
    services = _services(made, path)
    purpose = "openapi", path.has_path_ids
    return made.content(purpose, caller, lambda held: with_closed_bodies(document(services, held)), path.servers)


def _services(made: Description, path: Asked) -> tuple[DescribedService, ...]:
    """Return the services with the operation IDs that the request selects."""
    return made.services if path.has_path_ids else made.named_services


def _one_service(made: Description, caller: Caller, path: Asked) -> Content:
    """The OpenAPI document of one service."""
    name = path.rest.removesuffix(".json").lower()
    described = next((each for each in _services(made, path) if each.service.name == name), None)
    if described is None or not path.rest.endswith(".json"):
        raise NotFound(f"there is no service {name!r:.80}")
    make = partial(document, (described,), title=f"Comptoir: {name}", tag=described.tag)
    return made.content(("service", name, path.has_path_ids), caller, make, path.servers)


def _swagger(made: Description, caller: Caller, path: Asked) -> Content:
    """Return the document in Swagger 2.0."""
    services = _services(made, path)
    purpose = "swagger", path.has_path_ids
    return made.content(
        purpose, caller, lambda held: swagger(document(services, held, events=False)), path.swagger_address
    )


def _modules(made: Description, caller: Caller, path: Asked) -> Content:
    """Return all modules, and the state of every file: as `check --json` for administrators, an outline for others."""
    served = made.catalogue

    def told(held: Any) -> dict[str, Any]:
        files = report(file_statuses(served)) if caller.oversees else outline(served)
        return {"modules": module_rows(served, served.modules.values()), **files}

    return made.content("modules", caller, told)


def _index(made: Description, caller: Caller, path: Asked) -> Content:
    """Return the index of the page."""
    shared = made.content("index", caller, lambda held: index(made.catalogue, made.services, caller.oversees, held))
    return shared.led_by({"caller": {"login": caller.login, "admin": caller.admin}})


class Guide(Resource):
    """A page of the guide as Markdown: the explorer's own needs no key, that of a module does."""

    def __init__(self, descriptions: Descriptions) -> None:
        self._descriptions = descriptions

    def on_get(self, req: falcon.Request, resp: falcon.Response, **path: str) -> None:
        """Respond with a guide page."""
        name = path["rest"].lower()
        content = guide_content(name, settings(), guide_pages())
        if content is None:
            with authenticated(req, "protected"):
                served = self._descriptions.current().catalogue
                content = guide_content(name, settings(), module_pages(served), served.settings.values())
        if content is None:
            raise NotFound(f"the guide has no page {name!r:.80}")
        answer(req, resp, content, "text/markdown; charset=utf-8")


def routes(descriptions: Descriptions) -> dict[str, Any]:
    """Every path of the explorer."""
    head, script = FOLDER / "head", "text/javascript; charset=utf-8"
    return {
        "/": Entrance(),
        "/explorer": Page(),
        "/explorer/mark.svg": Asset("image/svg+xml", (head / "mark.svg").read_bytes()),
        "/explorer/theme.js": Asset(script, (head / "theme.js").read_bytes()),
        "/explorer/explorer.js": Asset(script, joined("script", before='"use strict";', last="start.js")),
        "/explorer/explorer.css": Asset("text/css; charset=utf-8", joined("style", first="base.css")),
        "/explorer/openapi.json": Made(descriptions, _everything, published=True),
        "/explorer/openapi/*": Made(descriptions, _one_service, published=True),
        "/explorer/index.json": Made(descriptions, _index),
        "/explorer/swagger.json": Made(descriptions, _swagger, published=True),
        "/explorer/modules": Made(descriptions, _modules),
        "/explorer/guide/*": Guide(descriptions),
    }
