r"""The filter language of lists, ``sqlfilters``: text → tree (:func:`parse`) → bound SQL (:func:`render`).

A filter is made of criteria ``(field:operator:value)``, combined with ``and``, ``or``, ``not`` and parentheses::

    (t.ref:like:'PR%') and ((t.fk_statut:=:1) or (t.fk_statut:=:2))
    not (t.datec:<:'2030-01-01 10:10:10')

``not`` binds tightest, then ``and``, then ``or``; case is ignored. A single criterion needs no parentheses:
``t.ref:=:'x'``.

* **Field**: ``t.nom`` or simply ``nom`` for the record itself; ``ef.colour`` for an extra field; a list may have more.
* **Operator**: ``=``, ``<``, ``>``, ``<=``, ``>=``, ``<>`` or ``!=``, ``like``, ``notlike``, ``between``, ``in``,
  ``notin``, ``is``, ``isnot`` (also ``not like``, ``not in``, ``is not``); the table is `OPERATORS`.
* **Value**: a text in single quotes, in which a quote is doubled (``'O''Brien'``; ``'O'Brien'`` also works, because the
  first quote is not followed by the closing parenthesis). Quotes are optional around letters, digits, spaces and
  ``_ . , : % @ + -``.
* ``is`` and ``isnot`` take only ``NULL``. ``in`` and ``notin`` take a list: ``1,2,3``, ``'A','B'`` or ``(1,2,3)``.
  ``between`` takes two values, written like a list: ``'2026-01-01','2026-01-31'``; both ends are included.
* In a pattern of ``like``, ``%`` is any text and ``_`` any character; ``\%`` and ``\_`` are the characters themselves.

Texts are compared exactly: case, accents and spaces at the end count. Patterns ignore case, not accents
(``texts.py``).

As in SQL, a comparison with NULL is neither true nor false: ``(t.x:<>:1)``, ``not (t.x:=:1)``,
``not (t.x:between:1,2)`` and ``(t.x:notin:1)`` leave out the records whose ``x`` is NULL. Add ``or (t.x:is:NULL)`` to
include them.

A filter has at most 10,000 characters, 200 criteria and parentheses 50 deep, a list 1000 values, a pattern 200
characters and 8 ``%``. In a text that may be long, such as a note, ``like`` sees the first 4,000 characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..common.errors import BadRequest, meant, shown
from .backend import Backend, Condition
from .fields import ExactField

#: characters of a text that are compared with a pattern. A comparison with the longest pattern then takes 3 ms
#: (PostgreSQL 1 ms, SQLite 14 ms outside of ASCII). A whole note of 65,000 characters takes 40 ms on MariaDB, which
#: can't be interrupted
LOOKED_INTO = 4000


# Operators ------------------------------------------------------------------------------------------------------------

#: what follows an operator
ONE, NULL, LIST, TWO = "one value", "NULL", "a list", "two values"


@dataclass(frozen=True)
class Operator:
    """An operator: its SQL, and the values it takes."""

    #: the SQL after the column; ``{values}``: a placeholder for each value; empty: `Backend.like_condition` makes it
    sql: str
    #: one of `ONE`, `NULL`, `LIST` and `TWO`
    takes: str = ONE
    #: whether the value is a pattern, in which ``%`` and ``_`` stand for other characters
    pattern: bool = False
    #: its description
    meaning: str = ""

    @property
    def orders(self) -> bool:
        """Return whether it compares by order."""
        return self.takes == TWO or (self.sql.startswith(("<", ">")) and not self.sql.startswith("<>"))

    @property
    def listed(self) -> bool:
        """Return whether it takes several values, separated by commas."""
        return self.takes in (LIST, TWO)


#: the operators, by name in lower case and without spaces
OPERATORS = {
    "=": Operator("= {values}", meaning="equal"),
    "<": Operator("< {values}", meaning="less"),
    ">": Operator("> {values}", meaning="greater"),
    "<=": Operator("<= {values}", meaning="less than or equal to"),
    ">=": Operator(">= {values}", meaning="greater than or equal to"),
    "<>": Operator("<> {values}", meaning="not equal"),
    "!=": Operator("<> {values}", meaning="not equal"),
    "like": Operator("", pattern=True, meaning="matches the pattern"),
    "notlike": Operator("", pattern=True, meaning="doesn't match the pattern"),
    "between": Operator("BETWEEN {values}", TWO, meaning="between two values, inclusive"),
    "in": Operator("IN ({values})", LIST, meaning="in the list"),
    "notin": Operator("NOT IN ({values})", LIST, meaning="not in the list"),
    "is": Operator("IS NULL", NULL, meaning="empty"),
    "isnot": Operator("IS NOT NULL", NULL, meaning="not empty"),
}


# Text to tree ---------------------------------------------------------------------------------------------------------

MAX_LENGTH, MAX_DEPTH, MAX_CRITERIA, MAX_VALUES, MAX_WILDCARDS = 10_000, 50, 200, 1000, 8
#: characters of a pattern: a comparison takes pattern length times text length steps and can't be interrupted
MAX_PATTERN = 200


@dataclass(frozen=True)
class Value:
    """A value as written, without its quotes."""

    text: str
    quoted: bool


@dataclass(frozen=True)
class Criterion:
    """``(field:operator:value)``: the field with its alias, in lower case; positions count from 1."""

    field: str
    operator: str
    values: tuple[Value, ...]
    position: int


@dataclass(frozen=True)
class And:
    """All parts hold."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """At least one part holds."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    """The part is false, and not unknown."""

    part: Node


Node = Criterion | And | Or | Not


def with_alias(field: str) -> str:
    """Return the name of a field with its alias: ``t`` is the table of the list."""
    return field if "." in field else f"t.{field}"


class _Parser:
    """Recursive descent over one text; the depth limit bounds the recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.criteria = 0
        self.bare = False

    def whole(self) -> Node:
        self.bare = not self.at_group()
        node = self.criterion() if self.bare else self.any_of()
        self.match(r"\s*")
        if self.at < len(self.text):
            raise self.expected("the end of the filter" if self.bare else "'and', 'or' or the end of the filter")
        return node

    def any_of(self) -> Node:
        parts = [self.all_of()]
        while self.take(r"or\b"):
            parts.append(self.all_of())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def all_of(self) -> Node:
        parts = [self.term()]
        while self.take(r"and\b"):
            parts.append(self.term())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def term(self) -> Node:
        negated = self.take(r"not\b")
        self.require("(")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise bad(self.at - 1, f"parentheses are nested more than {MAX_DEPTH} levels deep")
        node = self.any_of() if self.at_group() else self.criterion()
        self.require(")")
        self.depth -= 1
        return Not(node) if negated else node

    def at_group(self) -> bool:
        self.match(r"\s*")
        return bool(re.compile(r"\(|not\s*\(", re.IGNORECASE).match(self.text, self.at))

    def criterion(self) -> Criterion:
        start = self.at
        self.criteria += 1
        if self.criteria > MAX_CRITERIA:
            raise bad(start, f"expected at most {MAX_CRITERIA} criteria, got more")
        field = self.match("[^:'()]*").strip().lower()
        if not re.fullmatch("[a-z0-9_.]+", field):
            raise self.expected("a criterion (field:operator:value)", start, field)
        self.require(":")
        self.match(r"\s*")
        at = self.at
        written = self.match("[^:'()]*").strip()
        operator = "".join(written.lower().split())
        if operator not in OPERATORS:
            raise self.expected(f"an operator ({', '.join(OPERATORS)})", at, written)
        self.require(":")
        self.match(r"\s*")
        at = self.at
        listed = OPERATORS[operator].listed
        wrapped = listed and self.take(r"\(")
        values = [self.value(listed)]
        while listed and self.take(","):
            values.append(self.value(listed))
        if wrapped:
            self.require(")")
        _check(operator, values, at)
        return Criterion(with_alias(field), operator, tuple(values), start + 1)

    def value(self, listed: bool) -> Value:
        self.match(r"\s*")
        start = self.at
        if self.text.startswith("'", start):
            return self.quoted(",)" if listed else ")")
        text = self.match("[^'(),]*" if listed else "[^'()]*").strip()
        if not re.fullmatch("[A-Za-z0-9_.,:%@+ -]+", text):
            what = "quotes around this value" if text else "a value"
            raise self.expected(what, start, text)
        return Value(text, False)

    def quoted(self, ends: str) -> Value:
        start = self.at
        parts = []
        self.at += 1
        while (quote := self.text.find("'", self.at)) >= 0:
            parts.append(self.text[self.at : quote])
            self.at = quote + 1
            if self.text.startswith("'", self.at):
                self.at += 1
            elif self.bare or re.compile(rf"\s*([{ends}]|\Z)").match(self.text, self.at):
                return Value("".join(parts), True)
            parts.append("'")
        raise bad(start, "the closing quote of this value is missing")

    def match(self, pattern: str) -> str:
        """Return the text that matches here, and skip it."""
        found = re.compile(pattern, re.IGNORECASE | re.DOTALL).match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def take(self, pattern: str) -> bool:
        self.match(r"\s*")
        return self.match(pattern) != ""

    def require(self, character: str) -> None:
        if not self.take(re.escape(character)):
            raise self.expected(f"'{character}'", self.at)

    def expected(self, what: str, start: int | None = None, got: str = "") -> BadRequest:
        start = self.at if start is None else start
        got = got or self.match(r"\w+|.")
        return bad(start, f"expected {what}, got {shown(got) if got else 'the end of the filter'}")


