"""Masking of keys, passwords and queries in logs and messages.

A client can send a long line that ends up in the log, so every expression here runs in linear time.
"""

from __future__ import annotations

import re

#: the query of a path
_QUERY = re.compile(r"(?<![^\s'\"])([^\s'\"/]*/[^\s?'\"]*\?)[^\s'\"]+")
_KEY = re.compile(r"(?i)((?:DOLAPIKEY|api_key|password)(?:=|:\s*))[^&\s'\"]+")
_WORD = re.compile(r"\S+")
#: the part of a URL before its password
_UP_TO_PASSWORD = re.compile(r"://[^\s:/@]*:")


def hide_password(url: str) -> str:
    """Return a text with the passwords of its URLs masked."""
    return _WORD.sub(_without_password, url) if "://" in url else url


def _without_password(word: re.Match[str]) -> str:
    text = word[0]
    # A password may contain an @
    end = text.rfind("@")
    begin = _UP_TO_PASSWORD.search(text, 0, max(end, 0))
    return f"{text[: begin.end()]}…{text[end:]}" if begin and begin.end() < end else text


def masked(text: str) -> str:
    """Return a text with the queries of its paths, its keys and its passwords masked."""
    if "?" in text:
        text = _QUERY.sub(r"\1…", text)
    return hide_password(_KEY.sub(r"\1…", text))
