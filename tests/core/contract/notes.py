"""Reading the note of a parameter."""

from core.contract.annotations import ParameterNote, read_annotation


def note(text: str) -> ParameterNote:
    return read_annotation(f"Summary.\n\n    :param x: {text}\n    ").parameters["x"]