def bad(start: int, reason: str) -> BadRequest:
    """Return the error about a filter.

    :param start: the position, from 0
    """
    message = f"Bad filter at position {start + 1}: {reason}"
    return BadRequest(message, errors=[("sqlfilters", message)])


def _check(operator: str, values: list[Value], start: int) -> None:
    """Check that the values fit the operator, whatever the column."""
    kind = OPERATORS[operator]
    if kind.takes == NULL:
        if values[0].text.lower() != "null":
            raise bad(start, f"expected NULL after '{operator}', got {shown(values[0].text)}")
    elif any(not value.quoted and value.text.lower() == "null" for value in values):
        raise bad(start, f"'{operator}' doesn't work with NULL; use 'is' or 'isnot', or quote the text 'NULL'")
    if len(values) > MAX_VALUES:
        raise bad(start, f"expected at most {MAX_VALUES} values, got {len(values)}")
    if kind.takes == TWO and len(values) != 2:
        got = "1 value" if len(values) == 1 else f"{len(values)} values"
        raise bad(start, f"expected two values separated by a comma after '{operator}', got {got}")
    if kind.pattern:
        if len(values[0].text) > MAX_PATTERN:
            raise bad(start, f"expected a pattern of at most {MAX_PATTERN} characters, got more")
        pattern = re.sub(r"\\.", "", values[0].text, flags=re.DOTALL)
        # PostgreSQL rejects such a pattern, but only when it runs the query
        if pattern.endswith("\\"):
            raise bad(start, "the pattern ends with a single backslash; double it")
        if pattern.count("%") > MAX_WILDCARDS:
            raise bad(start, f"expected at most {MAX_WILDCARDS} wildcards (%) in the pattern, got more")


