"""All rows, in the order of the table: importing a section adds its rows."""

from . import accounts, audit, files, hooks, improper, injection, keys, messages, others, outgoing, rights, texts
from .rows import ROWS

#: the row that looks at every answer of all others
ALWAYS = "always"
_SECTIONS = (injection, texts, others, rights, keys, hooks, files, outgoing, improper, messages, accounts, audit)
_ORDER = [section.__name__ for section in _SECTIONS]
#: the names of all rows
NAMES = sorted(ROWS, key=lambda name: _ORDER.index(ROWS[name].attack.__module__))
#: the rows that are also tried on a server in the process of the tests: each kind, without clocks and without threads
INSIDE = (
    *("S1", "S2", "S3", "S5", "S12", "S20", "S24", "S25", "S27", "S30", "S41", "S42", "S44", "S46", "S50", "S51", "S52"),
    *("S44-signatures", "S52-shown", "redirects", "S60", "S61", "S80", "S82", "representatives", "audit-secrets"),
)  # fmt: skip
