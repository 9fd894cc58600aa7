"""What happens to records elsewhere and concerns their files."""

from __future__ import annotations

from typing import Any

from ..setup.constants import constant
from .building import build, build_again
from .files import files_of
from .keeping import discard, follow
from .kinds import kind_served_by
from .templates import can_build


def after_any_validated(service: str, record: dict[str, Any]) -> None:
    """A document that has its reference takes its files along, and is built."""
    kind = kind_served_by(service)
    if kind is None:
        return
    identifier = int(record["id"])
    follow(kind, identifier, kind.folder_of(record.get("ref"), identifier))
    if can_build(kind):
        build(kind, identifier)


def after_any_signed(service: str, record: dict[str, Any]) -> None:
    """A document that has moved on is built again."""
    kind = kind_served_by(service)
    if kind is not None and can_build(kind) and constant("MAIN_DISABLE_PDF_AUTOUPDATE", "0") in ("", "0"):
        build_again(kind, int(record["id"]))


after_any_refused = after_any_billed = after_any_paid = after_any_signed


def before_any_deleted(service: str, record: dict[str, Any]) -> None:
    """A record that goes takes its files along."""
    kind = kind_served_by(service)
    if kind is not None:
        discard(files_of(kind, int(record["id"])))
