"""Boxes: fields of each kind that the OpenAPI document shows in its own way."""

from datetime import datetime
from typing import Annotated, TypedDict

from peewee import AutoField, CharField, DateField, IntegerField

from core import ExactField, Model, NumberField, RecordField, Records

SIZES = (("small", "small"), ("large", "large"))


class Box(Model):
    """A box."""

    id = AutoField()
    name = CharField(max_length=20, help_text="what is written on it")
    code = CharField(max_length=9, null=True)
    size = CharField(default="small", choices=SIZES)
    lid = CharField(null=True, choices=SIZES)
    mark = CharField(default="", choices=SIZES)
    state = NumberField(default=0, choices=((0, "open"), (1, "shut")))
    price = ExactField(24, 8, null=True)
    packed = DateField(null=True)
    pin = CharField(max_length=4, null=True)
    inside = RecordField("self", "Box", null=True)
    changes = IntegerField(default=0)

    class Meta:
        table_name = "store_box"
        required = ("name",)
        managed = ("changes",)
        create_only = ("code",)
        secret = ("pin",)
        aliases = {"title": "name"}


class Label(TypedDict):
    """Of a box."""

    label: Annotated[str, Box.name, "what is written on it"]
    inside: Annotated[int, Box.changes]
    packed: Annotated[int | str, datetime, "when"]


boxes = Records(Box, service="boxes", noun="Box")
