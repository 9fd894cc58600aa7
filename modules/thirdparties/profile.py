"""Where the two profiles part: third parties and contacts."""

from core import Point

POINTS = {
    "new_thirdparty_status": Point(
        "`status` of a new third party, and `statut` of a new contact, that names none", specification=1, dolibarr16=0
    ),
}
