"""Several statements in one message to a distant database.

Who knows what will be asked says so (`ahead`); whoever asks it meanwhile, as ever, finds its rows. Who changes rows as
the last of a transaction says so, too (`at_the_end`). On SQLite, which is not distant, everything has its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .database import database, ensure_connected, marked

#: a statement as the driver in force spells it, and what is bound
Asked = tuple[str, tuple[Any, ...]]


def asked(sql: str, params: Sequence[Any]) -> Asked:
    """A statement for `ahead`, with ``?`` for each value, as `query` takes it."""
    return marked(sql), tuple(params)


@contextmanager
def ahead(statements: Callable[[], Iterable[Asked]]) -> Iterator[None]:
    """Ask a distant database several statements in one message; meanwhile whoever asks one of them finds its rows.

    Once something is written, whoever asks is answered by the database again.

    :param statements: gives them, where it pays: none may hang on what another one answers, each only reads
    """
    ensure_connected()
    opened: Any = database.obj
    if not opened.distant or opened.own.ahead:
        yield
        return
    wanted = list(dict.fromkeys(statements()))
    opened.own.ahead = dict(zip(wanted, opened.read_together(wanted), strict=True)) if len(wanted) > 1 else {}
    try:
        yield
    finally:
        opened.own.ahead = {}


@contextmanager
def at_the_end() -> Iterator[None]:
    """What is changed meanwhile, in rows that the transaction has locked or made, goes out with its COMMIT.

    Or with the next statement, where there is one. Such a change must be one that the database cannot refuse: it would
    do so when the transaction is committed. Nobody is told how many rows it has changed.
    """
    own = database.obj.own
    before, own.holds = own.holds, database.obj.distant
    try:
        yield
    finally:
        own.holds = before
