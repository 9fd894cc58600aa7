"""What a docstring says of a route: its templates, its parameters' limits, the right it needs, its answer.

The docstring is split into lines (`annotation_lines.py`), each field is read (`annotation_fields.py`), and what they
say is put together here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .annotation_fields import (
    FIELDS,
    SINGLE,
    AfterNote,
    AnnotationError,
    ParameterNote,
    in_python,
    read_field,
    travelling,
)
from .annotation_lines import split_docstring

__all__ = [
    "AfterNote", "Annotation", "AnnotationError", "ParameterNote", "in_python", "read_annotation", "readable",
    "travelling",
]  # fmt: skip


@dataclass(frozen=True)
class Annotation:
    """What a docstring says of a class or a method.

    ``urls`` are verb and template without outer slashes, ``raises`` a status or an error's name and a text,
    ``headers`` a name and a value, ``body`` bytes of a body at most, ``expires`` seconds, ``strict`` whether what is
    sent and not known is refused, ``idempotency`` a word of `IDEMPOTENCIES`, ``after`` the records for which the
    explorer offers the method next.
    """

    summary: str = ""
    description: str = ""
    urls: tuple[tuple[str, str], ...] = ()
    parameters: Mapping[str, ParameterNote] = field(default_factory=dict)
    returns: str = ""
    raises: tuple[tuple[str, str], ...] = ()
    permission: str | None = None
    rights: tuple[str, ...] = ()
    access: str | None = None
    status: int | None = None
    body: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    cache: str | None = None
    expires: int | None = None
    deprecated: str | None = None
    strict: bool = False
    idempotency: str | None = None
    after: tuple[AfterNote, ...] = ()


def readable(text: str) -> str:
    """A text that can be answered: lone surrogates, as names of files and messages may hold, become question marks."""
    return text.encode(errors="replace").decode()


def read_annotation(docstring: str | None) -> Annotation:
    """Everything the docstring says; raises AnnotationError where it cannot be read."""
    lines, prose = split_docstring(readable(docstring or ""))
    summary, _, description = prose.partition("\n\n")
    values: dict[str, list[Any]] = {attribute: [] for attribute, _ in FIELDS.values()}
    types = {line.arguments[-1]: line.text for line in lines if line.word == "type"}
    for line in lines:
        if line.word == "type":
            continue
        typed = types.get(line.arguments[-1], "") if line.word == "param" else ""
        try:
            attribute, value = read_field(line.word, tuple(line.arguments), line.text, typed)
            if values[attribute] and attribute in SINGLE:
                raise AnnotationError(f"expected one :{line.word}:, got two")
            if attribute == "parameters" and any(value.name == note.name for note in values[attribute]):
                raise AnnotationError(f"expected one :param {value.name}:, got two")
        except AnnotationError as error:
            raise AnnotationError(f"{line.source!r}: {error}") from error
        values[attribute].append(value)
    single = {attribute: values[attribute][0] for attribute in SINGLE if values[attribute]}
    return Annotation(
        summary=" ".join(summary.split()),
        description=description,
        urls=tuple(values["urls"]),
        parameters={note.name: note for note in values["parameters"]},
        returns=" ".join(values["returns"]),
        raises=tuple(values["raises"]),
        headers=tuple(values["headers"]),
        after=tuple(values["after"]),
        **single,
    )
