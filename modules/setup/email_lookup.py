"""Reading a record by its email address, whose case is ignored."""

from __future__ import annotations

from typing import Any

from core import Conflict, ListQuery, Records

#: characters of a search, and records that it may find
MAX_SEARCH_CHARS, MAX_FOUND = 200, 100


def read_by_email(records: Records[Any], email: str, **options: Any) -> dict[str, Any]:
    """Return the record with an email address; one that is spelt alike is preferred.

    The search index finds the others, so no table is read as a whole.

    :param options: parameters of `read`
    :raises NotFound: there is no such record, or the caller may not see it
    :raises Conflict: several records have the address
    """
    if not records.fields_of(("id",), {"email": email}):
        near = records.page(ListQuery(q=email[:MAX_SEARCH_CHARS], limit=MAX_FOUND, properties="id,email"))
        spelt = [each["email"] for each in near if str(each["email"]).lower() == email.lower()]
        if len(spelt) > 1:
            reason = f"expected one {records.noun.lower()} with this value, got {len(spelt)}; use the ID instead"
            raise Conflict(f"`email`: {reason}", errors=[("email", reason)])
        email = spelt[0] if spelt else email
    return records.read(email, "email", **options)
