"""What a statement writes, read from its text: which table, which columns, which rows.

One text is read once. What is not simple enough is known to write, and which table; more is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

_TOKEN = re.compile(
    r"""(?P<text>'(?:[^'\\]|''|\\.)*')|(?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`)|(?P<mark>\?|%s)|(?P<number>\d[\w.]*)
    |(?P<word>[A-Za-z_][\w$]*)|(?P<comment>--|/\*|\#)|(?P<other>\S)""",
    re.VERBOSE,
)
_ROWS = re.compile(r"(\([?, ]+\))(?:, ?\([?, ]+\))+")
_WRITING = ("INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "TRUNCATE", "MERGE", "LOAD", "COPY")
#: words that may stand between the verb and the table
_BETWEEN = ("INTO", "FROM", "OR", "IGNORE", "REPLACE", "ROLLBACK", "ABORT", "FAIL", "LOW_PRIORITY", "DELAYED", "QUICK",
            "HIGH_PRIORITY", "TABLE", "ONLY")  # fmt: skip
#: letters that are kept of the text of a statement that cannot be compared
_LONGEST = 1000


@dataclass(frozen=True)
class WriteStatement:
    """What a statement writes.

    :param verb: ``insert``, ``update``, ``delete``; ``other``: what it changes cannot be read from its text
    :param target: the table as the text spells it
    :param columns: what an insert or an update sets
    :param places: of which of the values that are bound each takes its own; None: of an expression
    :param rows: how many rows an insert has
    :param conflicts: an insert may leave rows out, or change others
    :param returning: it answers rows
    :param before: how many values are bound in front of the condition
    :param condition: what stands behind WHERE; empty: all rows
    :param key: the column that the condition alone compares with a value; empty: it is another condition
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
    """The text is of a form that is not read further."""


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
    """What a statement writes; None: no rows."""
    first = sql.lstrip()[:12].upper()
    if not first.startswith(_WRITING) and not first.startswith(("(", "-", "/", "#", "EXPLAIN", "CALL")):
        return None
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
    # Of many rows alike one is enough
    return _ROWS.sub(r"\1, …", " ".join(plain.split()))[:_LONGEST]


def _name(token: _Token) -> str:
    if token.kind == "word":
        return token.text
    if token.kind == "name":
        return token.text[1:-1]
    raise _NotSimple


def _table_of(tokens: list[_Token], verb: str) -> str:
    """The table that is written to, as far as that can be seen."""
    names = iter(tokens)
    for token in names:
        if token.word in (_WRITING[:4] if verb == "WITH" else (verb,)):
            break
    for token in names:
        if token.kind in ("word", "name") and token.word not in _BETWEEN:
            return _name(token)
    return ""


def _head(tokens: list[_Token], *words: str) -> int:
    """Where what follows a head of these words stands; the table is the token in front of it."""
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
    """The values of each row, as tokens, and where they end."""
    rows = []
    while at < len(tokens) and tokens[at].text == "(":
        end = _closing(tokens, at)
        rows.append(_parts(tokens[at + 1 : end], tokens[at].depth + 1))
        at = end + 1
        if at < len(tokens) and tokens[at].text == ",":
            at += 1
    return rows, at


def _parts(tokens: list[_Token], depth: int) -> list[list[_Token]]:
    """What stands between commas."""
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
    """The condition, the column that it alone compares with a value, and whether rows are answered."""
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
