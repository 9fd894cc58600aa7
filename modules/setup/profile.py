"""Where the two profiles part: the own company."""

from core import Point

POINTS = {
    "company_as_recorded": Point(
        "whether the own company has every key that release 16 answers, most of them empty",
        specification=False,
        dolibarr16=True,
    ),
    "unknown_words_are_refused": Point(
        "whether a list is refused that a word nobody knows would leave empty: a role, a kind of record",
        specification=True,
        dolibarr16=False,
    ),
}
