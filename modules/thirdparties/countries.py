"""Countries: the dictionary behind `country_id`. The setup service will show and extend it."""

from __future__ import annotations

from peewee import CharField, IntegerField, SmallIntegerField

from core import Model, kept, transaction

#: what an empty table begins with: identifier, code, ISO code of three letters, label
KNOWN = ((1, "FR", "FRA", "France"),)


class Country(Model):
    """A country."""

    # The identifiers are fixed: clients know them by heart
    id = IntegerField(column_name="rowid", primary_key=True)
    code = CharField(max_length=2, unique=True, help_text="ISO 3166-1 code of two letters")
    code_iso = CharField(max_length=3, null=True, help_text="ISO 3166-1 code of three letters")
    label = CharField(max_length=128)
    active = SmallIntegerField(default=1, choices=((0, "hidden"), (1, "offered")))

    class Meta:
        table_name = "llx_c_country"


@kept
def country_codes() -> dict[int, str]:
    """The code of each country, by identifier."""
    found = {row.id: row.code for row in Country.select(Country.id, Country.code)}
    if not found:
        rows = [(*known, 1) for known in KNOWN]
        with transaction():
            # Another worker may be doing the same
            Country.insert_many(rows, fields=list(Country._meta.sorted_fields)).on_conflict_ignore().execute()
        found = {id: code for id, code, *_ in KNOWN}
    return found


def country_code(country_id: object) -> str | None:
    """The code of a country that a record names; None when it names none, or one that is not in the dictionary."""
    return country_codes().get(int(str(country_id))) if country_id else None
