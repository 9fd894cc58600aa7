"""A parser for write statements: table, columns and rows.

Results are cached by text. For a complex statement the parser returns only the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

_TOKEN = re.compile(
    r"""(?P<text>'(?:[^'\\]|''|\\.)*')|(?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`)|(?P<mark>\?|%s)|(?P<number>\d[\w.]*)
    |(?P<word>[A-Za-z_][\w$]*)|(?P<comment>--|/\*|\#)|(?P<other>\S)""",
    re.VERBOSE,
)
_ROWS = re.compile(r"(\([?, ]+\))(?:, ?\([?, ]+\))+")
#: rows of bound values that are alike; the third one to the last but one are left out
_MORE_ROWS = re.compile(r"(?<=VALUES )(\((?:\?|%s)(?:, (?:\?|%s))*\), )\1((?:\1)+)")
_WRITING = ("INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "TRUNCATE", "MERGE", "LOAD", "COPY")
#: words allowed between the verb and the table
_BETWEEN = ("INTO", "FROM", "OR", "IGNORE", "REPLACE", "ROLLBACK", "ABORT", "FAIL", "LOW_PRIORITY", "DELAYED", "QUICK",
            "HIGH_PRIORITY", "TABLE", "ONLY")  # fmt: skip
#: longest noted text of a statement, in characters
_LONGEST = 1000


@dataclass(frozen=True)
class WriteStatement:
    """A write statement.

    :param verb: ``insert``, ``update``, ``delete``; ``other`` if the text doesn't reveal the changes
    :param target: the table as written in the text
    :param columns: the columns that an insert or an update sets
    :param places: the index of the bound value of each column; None for an expression
    :param rows: the number of rows of an insert
    :param conflicts: an insert may skip rows or change others
    :param returning: the statement returns rows
    :param before: the number of bound values before the condition
    :param condition: the text after WHERE; empty for all rows
    :param key: the column, if the condition only compares one column with a value; otherwise empty
    :param text: the statement without its values
    """

    verb: str
    table: str
    target: str = ""
    columns: tuple[str, ...] = ()
    places: tuple[int | None, ...] = ()
    rows: int = 0
    conflicts: bool = False
    returning: bool = False
    before: int = 0
    condition: str = ""
    key: str = ""
    text: str = ""


class _NotSimple(Exception):
    """The statement is too complex for this parser."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    depth: int

    @property
    def word(self) -> str:
        return self.text.upper() if self.kind == "word" else ""


def read_statement(sql: str) -> WriteStatement | None:
    """Return the parsed statement; None if it writes no rows."""
    first = sql.lstrip()[:12].upper()
    if not first.startswith(_WRITING) and not first.startswith(("(", "-", "/", "#", "EXPLAIN", "CALL")):
        return None
    return _read_many_rows(sql) or _read_whole(sql)


def _read_many_rows(sql: str) -> WriteStatement | None:
    """Return an insert of many rows that are alike, parsed with three of them; None if it isn't one."""
    if (more := _MORE_ROWS.search(sql)) is None:
        return None
    found = _read_whole(sql[: more.start(2)] + sql[more.end(2) :])
    if found is None or found.verb != "insert" or found.places != tuple(range(len(found.places))):
        return None
    rows = found.rows + len(more[2]) // len(more[1])
    return replace(found, rows=rows, places=tuple(range(rows * len(found.columns))))


def _read_whole(sql: str) -> WriteStatement | None:
    tokens = list(_tokens(sql))
    verb = next((each.word for each in tokens if each.word in _WRITING), "")
    if not verb or (verb == "WITH" and not any(each.word in _WRITING[:4] for each in tokens)):
        return None
    table = _table_of(tokens, verb)
    try:
        if any(each.kind == "comment" for each in tokens) or any(each.text == ";" for each in tokens[:-1]):
            raise _NotSimple
        body = tokens[:-1] if tokens[-1].text == ";" else tokens
        if verb in ("INSERT", "REPLACE"):
            return _insert(sql, body, verb)
        if verb == "UPDATE":
            return _update(sql, body)
        if verb == "DELETE":
            return _delete(sql, body)
        raise _NotSimple
    except (_NotSimple, IndexError):
        return WriteStatement("other", table, text=_without_values(sql))


def _tokens(sql: str) -> Iterator[_Token]:
    depth = 0
    for match in _TOKEN.finditer(sql):
        text = match.group()
        if text == ")":
            depth -= 1
        yield _Token(match.lastgroup or "", text, match.start(), depth)
        if text == "(":
            depth += 1


def _without_values(sql: str) -> str:
    plain = _TOKEN.sub(lambda match: "?" if match.lastgroup in ("text", "number", "mark") else match.group(), sql)
    # One row of values is enough
    return _ROWS.sub(r"\1, …", " ".join(plain.split()))[:_LONGEST]


def _name(token: _Token) -> str:
    if token.kind == "word":
        return token.text
    if token.kind == "name":
        return token.text[1:-1]
    raise _NotSimple


def _table_of(tokens: list[_Token], verb: str) -> str:
    """Return the written table; empty if it can't be found."""
    names = iter(tokens)
    for token in names:
        if token.word in (_WRITING[:4] if verb == "WITH" else (verb,)):
            break
    for token in names:
        if token.kind in ("word", "name") and token.word not in _BETWEEN:
            return _name(token)
    return ""


def _head(tokens: list[_Token], *words: str) -> int:
    """Return the index after the head of a statement; the token before it is the table."""
    place = 1
    while tokens[place].word in _BETWEEN:
        place += 1
    _name(tokens[place])
    following = tokens[place + 1] if len(tokens) > place + 1 else None
    if following is not None and following.word not in words and following.text not in words:
        raise _NotSimple
    return place + 1


def _insert(sql: str, tokens: list[_Token], verb: str) -> WriteStatement:
    at = _head(tokens, "(", "DEFAULT", "VALUES")
    head = [each.word for each in tokens[: at - 1]]
    conflicts = verb == "REPLACE" or "IGNORE" in head or "OR" in head
    columns: list[str] = []
    rest = at
    if tokens[at].text == "(":
        rest = _closing(tokens, at) + 1
        columns = [_name(each) for each in tokens[at + 1 : rest - 1] if each.text != ","]
    if tokens[rest].word == "DEFAULT":
        values: list[list[list[_Token]]] = [[]]
        end = rest + 2
    elif tokens[rest].word == "VALUES":
        values, end = _values(tokens, rest + 1)
    else:
        raise _NotSimple
    tail = [each.word for each in tokens[end:]]
    if any(len(each) != len(columns) for each in values):
        raise _NotSimple
    bound = 0
    places: list[int | None] = []
    for each in (value for row in values for value in row):
        places.append(bound if [token.kind for token in each] == ["mark"] else None)
        bound += sum(token.kind == "mark" for token in each)
    return WriteStatement(
        "insert", _name(tokens[at - 1]), tokens[at - 1].text, tuple(columns), tuple(places), len(values),
        conflicts or "ON" in tail, "RETURNING" in tail, text=_without_values(sql),
    )  # fmt: skip


def _closing(tokens: list[_Token], opening: int) -> int:
    depth = tokens[opening].depth
    return next(at for at in range(opening + 1, len(tokens)) if tokens[at].text == ")" and tokens[at].depth == depth)


def _values(tokens: list[_Token], at: int) -> tuple[list[list[list[_Token]]], int]:
    """Return the values of each row, as tokens, and the index after them."""
    rows = []
    while at < len(tokens) and tokens[at].text == "(":
        end = _closing(tokens, at)
        rows.append(_parts(tokens[at + 1 : end], tokens[at].depth + 1))
        at = end + 1
        if at < len(tokens) and tokens[at].text == ",":
            at += 1
    return rows, at


def _parts(tokens: list[_Token], depth: int) -> list[list[_Token]]:
    """Split tokens at commas."""
    grouped = groupby(tokens, lambda each: each.text == "," and each.depth == depth)
    return [list(part) for is_comma, part in grouped if not is_comma]


def _update(sql: str, tokens: list[_Token]) -> WriteStatement:
    at = _head(tokens, "SET")
    if any(each.word in ("OR", "IGNORE") for each in tokens[: at - 1]):
        raise _NotSimple
    where = next((place for place, each in enumerate(tokens) if each.word == "WHERE" and each.depth == 0), len(tokens))
    if any(each.word in ("FROM", "ORDER", "LIMIT", "RETURNING") for each in tokens[at:where] if each.depth == 0):
        raise _NotSimple
    columns: list[str] = []
    places: list[int | None] = []
    bound = 0
    for part in _parts(tokens[at + 1 : where], 0):
        equals = next(place for place, each in enumerate(part) if each.text == "=")
        columns.append(_name(part[equals - 1]))
        value = part[equals + 1 :]
        places.append(bound if [each.kind for each in value] == ["mark"] else None)
        bound += sum(each.kind == "mark" for each in value)
    condition, key, returning = _condition(sql, tokens, where)
    return WriteStatement(
        "update", _name(tokens[at - 1]), tokens[at - 1].text, tuple(columns), tuple(places), 0, False, returning, bound,
        condition, key, _without_values(sql),
    )  # fmt: skip


def _delete(sql: str, tokens: list[_Token]) -> WriteStatement:
    if tokens[1].word != "FROM":
        raise _NotSimple
    at = _head(tokens, "WHERE", "RETURNING")
    condition, key, returning = _condition(sql, tokens, at)
    return WriteStatement(
        "delete", _name(tokens[at - 1]), tokens[at - 1].text, returning=returning, condition=condition, key=key,
        text=_without_values(sql),
    )  # fmt: skip


def _condition(sql: str, tokens: list[_Token], where: int) -> tuple[str, str, bool]:
    """Return the condition, its only column if it compares one with a value, and whether rows are returned."""
    rest = tokens[where:]
    returning = next((each.start for each in rest if each.word == "RETURNING" and each.depth == 0), None)
    if not rest or rest[0].word != "WHERE":
        return "", "", returning is not None
    condition = sql[rest[0].start + 5 : returning].strip().rstrip(";").strip()
    inner = [each for each in rest[1:] if each.text not in "()" and (returning is None or each.start < returning)]
    key = ""
    alone = len(inner) == 3 or (len(inner) == 5 and inner[1].text == ".")
    if alone and inner[-2].text == "=" and inner[-1].kind == "mark":
        key = _name(inner[-3])
    return condition, key, returning is not None
