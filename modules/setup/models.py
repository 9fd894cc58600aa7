"""Setup: the constants that an administrator sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from peewee import AutoField, CharField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import Model, now
from core.for_natives import declared_setting

from ..dictionaries.codes import PlaceCodes


class ConstantAnswers(TypedDict, total=False):
    """What is shown of a constant's value."""

    value: Annotated[
        str | None, "null if the name looks like a secret's, the value holds a URL with a password, or visible is 0"
    ]


_SECRET = re.compile(
    r"_KEY|API_?KEY|PRIVATE_?KEY|_PASS|PASSWORD|_PW$|PWD|SECRET|TOKEN|_SALT|CREDENTIAL|CRYPT"
    r"|(?:^|_)(?:AUTH|BEARER|PIN)(?:_|$)"
)
#: user and password in a URL: ``postgresql://user:pass@host``
_CREDENTIALS = re.compile(r"://[^\s/?#:@]*:[^\s/?#@]+@")


def is_secret(name: str) -> bool:
    """Return whether a constant's name looks like that of a secret, or is that of a module's secret setting.

    The setting of a module that can't be loaded, or is gone, may have been a secret.
    """
    declared = declared_setting(name)
    is_unknown = declared is None and "." in name
    return is_unknown or bool(declared and declared.is_secret) or _SECRET.search(name.upper()) is not None


def may_show(name: str, value: str, visible: int) -> bool:
    """Return whether responses may contain a constant's value."""
    return bool(visible) and not is_secret(name) and _CREDENTIALS.search(value) is None


def _shown(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that the audit trail shows: the value, under the same conditions as in responses."""
    return ("value",) if may_show(row["name"] or "", row["value"] or "", row["visible"]) else ()


class Constant(Model):
    """A named value that steers the server, such as ``SOCIETE_CODECLIENT_ADDON``."""

    id = AutoField(column_name="rowid")
    name = CharField(max_length=180, unique=True, help_text="name")
    entity = IntegerField(default=1, help_text="the company; always 1")
    value = TextField(null=True)
    type = CharField(max_length=64, null=True, default="chaine", help_text="type")
    visible = SmallIntegerField(default=1, choices=((0, "no"), (1, "yes")), help_text="0: its value is never answered")
    note = TextField(null=True, help_text="note")
    tms = DateTimeField(default=now, help_text="time of the last change")

    class Meta:
        table_name = "llx_const"
        # Filters and sort orders can't use the value; listing.py adds it to responses if it may be shown
        secret = ("value",)
        context = ("name", "visible", "value")
        reveals = _shown
        answers = ConstantAnswers


class EstablishmentAnswers(TypedDict, total=False):
    """What an establishment holds besides its columns."""

    country_code: Annotated[str | None, "ISO 3166-1 code of two letters of the country"]


class Establishment(Model):
    """A place where the company works."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, help_text="the company; always 1")
    ref = CharField(max_length=30, null=True, help_text="reference")
    label = CharField(max_length=255, help_text="its name")
    status = SmallIntegerField(default=1, choices=((0, "closed"), (1, "open")))
    address = CharField(max_length=255, null=True, help_text="street and house number")
    zip = CharField(max_length=25, null=True, help_text="postal code")
    town = CharField(max_length=50, null=True, help_text="town")
    state_id = IntegerField(column_name="fk_state", null=True, help_text="state or county")
    country_id = IntegerField(column_name="fk_country", null=True, help_text="country; 0: none")
    profid1 = CharField(max_length=20, null=True, help_text="its number in a register")
    phone = CharField(max_length=20, null=True, help_text="phone number")
    date_creation = DateTimeField(column_name="datec", null=True, help_text="time of creation")
    date_modification = DateTimeField(column_name="tms", null=True, help_text="time of the last change")
    user_creation = IntegerField(column_name="fk_user_author", null=True, help_text="user who created it")
    user_modification = IntegerField(column_name="fk_user_mod", null=True, help_text="user who changed it last")

    class Meta:
        table_name = "llx_establishment"
        managed = ("id", "entity", "date_creation", "date_modification", "user_creation", "user_modification")
        stamps = ("date_modification", "user_modification")
        example = {"label": "Workshop", "zip": "69002", "town": "Lyon", "country_id": 1}
        answers = EstablishmentAnswers
        accepts = PlaceCodes
