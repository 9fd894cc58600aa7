"""Cached check for representatives: if none exist, queries can skip them."""

from __future__ import annotations

from core import query
from core.for_natives import bump, cached

#: users with a role in a document also count; tables by name, because the documents module depends on this one
_ANYBODY = (
    "SELECT EXISTS (SELECT 1 FROM llx_societe_commerciaux) OR EXISTS (SELECT 1 FROM llx_element_contact e "
    "JOIN llx_c_type_contact r ON r.rowid = e.fk_c_type_contact WHERE r.source = 'internal')"
)


@cached
def anybody_represents() -> bool:
    """Return whether any user represents a third party or has a role in a document. Cached in memory."""
    return bool(query(_ANYBODY)[0][0])


def note_representative() -> None:
    """Update the cache of every worker. Call this in the transaction, before the representative is written."""
    if not anybody_represents():
        bump()
