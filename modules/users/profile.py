"""Where the two profiles part: users."""

from core import Point

POINTS = {
    "rights_as_object": Point(
        "whether a user's rights are an object with the names of release 16, which is always there",
        specification=False,
        dolibarr16=True,
    ),
}
