r"""What letters mean: exact where values are compared, blind to case in patterns and sort orders, the same everywhere.

Accents always count. Two letters differ in case alone if they have the same small letter (`fold`); in a sort order the
code points of small letters count, so that ``é`` comes behind ``z``, and NULL comes first. Each kind of database says
it in its own way (`looked_at` and `sort_key`): measured over all of Unicode, PostgreSQL's ``C.utf8`` and
MariaDB's ``uca1400`` have the small letters of Python.

SQLite's own LIKE knows the case of ASCII alone. A pattern with another letter is a GLOB besides, in which ``é`` is
``[éÉ]``; no function of Python is called for each row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

#: the function and the collation that SQLite's connections are given
FOLD, LETTERS = "comptoir_fold", "comptoir_letters"
#: how the names of indexes in the order of lists end, and of MariaDB's columns for them
LETTERS_END = "__letters"
#: letters outside of ASCII whose small letter is in it: SQLite's LIKE takes them for others
STRANGERS = {"i": "\u0130", "k": "\u212a"}
#: behind the last letter that has capitals
LAST = 0x1F000
#: what small letters are tried with
PROBE = "ÉİΣЖẞΑΣ i\u212a"


def fold(text: str) -> str:
    """A text in small letters, each letter for itself: as many as before."""
    # Python looks at what stands around a sigma, and makes two letters of the Turkish capital
    return text.lower() if text.isascii() else text.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower()


def folded(text: object) -> object:
    """The same of whatever a column of SQLite may hold."""
    return fold(text) if isinstance(text, str) else text


def compare(one: str, other: str) -> int:
    """How two texts stand in a sort order, as a collation of SQLite says it."""
    one, other = fold(one), fold(other)
    return (one > other) - (one < other)


def sqlite_like(subject: str, pattern: str) -> tuple[str, tuple[str, ...]] | None:
    """What a pattern of `like` means in SQLite; None: what its own LIKE takes it for."""
    like = f"{subject} LIKE ? ESCAPE '\\'"
    strangers = [other for each, other in STRANGERS.items() if each in fold(pattern)]
    if pattern.isascii() or all(each.isascii() or len(_forms(each)) == 1 for each in pattern):
        if not strangers:
            return None
        held = " OR ".join([f"INSTR({subject}, ?)"] * len(strangers))
        return f"({like} OR (({held}) AND {subject} GLOB ?))", (pattern, *strangers, glob(pattern))
    # LIKE, which looks for a text where GLOB tries each place, leaves few rows to it
    return f"({like} AND {subject} GLOB ?)", (_rough(pattern), glob(pattern))


def glob(pattern: str) -> str:
    """A pattern of `like` as one of GLOB."""
    made = []
    for each, wild in _signs(pattern):
        forms = _forms(each)
        if wild:
            made.append("*" if each == "%" else "?")
        else:
            made.append(f"[{forms}]" if len(forms) > 1 or each in "*?[" else each)
    return "".join(made)


def _rough(pattern: str) -> str:
    """A pattern of LIKE that whatever fits a pattern does: any letter for those that LIKE does not know."""
    strange = [not wild and any(not form.isascii() for form in _forms(each)) for each, wild in _signs(pattern)]
    return "".join(
        "_" if strange[place] else each if wild or each not in "\\%_" else f"\\{each}"
        for place, (each, wild) in enumerate(_signs(pattern))
    )


def _signs(pattern: str) -> Iterator[tuple[str, bool]]:
    """The characters of a pattern, and whether each stands for others."""
    escaped = False
    for each in pattern:
        if each == "\\" and not escaped:
            escaped = True
            continue
        yield each, each in "%_" and not escaped
        escaped = False


def _forms(letter: str) -> str:
    """The letters that differ from one in case alone, and itself."""
    return _classes().get(fold(letter), letter)


@cache
def _classes() -> dict[str, str]:
    found = defaultdict(list)
    for number in range(LAST):
        letter = chr(number)
        if letter.lower() != letter:
            found[fold(letter)].append(letter)
    return {small: small + "".join(others) for small, others in found.items()}
