"""Dictionaries of places, legal forms, currencies and trade."""

from __future__ import annotations

from typing import Annotated, TypedDict

from peewee import CharField, IntegerField, SmallIntegerField

from .pattern import NO_YES, OURS, Entry, EntryAnswers, Row

COUNTRY = "country; 0: none"


class StateAnswers(TypedDict, total=False):
    """What is shown of a state besides."""

    country_id: Annotated[int | None, IntegerField, "country of its region"]


class Region(Row):
    """A region of a country, with its states."""

    code_region = IntegerField(unique=True, help_text="code of the region")
    country_id = IntegerField(column_name="fk_pays", index=True, help_text=COUNTRY)
    cheflieu = CharField(max_length=50, null=True, help_text="code of the chief town")
    name = CharField(column_name="nom", max_length=100, help_text="name")

    class Meta:
        table_name = "llx_c_regions"
        required = ("code_region", "name")
        aliases = {"code": "code_region", "nom": "name"}
        example = {"code_region": 990001, "country_id": 1, "name": "Our region"}


class State(Row):
    """A state, county or department."""

    code_departement = CharField(max_length=6, help_text="code of the state or county")
    region_code = IntegerField(column_name="fk_region", index=True, help_text="code of its region")
    cheflieu = CharField(max_length=50, null=True, help_text="code of the chief town")
    name = CharField(column_name="nom", max_length=100, help_text="name")

    class Meta:
        table_name = "llx_c_departements"
        required = ("code_departement", "name")
        aliases = {"code": "code_departement", "nom": "name"}
        indexes = ((("code_departement", "region_code"), True),)
        answers = StateAnswers
        example = {"code_departement": "OWN", "region_code": 11, "name": "Our state"}


class Town(Row):
    """A town with its post code."""

    zip = CharField(max_length=10, help_text="postal code")
    town = CharField(max_length=180, help_text="town")
    code = CharField(max_length=5, null=True, help_text="code of the statistical office")
    fk_county = IntegerField(null=True, help_text="state; null: none")
    fk_country = IntegerField(column_name="fk_pays", default=0, help_text=COUNTRY)

    class Meta:
        table_name = "llx_c_ziptown"
        required = ("zip", "town")
        indexes = ((("zip", "town", "fk_country"), True),)
        example = {"zip": "69001", "town": "Lyon", "fk_country": 1}


class LegalForm(Row):
    """A legal form of companies in a country."""

    code = IntegerField(unique=True, help_text="code")
    country_id = IntegerField(column_name="fk_pays", index=True, help_text=COUNTRY)
    label = CharField(column_name="libelle", max_length=255, help_text="label")
    isvatexempted = SmallIntegerField(default=0, choices=NO_YES, help_text="1: charges no VAT")
    position = IntegerField(default=0, help_text="position")
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_forme_juridique"
        required = ("code", "label")
        aliases = {"libelle": "label", "fk_pays": "country_id"}
        example = {"code": 990001, "country_id": 1, "label": "Our legal form"}


class CurrencyAnswers(EntryAnswers, total=False):
    """The fields of a currency that Dolibarr 16 leaves out."""

    rowid: Annotated[int, IntegerField, OURS, "alias of id"]
    code: Annotated[str, CharField, OURS, "alias of code_iso"]


class Currency(Row):
    """A currency."""

    code_iso = CharField(max_length=3, unique=True, help_text="ISO 4217 code of three letters")
    label = CharField(max_length=128, help_text="label")
    unicode = CharField(max_length=32, null=True, help_text="code points of the sign, such as [8364]")

    class Meta:
        table_name = "llx_c_currencies"
        required = ("code_iso", "label")
        aliases = {"code": "code_iso"}
        answers = CurrencyAnswers
        example = {"code_iso": "XOW", "label": "Our currency"}


class Incoterm(Entry):
    """An Incoterm, a rule of international trade: who pays and bears which part of a carriage."""

    code = CharField(max_length=3, unique=True, help_text="code")

    class Meta:
        table_name = "llx_c_incoterms"
        example = {"code": "OWN", "label": "Our rule"}


class TransportMode(Entry):
    """A mode of transport across a border."""

    code = CharField(max_length=3, unique=True, help_text="code")

    class Meta:
        table_name = "llx_c_transport_mode"
