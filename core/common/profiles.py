"""The two profiles: every point at which they differ, in one frozen object each.

Nothing else asks which profile is on; it asks the profile for the point it needs.
`modules/BEHAVIOUR.md` tells users of each.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ApiError, Refused, Unchanged


@dataclass(frozen=True)
class Profile:
    """How the few points behave at which the specification and release 16 part."""

    name: str
    #: column values as text, an empty date as "", an empty map as []
    text_values: bool
    #: an empty list of records is 404 with the reference's message
    empty_list_is_missing: bool
    #: PUT of a proposal or an order sets what is not sent back to its default
    put_replaces: bool
    #: days from the date to the end of validity where none is given; None: 1970-01-01
    validity_days: int | None
    #: what an action answers that has been done before
    repeated_action: type[ApiError]
    #: the key may come in the URL, and GET /login exists
    key_in_url: bool
    #: status of a new third party, contact or product that names none
    default_status: int
    #: limit=0 means all rows; otherwise the largest page
    limit_zero_is_all: bool


SPECIFICATION = Profile(
    name="specification",
    text_values=False,
    empty_list_is_missing=False,
    put_replaces=True,
    validity_days=None,
    repeated_action=Refused,
    key_in_url=False,
    default_status=1,
    limit_zero_is_all=False,
)

DOLIBARR16 = Profile(
    name="dolibarr16",
    text_values=True,
    empty_list_is_missing=True,
    put_replaces=False,
    validity_days=15,
    repeated_action=Unchanged,
    key_in_url=True,
    default_status=0,
    limit_zero_is_all=True,
)

PROFILES = {profile.name: profile for profile in (SPECIFICATION, DOLIBARR16)}
