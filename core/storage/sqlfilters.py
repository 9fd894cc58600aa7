r"""The filter language of lists, ``sqlfilters``: text → tree (:func:`parse`) → bound SQL (:func:`render`).

A filter is made of criteria ``(field:operator:value)``, combined with ``and``, ``or``, ``not`` and parentheses::

    (t.ref:like:'PR%') and ((t.fk_statut:=:1) or (t.fk_statut:=:2))
    not (t.datec:<:'2030-01-01 10:10:10')

``not`` binds tightest, then ``and``, then ``or``; case is ignored. A single criterion needs no parentheses:
``t.ref:=:'x'``.

* **Field**: ``t.nom`` or simply ``nom`` for the record itself; ``ef.colour`` for an extra field; a list may have more.
* **Operator**: ``=``, ``<``, ``>``, ``<=``, ``>=``, ``<>`` or ``!=``, ``like``, ``notlike``, ``between``, ``in``,
  ``notin``, ``is``, ``isnot`` (also ``not like``, ``not in``, ``is not``); the table is in ``filter_operators.py``.
* **Value**: a text in single quotes, in which a quote is doubled (``'O''Brien'``; ``'O'Brien'`` also works, because the
  first quote is not followed by the closing parenthesis). Quotes are optional around letters, digits, spaces and
  ``_ . , : % @ + -``.
* ``is`` and ``isnot`` take only ``NULL``. ``in`` and ``notin`` take a list: ``1,2,3``, ``'A','B'`` or ``(1,2,3)``.
  ``between`` takes two values, written like a list: ``'2026-01-01','2026-01-31'``; both ends are included.
* In a pattern of ``like``, ``%`` is any text and ``_`` any character; ``\%`` and ``\_`` are the characters themselves.

Texts are compared exactly: case, accents and spaces at the end count. Patterns ignore case, not accents
(``collation.py``).

As in SQL, a comparison with NULL is neither true nor false: ``(t.x:<>:1)``, ``not (t.x:=:1)``,
``not (t.x:between:1,2)`` and ``(t.x:notin:1)`` leave out the records whose ``x`` is NULL. Add ``or (t.x:is:NULL)`` to
include them.

A filter has at most 10,000 characters, 200 criteria and parentheses 50 deep, a list 1000 values, a pattern 200
characters and 8 ``%``. In a text that may be long, such as a note, ``like`` sees the first 4,000 characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..common.errors import meant
from .backend import Backend
from .filter_operators import NULL, OPERATORS, TWO
from .filter_parser import And, Criterion, Node, Not, Or, Value, bad, parse, shown_text

#: characters of a text that are compared with a pattern. A comparison with the longest pattern then takes 3 ms
#: (PostgreSQL 1 ms, SQLite 14 ms outside of ASCII). A whole note of 65,000 characters takes 40 ms on MariaDB, which
#: can't be interrupted
LOOKED_INTO = 4000

__all__ = ["OPERATORS", "And", "Criterion", "FilterColumn", "Node", "Not", "Or", "Value", "parse", "render"]


Narrowing = Callable[[str], tuple[str, tuple[Any, ...]] | None]
#: parts of a filter for which `among` is called
MOST_PROBES = 8


@dataclass(frozen=True)
class FilterColumn:
    """A column that filters may use.

    :ivar sql: the quoted column, such as ``t."nom"``; never made from a request
    :ivar read: makes the value to bind of a text; its ValueError contains what was expected: "a date"
    :ivar text: whether it holds text; other columns are cast for `like`
    :ivar nullable: whether it may be NULL
    :ivar order: makes the SQL to sort by of the SQL of a value
    :ivar long: whether it may hold more than `LOOKED_INTO` characters
    :ivar field: the field of the column
    :ivar among: makes a condition of a pattern of `like`: few rows meet it, among them all that match the pattern
    """

    sql: str
    read: Callable[[str], Any]
    text: bool
    nullable: bool = True
    order: Callable[[str], str] = str
    long: bool = False
    field: Any = None
    among: Narrowing | None = None

    @property
    def sorted(self) -> str:
        """Return the SQL to sort by."""
        return self.order(self.sql)


def render(
    node: Node, columns: Mapping[str, FilterColumn], backend: Backend, probes: list[Any] | None = None
) -> tuple[str, tuple[Any, ...]]:
    """Return a filter as SQL in parentheses, with the values to bind.

    The SQL consists of columns, operators and placeholders: it contains nothing of the filter's text.

    :param columns: by alias and name in lower case: ``t.nom``, ``ef.colour``
    :param probes: receives the results of `among`; None: it isn't called
    :raises BadRequest: a field is not in ``columns``, or its column can't read a value
    """
    return _render(node, columns, backend, False, probes)


def _render(
    node: Node, columns: Mapping[str, FilterColumn], backend: Backend, negated: bool, probes: list[Any] | None
) -> tuple[str, tuple[Any, ...]]:
    if isinstance(node, Criterion):
        sql, parameters = _criterion(node, columns, backend)
        if negated:
            return f"(NOT ({sql}))", parameters
        narrowed, more = _narrowed(node, columns[node.field], probes)
        return f"({sql}{narrowed})", (*parameters, *more)
    if isinstance(node, Not):
        return _render(node.part, columns, backend, not negated, probes)
    # The parser of SQLite before 3.46 holds 100 open symbols. With `not` at the criteria, and the longest part first,
    # each level leaves one open parenthesis instead of three symbols
    parts = [_render(part, columns, backend, negated, probes) for part in node.parts]
    parts.sort(key=lambda part: -len(part[0]))
    joint = " AND " if isinstance(node, And) is not negated else " OR "
    return f"({joint.join(sql for sql, _ in parts)})", tuple(value for _, values in parts for value in values)


def _narrowed(node: Criterion, column: FilterColumn, probes: list[Any] | None) -> tuple[str, tuple[Any, ...]]:
    """Return an additional condition with which the same rows are found without reading all of them; empty: none."""
    if node.operator != "like" or column.among is None or probes is None or len(probes) >= MOST_PROBES:
        return "", ()
    assert isinstance(node.value, Value)
    found = column.among(node.value.text)
    probes.append(found)
    return ("", ()) if found is None else (f" AND {found[0]}", found[1])


def _criterion(node: Criterion, columns: Mapping[str, FilterColumn], backend: Backend) -> tuple[str, tuple[Any, ...]]:
    column = columns.get(node.field)
    # Before the value is read, so that a secret column looks like one that doesn't exist
    if column is None:
        raise bad(node.position - 1, f"unknown field {shown_text(node.field)}{meant(node.field, columns)}")
    operator = OPERATORS[node.operator]
    written = () if operator.takes == NULL else node.value if isinstance(node.value, tuple) else (node.value,)
    subject = column.sql
    if operator.pattern:
        # Patterns are bound as text
        bound: tuple[Any, ...] = tuple(value.text for value in written)
        if not column.text:
            subject = f"CAST({subject} AS {backend.text_type})"
        elif column.long:
            subject = f"SUBSTR({subject}, 1, {LOOKED_INTO})"
        if column.text:
            whole = backend.like_condition(subject, bound[0])
            if whole is not None:
                return (f"NOT {whole[0]}" if node.operator == "notlike" else whole[0]), whole[1]
            subject, bound = backend.like_operand(subject), tuple(map(backend.like_pattern, bound))
    else:
        if column.text and operator.orders:
            subject = backend.ordering_operand(subject)
        bound = tuple(_read(value, column, node) for value in written)
    joint = " AND " if operator.takes == TWO else ", "
    sql = operator.sql.format(like=backend.like, values=joint.join([backend.placeholder] * len(bound)))
    return f"{subject} {sql}{backend.escape if operator.pattern else ''}", bound


def _read(value: Value, column: FilterColumn, node: Criterion) -> Any:
    try:
        return column.read(value.text)
    except ValueError as error:
        reason = f"`{node.field}`: expected {error}, got {shown_text(value.text)}"
        raise bad(node.position - 1, reason) from error
