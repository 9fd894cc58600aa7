"""Operations whose docstrings do not say who may call them: neither `:permission:` nor `:access:`."""

from __future__ import annotations

from collections.abc import Iterator

from ..contract.catalogue import WRITING, Operation, Service
from .failures import line_of_text, text_of


def unguarded(service: Service) -> Iterator[str]:
    """Yield a line for each operation that writes: only administrators may call it, and what its author adds."""
    for each in _silent(service):
        if each.verb in WRITING:
            line = line_of_text(rf"[ \t]+def {each.name}\b", text_of(service.file))
            right = "delete" if each.verb == "DELETE" else "write"
            place = f"{service.file}:{line}" if line else str(service.file)
            yield (
                f"{place}: only administrators can call {each.verb} {each.template}; add `:permission: {right}` to the "
                f"docstring of {each.name}, or `:access: protected` to allow any key"
            )


def open_to_any_key(service: Service) -> Iterator[str]:
    """Yield a line for each operation that reads."""
    for each in _silent(service):
        if each.verb not in WRITING:
            yield f"any key can call {each.verb} {each.template}"


def _silent(service: Service) -> Iterator[Operation]:
    return (each for each in service.operations if each.is_silent and each.origin == service.name)
