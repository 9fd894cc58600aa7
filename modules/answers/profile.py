"""Differences between the profiles for the responses of all modules."""

from core import Point

POINTS = {
    "actions_answer_record": Point(
        "whether every action and every link returns the record instead of a number or the success object",
        specification=True,
        dolibarr16=False,
    ),
}
