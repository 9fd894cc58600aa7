"""Where the two profiles part: documents of every kind."""

from core import Point

POINTS = {
    "put_replaces": Point(
        "whether PUT of a proposal or an order sets what is not sent back to its default",
        specification=True,
        dolibarr16=False,
    ),
}
