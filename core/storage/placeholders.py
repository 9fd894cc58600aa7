"""Portable SQL as the drivers mark its values: which ``?`` stands for a value, and which is a letter of a text."""

from __future__ import annotations

import re
from functools import lru_cache

_BLOCK = r"/\*.*?(?:\*/|\Z)"
#: a quote within is written twice
_NAME, _BACKTICKS = r'"(?:[^"]|"")*"', r"`(?:[^`]|``)*`"
#: a backslash takes the meaning of what stands behind it
_ESCAPED, _ESCAPED_TEXT = r"'(?:[^'\\]|\\.|'')*'", r'"(?:[^"\\]|\\.|"")*"'

#: what holds no values, and the marks between: a text, a quoted name, a comment
_PARTS = {
    "postgresql": re.compile(
        rf"(?<![A-Za-z0-9_$])[eE]{_ESCAPED}|'(?:[^']|'')*'|{_NAME}|{_BLOCK}|--[^\n]*"
        r"|(?<![A-Za-z0-9_$])(?P<tag>\$(?:[A-Za-z_]\w*)?\$).*?(?P=tag)|[?%]",
        re.DOTALL,
    ),
    # Two dashes are a minus of a negative number unless a space stands behind them
    "mysql": re.compile(rf"{_ESCAPED}|{_ESCAPED_TEXT}|{_BACKTICKS}|{_BLOCK}|--(?:\s[^\n]*|\Z)|#[^\n]*|[?%]", re.DOTALL),
}


@lru_cache(maxsize=512)
def driver_sql(sql: str, kind: str) -> str:
    """Portable SQL for a driver that marks values by ``%s``.

    :param kind: ``postgresql`` or ``mysql``, which end a text differently
    """
    return _PARTS[kind].sub(_spelled, sql)


def _spelled(part: re.Match[str]) -> str:
    return "%s" if part[0] == "?" else part[0].replace("%", "%%")
