"""What happens elsewhere and concerns documents."""

from __future__ import annotations

from typing import Any

from core import Refused

from .links import models_by_element
from .precision import check_constant
from .roles import INTERNAL, release_person


def before_contacts_deleted(record: dict[str, Any]) -> None:
    """A contact that is deleted keeps no role in any document."""
    release_person(int(record["id"]))


def before_users_deleted(record: dict[str, Any]) -> None:
    """Nor does a user that is deleted: the next one may get the same identifier."""
    release_person(int(record["id"]), INTERNAL)


def before_bankaccounts_deleted(record: dict[str, Any]) -> None:
    """A document that names a bank account keeps it."""
    naming: list[Any] = [each for each in models_by_element().values() if "fk_account" in each._meta.fields]
    for model in naming:
        if model.select().where(model.fk_account == int(record["id"])).exists():
            raise Refused(f"can't delete bank account {record['id']}: a document uses it", reason="in_use")


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """How finely is computed must be something that can be computed with."""
    check_constant(record["name"], record["value"])
