"""What happens elsewhere and concerns documents."""

from __future__ import annotations

from typing import Any

from .roles import release_person


def before_contacts_deleted(record: dict[str, Any]) -> None:
    """A contact that goes keeps no role in any document."""
    release_person(int(record["id"]))
