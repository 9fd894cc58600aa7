"""Whether anybody represents anybody: who asks for representatives need not look where there are none at all."""

from __future__ import annotations

from core import bump, cached, query

#: users with a role in a document count, too; by name: the module of documents builds on this one
_ANYBODY = (
    "SELECT EXISTS (SELECT 1 FROM llx_societe_commerciaux) OR EXISTS (SELECT 1 FROM llx_element_contact e "
    "JOIN llx_c_type_contact r ON r.rowid = e.fk_c_type_contact WHERE r.source = 'internal')"
)


@cached
def anybody_represents() -> bool:
    """Whether any user represents a third party, or has a role in a document. Kept in memory."""
    return bool(query(_ANYBODY)[0][0])


def note_representative() -> None:
    """Let every worker know that there is one from now on, in the transaction that writes it and before it does."""
    if not anybody_represents():
        bump()
