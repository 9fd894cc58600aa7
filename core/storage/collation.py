r"""Patterns of `like` ignore case but not accents, on every database.

Two characters differ only in case if they have the same lower case (`fold`). Each kind of database compares a pattern
in its own way (`Backend.like_condition`): over all of Unicode, PostgreSQL's ``C.utf8`` and MariaDB's ``uca1400`` have
the lower case of Python.

SQLite's own LIKE ignores the case of ASCII only. A pattern with another character also becomes a GLOB, in which ``é``
is ``[éÉ]``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

#: characters outside of ASCII whose lower case is in it: for SQLite's LIKE they are other characters
STRANGERS = {"i": "\u0130", "k": "\u212a"}
#: above the last character that has an upper case
LAST = 0x1F000
#: a text that shows whether a database converts to lower case as `fold` does
PROBE = "ÉİΣЖẞΑΣ i\u212a"


def fold(text: str) -> str:
    """Return a text in lower case, with as many characters as before."""
    # In Python, the lower case of a sigma depends on its neighbours, and that of the Turkish I has two characters
    return text.lower() if text.isascii() else text.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower()


def sqlite_like(subject: str, pattern: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition for a pattern of `like` in SQLite, and the values it binds."""
    like = f"{subject} LIKE ? ESCAPE '\\'"
    strangers = [other for each, other in STRANGERS.items() if each in fold(pattern)]
    if pattern.isascii() or all(each.isascii() or len(_forms(each)) == 1 for each in pattern):
        if not strangers:
            return like, (pattern,)
        held = " OR ".join([f"INSTR({subject}, ?)"] * len(strangers))
        return f"({like} OR (({held}) AND {subject} GLOB ?))", (pattern, *strangers, glob(pattern))
    # LIKE searches for a text and leaves few rows to GLOB, which tries each position
    return f"({like} AND {subject} GLOB ?)", (_rough(pattern), glob(pattern))


def glob(pattern: str) -> str:
    """Return a pattern of `like` as one of GLOB."""
    made = []
    for each, wild in characters(pattern):
        forms = _forms(each)
        if wild:
            made.append("*" if each == "%" else "?")
        else:
            made.append(f"[{forms}]" if len(forms) > 1 or each in "*?[" else each)
    return "".join(made)


def _rough(pattern: str) -> str:
    """Return a pattern of LIKE that finds at least the same texts; `_` replaces characters whose case LIKE compares."""
    return "".join(
        each if wild else "_" if not _forms(each).isascii() else f"\\{each}" if each in "\\%_" else each
        for each, wild in characters(pattern)
    )


def characters(pattern: str) -> Iterator[tuple[str, bool]]:
    """Yield the characters of a pattern, and whether each is a wildcard."""
    escaped = False
    for each in pattern:
        if each == "\\" and not escaped:
            escaped = True
            continue
        yield each, each in "%_" and not escaped
        escaped = False


def _forms(letter: str) -> str:
    """Return a character and those that differ from it only in case."""
    return _classes().get(fold(letter), letter)


@cache
def _classes() -> dict[str, str]:
    found = defaultdict(list)
    for number in range(LAST):
        letter = chr(number)
        if letter.lower() != letter:
            found[fold(letter)].append(letter)
    return {small: small + "".join(others) for small, others in found.items()}
