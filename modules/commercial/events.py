"""Hooks: events of other services that concern documents."""

from __future__ import annotations

from typing import Any

from core import Refused, on

from .models import models_by_element
from .people import release_person
from .roles import EXTERNAL, INTERNAL


@on("contacts.deleted", when="before")
def release_contact(record: dict[str, Any]) -> None:
    """Keep a contact with a role in a document; roles in drafts are removed."""
    release_person(int(record["id"]), EXTERNAL)


@on("users.deleted", when="before")
def release_user(record: dict[str, Any]) -> None:
    """Keep a user with a role in a document, or who wrote an amount; roles in drafts are removed."""
    release_person(int(record["id"]), INTERNAL)


@on("bankaccounts.deleted", when="before")
def keep_used_account(record: dict[str, Any]) -> None:
    """Refuse to delete a bank account that a document uses."""
    naming: list[Any] = [each for each in models_by_element().values() if "fk_account" in each._meta.fields]
    for model in naming:
        if model.select().where(model.fk_account == int(record["id"])).exists():
            raise Refused(f"can't delete bank account {record['id']}: a document uses it", reason="in_use")