@lru_cache(maxsize=256)
def parse(text: str) -> Node:
    """Return the tree of a filter.

    :raises BadRequest: the text isn't a filter, or exceeds a limit; the message contains the position and the reason
    """
    if len(text) > MAX_LENGTH:
        raise bad(MAX_LENGTH, f"expected a filter of at most {MAX_LENGTH} characters, got more")
    # No database accepts NUL in a text, and half a surrogate pair can't be encoded
    wrong = re.search("[\0\ud800-\udfff]", text)
    if wrong:
        raise bad(wrong.start(), f"the character {wrong[0]!r} is not allowed")
    return _Parser(text).whole()


def fields_of(node: Node) -> set[str]:
    """Return the fields of a filter, as `Criterion.field` has them."""
    if isinstance(node, Criterion):
        return {node.field}
    return set().union(*map(fields_of, (node.part,) if isinstance(node, Not) else node.parts))


# Tree to SQL ----------------------------------------------------------------------------------------------------------

#: parts of a filter for which `among` or `counted` is called
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
    :ivar among: replaces a condition of `like` that few rows meet by their IDs; None: the table has to be read
    :ivar counted: adds to the condition of a range how many rows meet it (`records/ranges.py`); None: it isn't counted
    """

    sql: str
    read: Callable[[str], Any]
    text: bool
    nullable: bool = True
    order: Callable[[str], str] = str
    long: bool = False
    field: Any = None
    among: Callable[[Condition], Condition] | None = None
    counted: Callable[[Condition], Condition] | None = None

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
    :param probes: receives a value for each call of `among` or `counted`; None: they aren't called
    :raises BadRequest: a field is not in ``columns``, or its column can't read a value
    """
    return _render(node, columns, backend, False, probes)


