"""Numbering: one row for each series of references."""

from __future__ import annotations

from peewee import BigIntegerField, CharField

from core import Model


class Counter(Model):
    """The last number taken in a series.

    The series itself is the primary key. So MariaDB locks only this row and not the gap next to it, and a query uses up
    no ID.
    """

    series = CharField(
        max_length=255,
        primary_key=True,
        help_text="name, mask, period and customer, such as orders/CO{yy}-{000@1}/26-01/",
    )
    value = BigIntegerField(default=0)

    class Meta:
        table_name = "comptoir_counter"
        audited = False
