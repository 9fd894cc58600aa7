"""Setup: the constants that an administrator sets."""

from __future__ import annotations

from peewee import AutoField, CharField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import Model, utc_now


class Constant(Model):
    """A named value that steers the server, such as ``SOCIETE_CODECLIENT_ADDON``."""

    id = AutoField(column_name="rowid")
    name = CharField(max_length=180, unique=True)
    entity = IntegerField(default=1)
    value = TextField(null=True)
    type = CharField(max_length=64, null=True, default="chaine")
    visible = SmallIntegerField(default=1, help_text="0: never answered")
    note = TextField(null=True)
    tms = DateTimeField(default=utc_now)

    class Meta:
        table_name = "llx_const"
        # Neither filtered nor sorted by; what may be shown of it is added in listing.py
        secret = ("value",)
