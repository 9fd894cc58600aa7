"""Warnings about values whose stored form differs from the sent one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from core import shown, warn

Cleaner = Callable[[str], str | None]


def announced(cleaners: Mapping[str, Cleaner]) -> dict[str, Cleaner]:
    """Return cleaners that add a `Warning` if they change more than the blanks around a text.

    :param cleaners: field → cleaner
    """
    return {name: partial(_announced, name, clean) for name, clean in cleaners.items()}


def _announced(name: str, clean: Cleaner, text: str) -> str | None:
    cleaned = clean(text)
    if cleaned is not None and cleaned != text.strip():
        _warn(name, text, cleaned)
    return cleaned


def warn_of_changes(sent: Mapping[str, Any], stored: Mapping[str, Any], names: Iterable[str]) -> None:
    """Add a `Warning` for each field whose value was sent and isn't the one to store.

    :param stored: the values to store; a field that isn't among them is left out
    """
    for name in names:
        if sent.get(name) is not None and stored.get(name) != sent[name]:
            _warn(name, sent[name], stored.get(name))


def _warn(name: str, sent: Any, stored: Any) -> None:
    warn(f"`{name}`: {shown(sent)} is stored as {shown(stored)}")
