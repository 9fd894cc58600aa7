"""Reading the note of a parameter."""

from core.contract.annotations import read_annotation


def note(text):
    return read_annotation(f"Summary.\n\n    :param x: {text}\n    ").parameters["x"]
