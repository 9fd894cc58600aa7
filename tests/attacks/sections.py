"""All rows, in the order of the table: importing a section adds its rows."""

from . import (
    accounts,
    audit,
    availability,
    bounds,
    companies,
    files,
    improper,
    injection,
    keys,
    loading,
    logins,
    messages,
    others,
    outgoing,
    rates,
    repeats,
    rights,
    texts,
)
from .rows import ROWS

#: the row that looks at every answer of all others
ALWAYS = "always"
_SECTIONS = (
    injection, texts, others, companies, rights, keys, files, outgoing, availability, improper, messages, loading, logins, accounts,
    bounds, audit, repeats, rates,
)  # fmt: skip
_ORDER = [section.__name__ for section in _SECTIONS]
#: the names of all rows
NAMES = sorted(ROWS, key=lambda name: _ORDER.index(ROWS[name].attack.__module__))
