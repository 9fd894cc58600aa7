"""Response types for files of records."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypedDict


class ListedFile(TypedDict):
    """A file of a record."""

    name: Annotated[str, "name of the file"]
    path: Annotated[str, "its folder, below the root of the store, such as propale/PR2611-0001"]
    level1name: Annotated[str, "the folder of the record"]
    relativename: Annotated[str, "name of the file"]
    fullname: Annotated[str, "path and name"]
    date: Annotated[datetime, "when it was stored last, in Unix seconds"]
    size: Annotated[int, "bytes"]
    type: Annotated[Literal["file"], "always file"]


#: functional syntax, because the key `content-type` is not an identifier
_Content = TypedDict(
    "_Content",
    {
        "filename": Annotated[str, "name of the file"],
        "content-type": Annotated[str, "its media type"],
        "filesize": Annotated[int, "bytes of the file, before base64"],
        "content": Annotated[str, "what it holds, in base64"],
        "encoding": Annotated[Literal["base64"], "always base64"],
    },
)


class FetchedFile(_Content):
    """A file with what it holds."""


class BuiltFile(_Content):
    """A generated PDF with its content, and the template that was used."""

    langcode: Annotated[str, "language it is in, such as fr_FR"]
    template: Annotated[str, "template it was made with, such as azur"]


class RequestedFile(_Content):
    """A generated PDF with its content, and the template that was requested."""

    langcode: Annotated[str, "language it is in, such as fr_FR"]
    template: Annotated[str | None, "the requested template, or that of the record; empty: the default one"]


class Deletion(TypedDict):
    """That a file has been deleted."""

    code: Annotated[Literal[200], "200"]
    message: Annotated[str, "that it is done, in words"]


class Deleted(TypedDict):
    """The answer to a deletion."""

    success: Deletion
