"""The index of stored files, with the record of each. The server serves only files in the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peewee import AutoField, BigIntegerField, CharField, DateTimeField, IntegerField

from core import Model, now

#: the PDF of a record as it is now
GENERATED = "generated"
#: the PDF of an invoice as it was validated; it is never replaced, and deleted only with the invoice
ISSUED = "issued"
UPLOADED = "uploaded"


def _record_of(row: Mapping[str, Any]) -> tuple[str, Any]:
    return row["src_object_type"], row["src_object_id"]


class StoredFile(Model):
    """A file of a record."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, help_text="the company; always 1")
    filepath = CharField(
        max_length=255, help_text="its folder, below the root of the store, such as propale/PR2611-0001"
    )
    filename = CharField(max_length=255)
    src_object_type = CharField(max_length=64, help_text="element type of the record, such as propal")
    src_object_id = IntegerField(help_text="row identifier of the record")
    gen_or_uploaded = CharField(max_length=12, help_text="generated, issued or uploaded")
    size = BigIntegerField(help_text="bytes")
    template = CharField(max_length=255, null=True, help_text="what a generated file was made with")
    language = CharField(max_length=16, null=True, help_text="the language it is in")
    shows = CharField(
        max_length=64, null=True, help_text="digest of what a generated file shows and may change; null: unknown"
    )
    date_c = DateTimeField(default=now, help_text="when it was stored first")
    date_m = DateTimeField(default=now, help_text="when it was stored last")
    fk_user_c = IntegerField(null=True, help_text="user who stored it first")
    fk_user_m = IntegerField(null=True, help_text="user who stored it last")

    class Meta:
        table_name = "llx_ecm_files"
        managed = ("id",)
        context = ("src_object_type", "src_object_id")
        belongs_to = _record_of
        stored_file = ("filepath", "filename")
        stored_size = "size"
        indexes = ((("filepath", "filename"), True), (("src_object_type", "src_object_id"), False))

    @property
    def path(self) -> str:
        """Path of the file in the store."""
        return f"{self.filepath}/{self.filename}"


__all__ = ["GENERATED", "ISSUED", "UPLOADED", "StoredFile"]
