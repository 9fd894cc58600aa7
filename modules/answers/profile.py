"""Where the two profiles part: what operations of every module answer."""

from core import Point

POINTS = {
    "deletions_answer_success": Point(
        "whether every DELETE answers the success object, and none a number or a record",
        specification=True,
        dolibarr16=False,
    ),
    "actions_answer_record": Point(
        "whether every action and every link answers the record, and none a number or the success object",
        specification=True,
        dolibarr16=False,
    ),
}
