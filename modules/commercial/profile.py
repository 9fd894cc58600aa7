"""Differences between the profiles for all kinds of documents."""

from core import Point

POINTS = {
    "put_replaces": Point(
        "whether PUT of a proposal or an order resets fields that are not sent to their defaults",
        specification=True,
        dolibarr16=False,
    ),
    "documents_as_recorded": Point(
        "whether documents and their lines have the fields and formats of Dolibarr 16",
        specification=False,
        dolibarr16=True,
    ),
    "margins_as_text": Point(
        "whether `marge_tx` and `marque_tx` of lines are written as columns are, instead of as numbers",
        specification=True,
        dolibarr16=False,
    ),
    "agreed_documents_stay": Point(
        "whether deleting a signed or billed proposal or a shipped, closed or billed order is rejected",
        specification=True,
        dolibarr16=False,
    ),
    "date_is_today": Point(
        "whether a new document without a date is one of today",
        specification=True,
        dolibarr16=False,
    ),
    "empty_lines_are_refused": Point(
        "whether a new line without text, product and price is rejected",
        specification=True,
        dolibarr16=False,
    ),
    "mistaken_names_are_refused": Point(
        "whether names for amounts that a document or a line doesn't have, such as `unit_price`, are rejected",
        specification=True,
        dolibarr16=False,
    ),
    "discounts_are_limited": Point(
        "whether a discount of a document or a line below 0 or above 100 percent is rejected",
        specification=True,
        dolibarr16=False,
    ),
    "added_lines_by_id": Point(
        "whether POST of a list of lines returns their IDs instead of their number",
        specification=True,
        dolibarr16=False,
    ),
    "coin_by_line": Point(
        "whether the amounts of each line are rounded to the smallest coin, instead of the total of the document",
        specification=False,
        dolibarr16=True,
    ),
}
