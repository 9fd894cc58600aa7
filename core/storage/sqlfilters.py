r"""The filter language of lists, ``sqlfilters``: text → tree (:func:`parse`) → bound SQL (:func:`render`).

A filter is made of criteria ``(field:operator:value)``, combined with ``and``, ``or``, ``not`` and parentheses::

    (t.ref:like:'PR%') and ((t.fk_statut:=:1) or (t.fk_statut:=:2))
    not (t.datec:<:'2030-01-01 10:10:10')

``not`` binds tightest, then ``and``, then ``or``; capitals do not count. A single criterion may go without its
parentheses: ``t.ref:=:'x'``.

* **Field**: ``t.nom`` or simply ``nom`` for the record itself; ``ef.colour`` for an extra field; a list may have more.
* **Operator**: ``=``, ``<``, ``>``, ``<=``, ``>=``, ``<>`` or ``!=``, ``like``, ``notlike``, ``between``, ``in``,
  ``notin``, ``is``, ``isnot`` (also ``not like``, ``not in``, ``is not``); the table is in ``filter_operators.py``.
* **Value**: a text in single quotes, where everything is data and a quote is doubled (``'O''Brien'``; ``'O'Brien'``
  works too, as the first quote is not followed by the closing parenthesis). Quotes may be left out around letters,
  digits, spaces and ``_ . , : % @ + -``.
* ``is`` and ``isnot`` take only ``NULL``. ``in`` and ``notin`` take a list: ``1,2,3``, ``'A','B'`` or ``(1,2,3)``.
  ``between`` takes two values, written like a list: ``'2026-01-01','2026-01-31'``; both ends are included.
* In a pattern of ``like``, ``%`` is any text and ``_`` any character; ``\%`` and ``\_`` are the characters themselves.

Texts are compared exactly: case, accents and spaces at the end count. Patterns ignore case, not accents
(``collation.py``).

As in SQL, a comparison with a field that is NULL is neither true nor false: ``(t.x:<>:1)``, ``not (t.x:=:1)``,
``not (t.x:between:1,2)`` and ``(t.x:notin:1)`` all leave out the records where ``x`` is NULL; add
``or (t.x:is:NULL)`` to have them.

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

#: characters of a text that a pattern is looked for in. A comparison with the longest pattern then takes 3 ms
#: (PostgreSQL 1 ms, SQLite 14 ms outside of ASCII); all of a note of 65,000 letters takes 40 ms on MariaDB, and
#: nothing interrupts it
LOOKED_INTO = 4000

__all__ = ["OPERATORS", "And", "Criterion", "FilterColumn", "Node", "Not", "Or", "Value", "parse", "render"]


Narrowing = Callable[[str], tuple[str, tuple[Any, ...]] | None]
#: parts of a filter that `among` is asked for
MOST_PROBES = 8


@dataclass(frozen=True)
class FilterColumn:
    """A column that filters may name."""

    sql: str  # its quoted text, such as t."nom"; never made from a request
    read: Callable[[str], Any]  # text of a value -> value to bind; its ValueError names what was expected: "a date"
    text: bool  # whether it holds text; the others are cast for like
    nullable: bool = True  # whether it may be NULL; where it may not, an index gives the order
    order: Callable[[str], str] = str  # SQL of a value -> SQL of what it is sorted by
    long: bool = False  # whether it may hold more than a pattern is looked for in
    field: Any = None  # the field whose column it is
    among: Narrowing | None = None  # pattern of like -> a condition that few rows meet, and all that fit the pattern do

    @property
    def sorted(self) -> str:
        """Return what the column is sorted by, as SQL."""
        return self.order(self.sql)


def render(
    node: Node, columns: Mapping[str, FilterColumn], backend: Backend, probes: list[Any] | None = None
) -> tuple[str, tuple[Any, ...]]:
    """A filter as SQL in parentheses, with a placeholder for every value, and the values to bind in its order.

    The SQL is made of the texts of columns, operators and placeholders alone: nothing of the filter's text is in it.
    Comparisons keep SQL's meaning of NULL (``not`` and ``<>`` leave out the records where the field is NULL).

    :param columns: what may be named, each by its alias and name in small letters: ``t.nom``, ``ef.colour``
    :param probes: takes what `among` of the columns has answered; None: it is not asked
    :raises BadRequest: a field is not in ``columns``, or its column cannot read a value
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
    # SQLite's parser (before 3.46) holds 100 open symbols. "not" moved down to the criteria, and the longest part
    # first, leave one open parenthesis for each level instead of three symbols; the meaning is the same.
    parts = [_render(part, columns, backend, negated, probes) for part in node.parts]
    parts.sort(key=lambda part: -len(part[0]))
    joint = " AND " if isinstance(node, And) is not negated else " OR "
    return f"({joint.join(sql for sql, _ in parts)})", tuple(value for _, values in parts for value in values)


def _narrowed(node: Criterion, column: FilterColumn, probes: list[Any] | None) -> tuple[str, tuple[Any, ...]]:
    """What is said besides a criterion that rows must meet: the same rows are found, without reading all of them."""
    if node.operator != "like" or column.among is None or probes is None or len(probes) >= MOST_PROBES:
        return "", ()
    assert isinstance(node.value, Value)
    found = column.among(node.value.text)
    probes.append(found)
    return ("", ()) if found is None else (f" AND {found[0]}", found[1])


def _criterion(node: Criterion, columns: Mapping[str, FilterColumn], backend: Backend) -> tuple[str, tuple[Any, ...]]:
    column = columns.get(node.field)
    # Asked before the value is looked at, so that a secret column answers as one that does not exist.
    if column is None:
        raise bad(node.position - 1, f"unknown field {shown_text(node.field)}{meant(node.field, columns)}")
    operator = OPERATORS[node.operator]
    written = () if operator.takes == NULL else node.value if isinstance(node.value, tuple) else (node.value,)
    subject = column.sql
    if operator.pattern:
        # A pattern stays the text it is; what holds no text is compared as one
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
