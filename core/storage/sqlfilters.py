r"""The filter language of lists, ``sqlfilters``: text -> tree (:func:`parse`) -> bound SQL (:func:`render`).

A filter is made of criteria ``(field:operator:value)``, combined with ``and``, ``or``, ``not`` and parentheses::

    (t.ref:like:'PR%') and ((t.fk_statut:=:1) or (t.fk_statut:=:2))
    not (t.datec:<:'2030-01-01 10:10:10')

``not`` binds tightest, then ``and``, then ``or``; capitals do not count. A single criterion may go without its
parentheses: ``t.ref:=:'x'``.

* **Field**: ``t.nom`` or simply ``nom`` for the record itself; ``ef.colour`` for an extra field; a list may have more.
* **Operator**: ``=``, ``<``, ``>``, ``<=``, ``>=``, ``<>`` or ``!=``, ``like``, ``notlike``, ``is``, ``isnot``,
  ``in``, ``notin`` (also ``not like``, ``is not``, ``not in``).
* **Value**: a text in single quotes, where everything is data and a quote is doubled (``'O''Brien'``; ``'O'Brien'``
  works too, as the first quote is not followed by the closing parenthesis). Quotes may be left out around letters,
  digits, spaces and ``_ . , : % @ + -``.
* ``is`` and ``isnot`` take only ``NULL``. ``in`` and ``notin`` take a list: ``1,2,3``, ``'A','B'`` or ``(1,2,3)``.
* In a pattern of ``like``, ``%`` is any text and ``_`` any character; ``\%`` and ``\_`` are the characters themselves.

As in SQL, a comparison with a field that is NULL is neither true nor false: ``(t.x:<>:1)``, ``not (t.x:=:1)`` and
``(t.x:notin:1)`` all leave out the records where ``x`` is NULL; add ``or (t.x:is:NULL)`` to have them.

A filter has at most 10,000 characters, 200 criteria and parentheses 50 deep, a list 1000 values, a pattern 8 ``%``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.common.errors import BadRequest

MAX_LENGTH, MAX_DEPTH, MAX_CRITERIA, MAX_VALUES, MAX_WILDCARDS = 10_000, 50, 200, 1000, 8

# Operator in small letters and without spaces -> its SQL; a dialect's like follows the last two.
_OPERATORS = {name: name for name in ("=", "<", ">", "<=", ">=", "<>")} | {"!=": "<>", "in": "IN", "notin": "NOT IN"}
_OPERATORS |= {"is": "IS NULL", "isnot": "IS NOT NULL", "like": "", "notlike": "NOT "}


@dataclass(frozen=True)
class FilterColumn:
    """A column that filters may name."""

    sql: str  # its quoted text, such as t."nom"; never made from a request
    read: Callable[[str], Any]  # text of a value -> value to bind; its ValueError names what was expected: "a date"
    text: bool  # whether it holds text; the others are cast for like


@dataclass(frozen=True)
class Dialect:
    """How one database spells what differs."""

    placeholder: str  # ? or %s
    like: str  # LIKE or ILIKE
    escape: str  # behind a pattern, makes the backslash its escape character where it is not already
    text_type: str  # what CAST(x AS ...) takes for a text


@dataclass(frozen=True)
class Value:
    """A value as written, without its quotes."""

    text: str
    quoted: bool


@dataclass(frozen=True)
class Criterion:
    """``(field:operator:value)``: the field with its alias, in small letters; its position counts from 1."""

    field: str
    operator: str
    value: Value | tuple[Value, ...]
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
    """The part is false (not: unknown)."""

    part: Node


Node = Criterion | And | Or | Not


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
            raise _bad(self.at - 1, f"parentheses are more than {MAX_DEPTH} deep")
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
            raise _bad(start, f"there are more than {MAX_CRITERIA} criteria")
        field = self.match("[^:'()]*").strip().lower()
        if not re.fullmatch("[a-z0-9_.]+", field):
            raise self.expected("a criterion (field:operator:value)", start, field)
        self.require(":")
        self.match(r"\s*")
        at = self.at
        written = self.match("[^:'()]*").strip()
        operator = "".join(written.lower().split())
        if operator not in _OPERATORS:
            raise self.expected("an operator (=, <, >, <=, >=, <>, like, notlike, is, isnot, in, notin)", at, written)
        self.require(":")
        self.match(r"\s*")
        at = self.at
        listed = operator in ("in", "notin")
        wrapped = listed and self.take(r"\(")
        values = [self.value(listed)]
        while listed and self.take(","):
            values.append(self.value(listed))
        if wrapped:
            self.require(")")
        _check(operator, values, at)
        field = field if "." in field else f"t.{field}"
        return Criterion(field, operator, tuple(values) if listed else values[0], start + 1)

    def value(self, listed: bool) -> Value:
        self.match(r"\s*")
        start = self.at
        if self.text.startswith("'", start):
            return self.quoted(",)" if listed else ")")
        text = self.match("[^'(),]*" if listed else "[^'()]*").strip()
        if not re.fullmatch("[A-Za-z0-9_.,:%@+ -]+", text):
            what = "quotes around a value with such characters" if text else "a value"
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
        raise _bad(start, "the closing quote of this value is missing")

    def match(self, pattern: str) -> str:
        """Pass over what fits here and return it."""
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
        return _bad(start, f"expected {what}, got {_shown(got) if got else 'the end of the filter'}")


def _bad(start: int, reason: str) -> BadRequest:
    text = f"Bad filter at position {start + 1}: {reason}"
    return BadRequest(text, errors=[("sqlfilters", text)])


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "...")


def _check(operator: str, values: list[Value], start: int) -> None:
    """Refuse values that do not go with the operator, whatever the column."""
    if operator in ("is", "isnot"):
        if values[0].text.lower() != "null":
            raise _bad(start, f"expected NULL after '{operator}', got {_shown(values[0].text)}")
    elif any(not value.quoted and value.text.lower() == "null" for value in values):
        raise _bad(start, f"NULL does not go with '{operator}': use 'is' or 'isnot', or quote the text 'NULL'")
    if len(values) > MAX_VALUES:
        raise _bad(start, f"the list has more than {MAX_VALUES} values")
    if operator in ("like", "notlike"):
        pattern = re.sub(r"\\.", "", values[0].text, flags=re.DOTALL)
        # PostgreSQL refuses such a pattern, but only when it runs the query.
        if pattern.endswith("\\"):
            raise _bad(start, "the pattern ends in a backslash that escapes nothing: double it")
        if pattern.count("%") > MAX_WILDCARDS:
            raise _bad(start, f"the pattern has more than {MAX_WILDCARDS} wildcards %")


def parse(text: str) -> Node:
    """Read a filter; the language is told at the top of this file.

    :raises BadRequest: the text is no filter, or is beyond a limit; the message tells where and why
    """
    if len(text) > MAX_LENGTH:
        raise _bad(MAX_LENGTH, f"the filter is longer than {MAX_LENGTH} characters")
    # No database takes NUL in a text, and half a surrogate pair cannot even be sent to one.
    wrong = re.search("[\0\ud800-\udfff]", text)
    if wrong:
        raise _bad(wrong.start(), f"the character {wrong[0]!r} is not allowed")
    return _Parser(text).whole()


def render(node: Node, columns: Mapping[str, FilterColumn], dialect: Dialect) -> tuple[str, tuple[Any, ...]]:
    """A filter as SQL in parentheses, with a placeholder for every value, and the values to bind in its order.

    The SQL is made of the texts of columns, operators and placeholders alone: nothing of the filter's text is in it.
    Comparisons keep SQL's meaning of NULL (``not`` and ``<>`` leave out the records where the field is NULL).

    :param columns: what may be named, each by its alias and name in small letters: ``t.nom``, ``ef.colour``
    :raises BadRequest: a field is not in ``columns``, or its column cannot read a value
    """
    return _render(node, columns, dialect, False)


def _render(
    node: Node, columns: Mapping[str, FilterColumn], dialect: Dialect, negated: bool
) -> tuple[str, tuple[Any, ...]]:
    if isinstance(node, Criterion):
        sql, parameters = _criterion(node, columns, dialect)
        return (f"(NOT ({sql}))" if negated else f"({sql})"), parameters
    if isinstance(node, Not):
        return _render(node.part, columns, dialect, not negated)
    # SQLite's parser (before 3.46) holds 100 open symbols. "not" moved down to the criteria, and the longest part
    # first, leave one open parenthesis for each level instead of three symbols; the meaning is the same.
    parts = [_render(part, columns, dialect, negated) for part in node.parts]
    parts.sort(key=lambda part: -len(part[0]))
    joint = " AND " if isinstance(node, And) is not negated else " OR "
    return f"({joint.join(sql for sql, _ in parts)})", tuple(value for _, values in parts for value in values)


def _criterion(node: Criterion, columns: Mapping[str, FilterColumn], dialect: Dialect) -> tuple[str, tuple[Any, ...]]:
    column = columns.get(node.field)
    # Asked before the value is looked at, so that a secret column answers as one that does not exist.
    if column is None:
        raise _bad(node.position - 1, f"unknown field {_shown(node.field)}")
    values = node.value if isinstance(node.value, tuple) else (node.value,)
    operator = _OPERATORS[node.operator]
    if node.operator in ("is", "isnot"):
        return f"{column.sql} {operator}", ()
    if node.operator in ("like", "notlike"):
        subject = column.sql if column.text else f"CAST({column.sql} AS {dialect.text_type})"
        return f"{subject} {operator}{dialect.like} {dialect.placeholder}{dialect.escape}", (values[0].text,)
    bound = []
    for value in values:
        try:
            bound.append(column.read(value.text))
        except ValueError as error:
            reason = f"`{node.field}` expects {error}, got {_shown(value.text)}"
            raise _bad(node.position - 1, reason) from error
    marks = ", ".join([dialect.placeholder] * len(bound))
    return f"{column.sql} {operator} " + (f"({marks})" if isinstance(node.value, tuple) else marks), tuple(bound)
