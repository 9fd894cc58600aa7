"""Differences between the two profiles: users."""

from core import Point

POINTS = {
    "rights_as_object": Point(
        "whether `rights` of a user is always an object with the names of Dolibarr 16",
        specification=False,
        dolibarr16=True,
    ),
    "administrator_entity": Point(
        "`entity` of an administrator; None: the stored one, as of every user",
        specification=None,
        dolibarr16=0,
    ),
}
