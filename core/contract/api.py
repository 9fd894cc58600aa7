"""The base of every API class, and what its methods may be annotated with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple

from ..access.callers import ANONYMOUS, Caller, current_caller
from ..common.csv_rows import CsvRow, read_csv
from ..common.errors import shown
from ..common.readers import one_of
from ..common.settings import settings


class Api:
    """Base of an API class: gives its methods the calling user. `Crud` adds the standard operations.

    Deriving from it is not required; an API class is found by its name.

    :cvar records: the `Records` that the class serves; modules find them in the catalogue; None: it serves none
    :cvar path: the path of its operations, below another service, such as ``invoices/templates``; "": its own name
    :cvar group: the heading for the service in the explorer and in OpenAPI, such as "Sales"; "": it is under "Other"
    """

    records: ClassVar[Any] = None
    path: ClassVar[str] = ""
    group: ClassVar[str] = ""

    @property
    def user(self) -> Caller:
        """The user on whose behalf the call is made."""
        return current_caller() or ANONYMOUS


@dataclass(frozen=True)
class Accepted:
    """The result of a method whose work a job does: 202 with the job's address, which has its progress and its result.

    :param job: the ID that `later` has returned in this request; the server doesn't check whose job it is
    """

    job: int


#: the media types of files that a browser may show, each with their first bytes
SHOWN_TYPES = {
    "application/pdf": re.compile(rb"%PDF-"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}


@dataclass(frozen=True)
class File:
    """A file as the result of a method, sent unchanged.

    :param content: the bytes, an open binary file, or a path
    :param name: the name under which a browser saves it
    :param content_type: its media type
    :param inline: a browser shows it instead of saving it; only for PDF, PNG, JPEG, GIF and WebP. If its first bytes
        are those of another type, or can't be read twice, browsers save it
    :raises ValueError: `inline`, and it has another media type, such as SVG or HTML
    """

    content: bytes | IO[bytes] | Path
    name: str
    content_type: str = "application/octet-stream"
    inline: bool = False

    def __post_init__(self) -> None:
        if self.inline and self.content_type not in SHOWN_TYPES:
            raise ValueError(f"inline: {one_of(SHOWN_TYPES)} as content_type, got {shown(self.content_type)}")


#: a path on this server, or an HTTPS URL with its host. A browser reads a backslash as a slash, and skips controls
_REDIRECT = re.compile(r"/(?!/)[!-\[\]-~]*|https://([A-Za-z0-9.-]+(?::[0-9]+)?)(?:[/?#][!-\[\]-~]*)?")


@dataclass(frozen=True)
class Redirect:
    """A redirect as the result of a method: 303, so that clients read the URL with GET.

    :param url: a path of this server, such as ``/orders/1``, or an HTTPS URL whose host `COMPTOIR_REDIRECT_HOSTS` lists
    :raises ValueError: it is neither, or isn't ASCII
    """

    url: str

    def __post_init__(self) -> None:
        found = _REDIRECT.fullmatch(self.url)
        if found is None or (found[1] and found[1].lower() not in settings().redirect_hosts.split()):
            expected = "a path such as /orders/1, or an HTTPS URL whose host is in COMPTOIR_REDIRECT_HOSTS"
            raise ValueError(f"Redirect: expected {expected}, got {shown(self.url)}")


@dataclass(frozen=True)
class OnlyWhere:
    """In ``Annotated``, for a key of a `TypedDict` that is returned only if a point of the profile is on.

    :param point: the name of the point
    """

    point: str


@dataclass(frozen=True)
class Part:
    """A list of other records in a record, for the explorer: ``Annotated[dict, Order, Part("lines", Line)]``.

    :param key: the key of the list
    :param model: their model, or the name of an attribute of the API class that has it
    """

    key: str
    model: Any


class Partial:
    """In ``Annotated``, for a record that lacks some of its keys: ``Annotated[dict, Order, Partial]``."""


@dataclass(frozen=True)
class ByProfile:
    """The choice of one of two results by the profile: ``Annotated[Success | int, ByProfile("the_point")]``.

    :param point: if it is on, the result is the first member of the union, otherwise the second
    """

    point: str


class Transition(NamedTuple):
    """A transition from one state of a record to another, for the explorer: an API class lists them as ``transitions``.

    :param source: the state it leads from, as a person reads it: ``draft (0)``
    :param name: what makes it; the explorer links to the operation of this name, if there is one
    :param target: the state it leads to
    """

    source: str
    name: str
    target: str


@dataclass(frozen=True)
class Upload:
    """A file in a multipart body.

    :param name: its name, as sent by the client; not safe as a path
    :param content_type: its media type, as sent by the client
    :param content: its bytes
    """

    name: str
    content_type: str
    content: bytes

    def rows(self) -> list[CsvRow]:
        """Return the rows of a CSV file by the names in its first line, for `Records.create_many`.

        Empty cells and empty lines are left out. A row has its `line`, as in a spreadsheet.

        :raises BadRequest: it isn't a CSV file in UTF-8, is empty, or a row has more cells than the first one
        """
        return read_csv(self.content)


class Headers(Mapping[str, str]):
    """The headers of a request, by their names in any case."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = {name.lower(): value for name, value in values.items()}

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True)
class RawBody:
    """The whole body of a request as it was sent, of any media type, to check its signature.

    :param content: its bytes
    :param headers: the headers of the request, by their names in any case; without those that hold keys: `DOLAPIKEY`,
        `Authorization`, `Proxy-Authorization` and `Cookie`
    """

    content: bytes
    headers: Mapping[str, str]
