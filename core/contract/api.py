"""The base of every API class, and what its methods may be annotated with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple

from ..access.callers import ANONYMOUS, Caller, current_caller
from ..common.csv_rows import CsvRow, read_csv


class Api:
    """Base of an API class: gives its methods the calling user. `Crud` adds the standard operations.

    Deriving from it is not required; an API class is found by its name.

    :cvar records: the `Records` that the class serves, for those who ask the catalogue: who looks for the files of a
        record, say; None: it serves none
    :cvar bulk_create: whether a batch may write many new records with one statement: POST does nothing but
        `records.create(request_data)`, and no record needs another of the same batch in `prepare`, which writes nothing
    """

    records: ClassVar[Any] = None
    bulk_create: ClassVar[bool] = False

    @property
    def user(self) -> Caller:
        """The user on whose behalf the call is made."""
        return current_caller() or ANONYMOUS


@dataclass(frozen=True)
class Accepted:
    """Work that a job does, as an answer: 202 with the job's address, where its progress and its result are read.

    :param job: the identifier of the job, as `later` answers it
    """

    job: int


@dataclass(frozen=True)
class File:
    """A file as an answer, sent as it is.

    :param content: the bytes, or an open binary file
    :param name: the name a browser saves it under
    :param content_type: its media type
    """

    content: bytes | IO[bytes] | Path
    name: str
    content_type: str = "application/octet-stream"


@dataclass(frozen=True)
class OnlyWhere:
    """In ``Annotated``, for a key of a `TypedDict`: it is answered only where a point of the profile is on.

    :param point: the name of the point
    """

    point: str


@dataclass(frozen=True)
class Part:
    """A list of other records that a record holds, for the explorer: ``Annotated[dict, Order, Part("lines", Line)]``.

    :param key: where the record holds them
    :param model: their model; or the name of an attribute of the API class that holds it
    """

    key: str
    model: Any


@dataclass(frozen=True)
class ByProfile:
    """Which of two answers it is, by a point of the profile: ``Annotated[Success | int, ByProfile("the_point")]``.

    :param point: where it holds the first member of the union is answered, where not the second
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
    """A file that came in a multipart body.

    :param name: the name the client gave it; not to be trusted as a path
    :param content_type: the media type the client gave it
    :param content: its bytes
    """

    name: str
    content_type: str
    content: bytes

    def rows(self) -> list[CsvRow]:
        """The rows of a CSV file by the names of its first line, for `Records.create_many`.

        Empty cells are left out, and lines that have no others. A row has its `line`, as a spreadsheet counts.

        :raises BadRequest: it is no CSV file in UTF-8, is empty, or a row has more cells than the first one
        """
        return read_csv(self.content)
