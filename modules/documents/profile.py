"""Differences between the two profiles for files of records."""

from core import BadRequest, Forbidden, Point, Unauthorized

POINTS = {
    "path_leads_out": Point(
        "error for a file path that leaves the documents folder",
        specification=BadRequest,
        dolibarr16=Unauthorized,
    ),
    "kind_not_printed": Point(
        "error for generating a PDF of a record type that has none",
        specification=BadRequest,
        dolibarr16=Forbidden,
    ),
    "builddoc_shows_used": Point(
        "whether builddoc returns the template it used instead of the requested one, or the record's",
        specification=True,
        dolibarr16=False,
    ),
}
