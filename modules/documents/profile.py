"""Differences between the two profiles for files of records."""

from core import Point

POINTS = {
    "path_leads_out": Point(
        "status of the error for a file path that leaves the documents folder",
        specification=400,
        dolibarr16=401,
    ),
    "kind_not_printed": Point(
        "status of the error for generating a PDF of a record type that has none",
        specification=400,
        dolibarr16=403,
    ),
    "builddoc_shows_used": Point(
        "whether builddoc returns the template it used instead of the requested one, or the record's",
        specification=True,
        dolibarr16=False,
    ),
}
