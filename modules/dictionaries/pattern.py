"""Common fields of the models of dictionaries."""

from __future__ import annotations

from typing import Annotated, TypedDict

from peewee import CharField, IntegerField, SmallIntegerField

from core import Model
from core.for_natives import OnlyWhere

NO_YES = ((0, "no"), (1, "yes"))
OFFERED = ((0, "hidden"), (1, "offered"))
#: keys that not every profile has
OURS = OnlyWhere("entries_have_ids")


class EntryAnswers(TypedDict, total=False):
    """The fields of an entry that Dolibarr 16 leaves out."""

    id: Annotated[int, IntegerField, OURS, "identifier of the entry"]
    active: Annotated[int, SmallIntegerField, OURS, "0: hidden"]


class Row(Model, pattern=True):
    """An entry of a dictionary, without code and label."""

    id = IntegerField(column_name="rowid", primary_key=True)
    active = SmallIntegerField(default=1, choices=OFFERED, help_text="0: hidden")

    class Meta:
        aliases = {"rowid": "id"}


class Entry(Row, pattern=True):
    """An entry with a code and a label."""

    code = CharField(max_length=50, unique=True, help_text="code")
    label = CharField(max_length=255, help_text="label")

    class Meta:
        required = ("code", "label")
        example = {"code": "OWN", "label": "Of our own"}


class Numbered(Entry, pattern=True):
    """An entry whose column is called `id` in its table."""

    id = IntegerField(primary_key=True)
    label = CharField(column_name="libelle", max_length=255, help_text="label")
    position = IntegerField(default=0, help_text="position")
    module = CharField(max_length=32, null=True, help_text="module that added the entry")


class Positioned(Entry, pattern=True):
    """An entry of a dictionary of tickets or staff."""

    pos = IntegerField(default=0, help_text="position")


class OfTickets(Positioned, pattern=True):
    """An entry of a dictionary of tickets."""

    use_default = SmallIntegerField(default=0, choices=NO_YES, help_text="1: used by default")
    description = CharField(max_length=255, null=True, help_text="description")
