"""What adding lines answers: the identifier of one; of a list, as the profile says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from core import ByProfile, settings

from .line_editor import LineEditor

#: the identifier of a line; of a list of lines the identifiers, or how many they are
Added = int | Annotated[list[int] | int, ByProfile("added_lines_by_id")]


def add_lines(editor: LineEditor, identifier: int, body: Mapping[str, Any] | list[Any]) -> int | list[int]:
    """Add the line or the lines of a body; answers what `Added` says.

    :param identifier: the document
    """
    if not isinstance(body, list):
        return editor.add(identifier, [body])[0]
    added = editor.add(identifier, body)
    return added if settings().profile.added_lines_by_id else len(added)
