"""Differences between the profiles: dictionaries."""

from core import Point

POINTS = {
    "entries_have_ids": Point(
        "whether the entries of every dictionary have an ID and `active`, even if Dolibarr leaves them out",
        specification=True,
        dolibarr16=False,
    ),
}
