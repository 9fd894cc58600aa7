"""Differences between the two profiles: the company, and the responses of all modules."""

from core import Point

POINTS = {
    "actions_answer_record": Point(
        "whether every action and every link returns the record instead of a number or the success object",
        specification=True,
        dolibarr16=False,
    ),
    "company_as_recorded": Point(
        "whether the company has every key of Dolibarr 16, most of them empty",
        specification=False,
        dolibarr16=True,
    ),
    "unknown_constants_are_stored": Point(
        "whether a constant that no module declares is stored, with a warning, instead of rejected",
        specification=False,
        dolibarr16=True,
    ),
    "unknown_words_are_refused": Point(
        "whether a list with an unknown filter value, such as a role or a record type, is rejected",
        specification=True,
        dolibarr16=False,
    ),
}
