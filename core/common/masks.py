"""What is left out of whatever people or logs are shown: keys, passwords, queries.

Anybody may send a long line that ends in the log, so nothing here looks at a letter more than a few times.
"""

from __future__ import annotations

import re

#: the query of a path, in a word from its beginning
_QUERY = re.compile(r"(?<![^\s'\"])([^\s'\"/]*/[^\s?'\"]*\?)[^\s'\"]+")
_KEY = re.compile(r"(?i)((?:DOLAPIKEY|api_key|password)(?:=|:\s*))[^&\s'\"]+")
_WORD = re.compile(r"\S+")
#: the beginning of a database's or a store's URL, up to its password
_UP_TO_PASSWORD = re.compile(r"://[^\s:/@]*:")


def hide_password(url: str) -> str:
    """A URL that may be shown."""
    return _WORD.sub(_without_password, url) if "://" in url else url


def _without_password(word: re.Match[str]) -> str:
    text = word[0]
    # It may hold what is otherwise the end of one
    end = text.rfind("@")
    begin = _UP_TO_PASSWORD.search(text, 0, max(end, 0))
    return f"{text[: begin.end()]}…{text[end:]}" if begin and begin.end() < end else text


def masked(text: str) -> str:
    """A text without queries, and without what follows the name of a key or of a password."""
    if "?" in text:
        text = _QUERY.sub(r"\1…", text)
    return hide_password(_KEY.sub(r"\1…", text))
