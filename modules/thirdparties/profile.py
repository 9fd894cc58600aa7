"""Differences between the two profiles: third parties."""

from core import Point

POINTS = {
    "changed_codes_are_refused": Point(
        "whether another code for a third party that has one is rejected, instead of ignored with a `Warning`",
        specification=True,
        dolibarr16=False,
    ),
}
