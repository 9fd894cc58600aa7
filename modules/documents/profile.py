"""Where the two profiles part: files of records."""

from core import BadRequest, Forbidden, Point, Unauthorized

POINTS = {
    "path_leads_out": Point(
        "the error of a path of a file that leads out of the folder of files",
        specification=BadRequest,
        dolibarr16=Unauthorized,
    ),
    "kind_not_printed": Point(
        "the error where a document is wanted of a kind of record that has none",
        specification=BadRequest,
        dolibarr16=Forbidden,
    ),
}
