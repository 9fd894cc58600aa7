"""Writes of the server's own tables, which aren't changes of a record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..common.request_state import current_state
from .database import database


@contextmanager
def untracked_writes() -> Iterator[None]:
    """Don't count writes meanwhile: records that were read stay valid, and a retry stays possible."""
    state, own = current_state(), database.obj.own
    writes, irreversible = state.writes if state is not None else 0, own.irreversible
    try:
        yield
    finally:
        own.irreversible = irreversible
        if state is not None:
            state.writes = writes
