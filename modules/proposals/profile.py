"""Differences between the two profiles: proposals."""

from core import Point

POINTS = {
    "validity_days": Point(
        "days from a proposal's date to its end of validity if none is sent; None: it ends on 1970-01-01",
        specification=None,
        dolibarr16=15,
    ),
}
