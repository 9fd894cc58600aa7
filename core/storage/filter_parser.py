"""The parser of filters: text → tree; `sqlfilters.py` describes the language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..common.errors import BadRequest, wrong_fields
from .filter_operators import NULL, OPERATORS, TWO

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
    #: a tuple if the operator takes a list or two values
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
    """The part is false, and not unknown."""

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
        field = field if "." in field else f"t.{field}"
        return Criterion(field, operator, tuple(values) if listed else values[0], start + 1)

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
        return bad(start, f"expected {what}, got {shown_text(got) if got else 'the end of the filter'}")


def bad(start: int, reason: str) -> BadRequest:
    """Return the error about a filter.

    :param start: the position, from 0
    """
    message = f"Bad filter at position {start + 1}: {reason}"
    return wrong_fields([("sqlfilters", message)], message)


def shown_text(text: str) -> str:
    """Return a text for a message, cut if it is long."""
    return repr(text if len(text) <= 40 else text[:40] + "...")


def _check(operator: str, values: list[Value], start: int) -> None:
    """Check that the values fit the operator, whatever the column."""
    kind = OPERATORS[operator]
    if kind.takes == NULL:
        if values[0].text.lower() != "null":
            raise bad(start, f"expected NULL after '{operator}', got {shown_text(values[0].text)}")
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
