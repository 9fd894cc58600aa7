"""Setup: the constants that an administrator sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from peewee import AutoField, CharField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import Model, utc_now


class ConstantAnswers(TypedDict, total=False):
    """What is shown of a constant's value."""

    value: Annotated[str | None, "null where the name looks like a secret's, or visible is 0"]


_SECRET = re.compile(r"_KEY|_PASS|PASSWORD|_PW$|PWD|SECRET|TOKEN|_SALT|CREDENTIAL|CRYPT")


def is_secret(name: str) -> bool:
    """Whether a constant's name looks like that of a secret."""
    return _SECRET.search(name.upper()) is not None


def _shown(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What the audit trail shows: the value, under the conditions under which it is answered."""
    return ("value",) if row["visible"] and not is_secret(row["name"] or "") else ()


class Constant(Model):
    """A named value that steers the server, such as ``SOCIETE_CODECLIENT_ADDON``."""

    id = AutoField(column_name="rowid")
    name = CharField(max_length=180, unique=True)
    entity = IntegerField(default=1)
    value = TextField(null=True)
    type = CharField(max_length=64, null=True, default="chaine")
    visible = SmallIntegerField(default=1, choices=((0, "no"), (1, "yes")), help_text="0: its value is never answered")
    note = TextField(null=True)
    tms = DateTimeField(default=utc_now)

    class Meta:
        table_name = "llx_const"
        # No filter or sort order may name it; what may be shown of it is added in listing.py
        secret = ("value",)
        context = ("name", "visible")
        reveals = _shown
        answers = ConstantAnswers
