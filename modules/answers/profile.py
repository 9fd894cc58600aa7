"""Where the two profiles part: what operations of every module answer."""

from core import Point

POINTS = {
    "actions_answer_record": Point(
        "whether every action and every link returns the record instead of a number or the success object",
        specification=True,
        dolibarr16=False,
    ),
}
