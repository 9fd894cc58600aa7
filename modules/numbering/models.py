"""Numbering: one row for each series of references."""

from __future__ import annotations

from peewee import BigIntegerField, CharField

from core import Model


class Counter(Model):
    """The last number taken in a series.

    The series itself is the primary key: MariaDB then locks this one row, not the gap beside it, and no identifier is
    used up by asking.
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