def _render(
    node: Node | _Range, columns: Mapping[str, FilterColumn], backend: Backend, negated: bool, probes: list[Any] | None
) -> Condition:
    if isinstance(node, (Criterion, _Range)):
        criteria = node.parts if isinstance(node, _Range) else (node,)
        made = [_criterion(each, columns, backend) for each in criteria]
        sql, parameters = " AND ".join(sql for sql, _ in made), tuple(value for _, values in made for value in values)
        if negated:
            return f"(NOT ({sql}))", parameters
        sql, parameters = _narrowed(criteria[0], columns[criteria[0].field], (sql, parameters), backend, probes)
        return f"({sql})", parameters
    if isinstance(node, Not):
        return _render(node.part, columns, backend, not negated, probes)
    # The parser of SQLite before 3.46 holds 100 open symbols. With `not` at the criteria, and the longest part first,
    # each level leaves one open parenthesis instead of three symbols
    nodes = _with_ranges(node.parts, columns) if isinstance(node, And) and not negated else node.parts
    parts = [_render(part, columns, backend, negated, probes) for part in nodes]
    parts.sort(key=lambda part: -len(part[0]))
    joint = " AND " if isinstance(node, And) is not negated else " OR "
    return f"({joint.join(sql for sql, _ in parts)})", tuple(value for _, values in parts for value in values)


@dataclass(frozen=True)
class _Range:
    """Criteria about the order of one column, which hold together: both ends of a range."""

    parts: tuple[Criterion, ...]


def _with_ranges(parts: tuple[Node, ...], columns: Mapping[str, FilterColumn]) -> list[Node | _Range]:
    """Return the parts of an `And` with one range for each column that is counted."""
    found: list[Node | str] = []
    ranges: dict[str, list[Criterion]] = {}
    for part in parts:
        column = columns.get(part.field) if isinstance(part, Criterion) and OPERATORS[part.operator].orders else None
        if column is None or column.counted is None:
            found.append(part)
            continue
        assert isinstance(part, Criterion)
        if column.sql not in ranges:
            found.append(column.sql)
        ranges.setdefault(column.sql, []).append(part)
    return [_Range(tuple(ranges[each])) if isinstance(each, str) else each for each in found]


def _narrowed(
    node: Criterion, column: FilterColumn, condition: Condition, backend: Backend, probes: list[Any] | None
) -> Condition:
    """Return a condition with which the same rows are found without reading all of them, if there is one."""
    narrow = column.among if node.operator == "like" else None
    if node.operator in backend.guessed_operators:
        narrow = column.counted
    if narrow is None or probes is None or len(probes) >= MOST_PROBES:
        return condition
    probes.append(column)
    return narrow(condition)


def _criterion(node: Criterion, columns: Mapping[str, FilterColumn], backend: Backend) -> Condition:
    column = columns.get(node.field)
    # Before the value is read, so that a secret column looks like one that doesn't exist
    if column is None:
        raise bad(node.position - 1, f"unknown field {node.field[:60]!r}{meant(node.field, columns)}")
    operator, subject = OPERATORS[node.operator], column.sql
    if operator.pattern:
        if not column.text:
            places = column.field.scale if isinstance(column.field, ExactField) else None
            subject = backend.text_of(subject, places)
        elif column.long:
            subject = f"SUBSTR({subject}, 1, {LOOKED_INTO})"
        sql, bound = backend.like_condition(subject, node.values[0].text)
        return (f"NOT {sql}" if node.operator == "notlike" else sql), bound
    if column.text and operator.orders:
        subject = backend.ordering_operand(subject)
    bound = () if operator.takes == NULL else tuple(_read(value, column, node) for value in node.values)
    joint = " AND " if operator.takes == TWO else ", "
    return f"{subject} {operator.sql.format(values=joint.join([backend.placeholder] * len(bound)))}", bound


def _read(value: Value, column: FilterColumn, node: Criterion) -> Any:
    try:
        return column.read(value.text)
    except ValueError as error:
        reason = f"`{node.field}`: expected {error}, got {shown(value.text)}"
        raise bad(node.position - 1, reason) from error
