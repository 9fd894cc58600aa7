"""Where the two profiles part: documents of every kind."""

from core import Point

POINTS = {
    "put_replaces": Point(
        "whether PUT of a proposal or an order sets what is not sent back to its default",
        specification=True,
        dolibarr16=False,
    ),
    "documents_as_recorded": Point(
        "whether documents and their lines say what release 16 says of them, and in its form",
        specification=False,
        dolibarr16=True,
    ),
    "agreed_documents_stay": Point(
        "whether a signed or billed proposal, and a shipped, closed or billed order, cannot be deleted",
        specification=True,
        dolibarr16=False,
    ),
    "added_lines_by_id": Point(
        "whether POST of a list of lines answers their identifiers, and not how many they are",
        specification=True,
        dolibarr16=False,
    ),
}
