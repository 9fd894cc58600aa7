"""Tables of bank accounts, their lines, and the accounts of third parties. Fields have the names of the API, columns
those of Dolibarr."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, TypedDict

from peewee import AutoField, CharField, DateField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import ExactField, Model, RecordField, now

from ..dictionaries.codes import PlaceCodes
from ..setup.authors import AuthorField
from ..thirdparties.models import Thirdparty

NO_YES = ((0, "no"), (1, "yes"))
ENTITY = ((1, "this company"),)
SAVINGS, CURRENT, CASH = range(3)
KINDS = ((SAVINGS, "savings"), (CURRENT, "current account"), (CASH, "cash"))
OPEN, CLOSED = 0, 1
#: whether more debits follow the first
SEQUENCES = (("FRST", "one of several"), ("RCUR", "recurrent"), ("RECUR", "recurrent, as Dolibarr stores it"))
AUTHORS = ("fk_user_author", "fk_user_modif")


class BankAccountAnswers(TypedDict, total=False):
    """What a bank account holds besides its columns."""

    balance: Annotated[str, ExactField, "sum of all its lines, in its currency"]
    country_code: Annotated[str | None, "ISO 3166-1 code of the account's country"]


class BankAccountAccepts(PlaceCodes, total=False):
    """What the body of a new account may say besides its columns."""

    solde: Annotated[str, "what the account holds at the beginning, in its currency: its first line"]
    date_solde: Annotated[int | str | None, "day of that; today when none is given"]


class BankAccount(Model):
    """An account of the company: at a bank, or cash."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    ref = CharField(max_length=12, unique=True, help_text="short name, such as BNP1")
    label = CharField(max_length=30, unique=True, help_text="label")
    type = SmallIntegerField(
        column_name="courant", default=CURRENT, choices=KINDS, help_text="0 savings, 1 current account, 2 cash"
    )
    status = SmallIntegerField(
        column_name="clos", default=OPEN, choices=((OPEN, "open"), (CLOSED, "closed")), help_text="0 open, 1 closed"
    )
    rappro = SmallIntegerField(default=1, choices=NO_YES, help_text="1: lines are reconciled with statements")
    bank = CharField(max_length=60, null=True, help_text="name of the bank")
    code_banque = CharField(max_length=128, null=True, help_text="national code of the bank")
    code_guichet = CharField(max_length=6, null=True, help_text="national code of the branch")
    number = CharField(max_length=255, null=True, help_text="national account number")
    cle_rib = CharField(max_length=5, null=True, help_text="its check digits")
    iban = CharField(column_name="iban_prefix", max_length=34, null=True, help_text="kept without blanks")
    bic = CharField(max_length=11, null=True, help_text="kept without blanks")
    domiciliation = CharField(max_length=255, null=True, help_text="address of the bank")
    proprio = CharField(max_length=60, null=True, help_text="whose account it is")
    owner_address = CharField(max_length=255, null=True, help_text="address of the account's owner")
    state_id = IntegerField(null=True, help_text="state or county")
    country_id = IntegerField(column_name="fk_pays", null=True, help_text="country; the company's when none is given")
    currency_code = CharField(max_length=3, help_text="ISO 4217 code; the company's when none is given")
    account_number = CharField(max_length=32, null=True, help_text="account in the books")
    fk_accountancy_journal = IntegerField(null=True, help_text="journal in the books")
    ics = CharField(max_length=32, null=True, help_text="creditor identifier of direct debits")
    min_allowed = IntegerField(null=True, default=0, help_text="lowest balance that the bank allows, in its currency")
    min_desired = IntegerField(null=True, default=0, help_text="lowest balance that is wanted, in its currency")
    url = CharField(max_length=128, null=True, help_text="web site of the bank")
    comment = TextField(null=True, help_text="comment")
    note_public = TextField(null=True, help_text="note for the customer")
    date_creation = DateTimeField(column_name="datec", null=True, default=now, help_text="time of creation")
    date_modification = DateTimeField(column_name="tms", null=True, default=now, help_text="time of the last change")
    fk_user_author = IntegerField(null=True, help_text="user who created the record")
    fk_user_modif = IntegerField(null=True, help_text="user who changed it last")

    class Meta:
        table_name = "llx_bank_account"
        searched = ("ref", "label", "bank", "iban")
        extrafields = "bank_account"
        required = ("ref", "label", "-currency_code")
        aliases = {
            "rowid": "id", "courant": "type", "clos": "status", "iban_prefix": "iban", "owner": "proprio",
            "fk_pays": "country_id",
        }  # fmt: skip
        managed = ("id", "date_creation", "date_modification", *AUTHORS)
        stamps = ("date_modification", "fk_user_modif")
        answers = BankAccountAnswers
        accepts = BankAccountAccepts
        example = {"ref": "SAVINGS", "label": "Savings account", "type": 1, "iban": "FR7630006000011234567890189"}


