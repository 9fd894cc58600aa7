"""Portable SQL, which has ``?`` for each value, for drivers that have ``%s``."""

from __future__ import annotations

import re
from functools import lru_cache

_BLOCK = r"/\*.*?(?:\*/|\Z)"
#: a quote within is written twice
_NAME, _BACKTICKS = r'"(?:[^"]|"")*"', r"`(?:[^`]|``)*`"
#: a backslash escapes the character after it
_ESCAPED, _ESCAPED_TEXT = r"'(?:[^'\\]|\\.|'')*'", r'"(?:[^"\\]|\\.|"")*"'

#: what holds no values, and the marks between: a text, a quoted name, a comment. PostgreSQL: a backslash is a character
STANDARD = re.compile(
    rf"(?<![A-Za-z0-9_$])[eE]{_ESCAPED}|'(?:[^']|'')*'|{_NAME}|{_BLOCK}|--[^\n]*"
    r"|(?<![A-Za-z0-9_$])(?P<tag>\$(?:[A-Za-z_]\w*)?\$).*?(?P=tag)|[?%]",
    re.DOTALL,
)
#: MariaDB: two dashes are a minus of a negative number unless a space follows
BACKSLASHES = re.compile(rf"{_ESCAPED}|{_ESCAPED_TEXT}|{_BACKTICKS}|{_BLOCK}|--(?:\s[^\n]*|\Z)|#[^\n]*|[?%]", re.DOTALL)


@lru_cache(maxsize=512)
def to_percent_s(sql: str, parts: re.Pattern[str]) -> str:
    """Return portable SQL with ``%s`` for each value.

    :param parts: `STANDARD` or `BACKSLASHES`: where texts and comments of the database end
    """
    return parts.sub(_spelled, sql)


def _spelled(part: re.Match[str]) -> str:
    return "%s" if part[0] == "?" else part[0].replace("%", "%%")