class BankLine(Model):
    """A movement of money on an account; outgoing amounts are negative."""

    id = AutoField(column_name="rowid")
    fk_account = RecordField(BankAccount, "Bank account", help_text="ID of the bank account")
    dateo = DateField(null=True, index=True, help_text="day it was done; today if none is given")
    datev = DateField(null=True, help_text="value date, from which interest is computed; default: `dateo`")
    amount = ExactField(24, 8, default=Decimal(0), help_text="in the account's currency; below 0 it goes out")
    label = CharField(max_length=255, null=True, help_text="label")
    fk_type = CharField(
        max_length=6, null=True, help_text="code of the mode of payment, such as VIR; SOLD: the beginning"
    )
    num_chq = CharField(max_length=50, null=True, help_text="number of the cheque or transfer")
    emetteur = CharField(max_length=255, null=True, help_text="who drew the cheque, or sent the transfer")
    banque = CharField(max_length=255, null=True, help_text="bank of the cheque")
    rappro = SmallIntegerField(default=0, choices=NO_YES, help_text="1: found on a statement; see num_releve")
    num_releve = CharField(max_length=50, null=True, help_text="number of that statement")
    note = TextField(null=True, help_text="note")
    datec = DateTimeField(null=True, default=now, help_text="when it was written")
    tms = DateTimeField(null=True, default=now, index=True, help_text="when it was changed last")
    fk_user_author = AuthorField(help_text="user who wrote it")
    fk_user_rappro = AuthorField(help_text="user who found it on the statement")

    class Meta:
        table_name = "llx_bank"
        part_of = ("fk_account",)
        aliases = {"rowid": "id", "bank_chq": "banque", "type": "fk_type"}
        required = ("amount",)
        managed = ("id", "fk_account", "datec", "tms", "fk_user_author", "fk_user_rappro")
        create_only = ("amount", "fk_type")
        stamps = ("tms",)
        indexes = ((("fk_account", "dateo"), False),)
        example = {"label": "Rent", "amount": "-450", "fk_type": "VIR", "dateo": "2026-11-21"}


class BankLink(Model):
    """A link of a line to a payment, a third party, or the other line of a transfer."""

    id = AutoField(column_name="rowid")
    fk_bank = RecordField(BankLine, "Bank line", on_delete="cascade", help_text="ID of the bank line")
    url_id = IntegerField(null=True, help_text="identifier of the record")
    url = CharField(max_length=255, null=True, help_text="URL")
    label = CharField(max_length=255, null=True, help_text="label")
    type = CharField(max_length=24, help_text="kind of record: payment, company, banktransfert")

    class Meta:
        table_name = "llx_bank_url"
        indexes = ((("fk_bank", "url_id", "type"), True), (("type", "url_id"), False))


class ThirdpartyAccountAnswers(TypedDict, total=False):
    """What the account of a third party holds besides its columns."""

    country_code: Annotated[str | None, "ISO 3166-1 code of the account's country"]


class ThirdpartyAccount(Model):
    """The bank account of a third party, and the direct debit mandate."""

    id = AutoField(column_name="rowid")
    socid = RecordField(Thirdparty, "Thirdparty", column_name="fk_soc", on_delete="cascade", help_text="whose it is")
    type = CharField(max_length=32, default="ban", choices=(("ban", "bank account"),), help_text="ban: a bank account")
    label = CharField(max_length=200, null=True, help_text="label")
    default_rib = SmallIntegerField(default=0, choices=NO_YES, help_text="1: the one that is used; the first is")
    status = SmallIntegerField(default=1, choices=((0, "not used"), (1, "in use")))
    bank = CharField(max_length=255, null=True, help_text="name of the bank")
    code_banque = CharField(max_length=128, null=True, help_text="national code of the bank")
    code_guichet = CharField(max_length=6, null=True, help_text="national code of the branch")
    number = CharField(max_length=255, null=True, help_text="national account number")
    cle_rib = CharField(max_length=5, null=True, help_text="its check digits")
    iban = CharField(column_name="iban_prefix", max_length=34, null=True, help_text="kept without blanks")
    bic = CharField(max_length=20, null=True, help_text="kept without blanks")
    domiciliation = CharField(max_length=255, null=True, help_text="address of the bank")
    proprio = CharField(max_length=60, null=True, help_text="whose account it is; the third party's when none is given")
    owner_address = CharField(max_length=255, null=True, help_text="address of the account's owner")
    country_id = IntegerField(column_name="fk_country", null=True, help_text="country of the account")
    state_id = IntegerField(null=True, help_text="state or county")
    currency_code = CharField(max_length=3, null=True, help_text="ISO code of the currency")
    rum = CharField(
        max_length=35, null=True, unique=True, help_text="reference of the mandate; made when none is given"
    )
    date_rum = DateField(null=True, help_text="day the mandate was signed")
    frstrecur = CharField(
        max_length=16,
        null=True,
        default="FRST",
        choices=SEQUENCES,
        help_text="FRST one of several; RCUR or RECUR recurrent",
    )
    comment = CharField(max_length=255, null=True, help_text="comment")
    last_main_doc = CharField(max_length=255, null=True, help_text="path of the mandate that was printed last")
    datec = DateTimeField(null=True, default=now, help_text="when it was created")
    tms = DateTimeField(null=True, default=now, help_text="when it was changed last")

    class Meta:
        table_name = "llx_societe_rib"
        thirdparty = "socid"
        aliases = {
            "rowid": "id", "fk_soc": "socid", "iban_prefix": "iban", "owner": "proprio", "fk_country": "country_id",
            "datem": "tms",
        }  # fmt: skip
        managed = ("id", "socid", "last_main_doc", "datec", "tms")
        stamps = ("tms",)
        example = {"label": "Main account", "iban": "FR7630006000011234567890189", "bic": "AGRIFRPP"}
        answers = ThirdpartyAccountAnswers
        accepts = PlaceCodes


__all__ = ["CLOSED", "OPEN", "BankAccount", "BankLine", "BankLink", "ThirdpartyAccount"]
