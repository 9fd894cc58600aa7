"""Users, groups and keys: more columns of `core`'s tables than every request needs."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from peewee import CharField, DateField, IntegerField, SmallIntegerField, TextField

from core import Account, ExactField, RecordField
from core.for_natives import Group as AccountGroup
from core.for_natives import Key as AccountKey

from ..dictionaries.codes import PlaceCodes


class Flags(TypedDict, total=False):
    """What the two flags of a user may be."""

    admin: Annotated[Literal[0, 1], SmallIntegerField, "1: administrator, holds every right"]
    statut: Annotated[Literal[0, 1], SmallIntegerField, "1 active, 0 disabled"]


class UserAnswers(Flags, total=False):
    """What a user holds besides the columns."""

    country_code: Annotated[str | None, "ISO 3166-1 code of two letters of the country"]
    rights: Annotated[
        list[str] | dict[str, dict[str, Literal[1] | dict[str, Literal[1]]]],
        "names of the rights the user holds, such as proposals.read; in the profile dolibarr16 an object, such as "
        '{"propal": {"lire": 1}}; with includepermissions',
    ]
    user_group_list: Annotated[list[Annotated[dict[str, Any], Group]], "groups the user is in; in /users/info"]


#: `pass` is a keyword of Python
Password = TypedDict(
    "Password",
    {"pass": Annotated[str, "the password, of 12 to 1024 characters without spaces at its ends"]},
    total=False,
)


class UserAccepts(Flags, Password, PlaceCodes, total=False):
    """What the body of a user may say besides the columns."""


class GroupAnswers(TypedDict, total=False):
    """What a group holds besides its columns."""

    members: Annotated[list[Annotated[dict[str, Any], User]], "users in the group; with load_members"]


class KeyAnswers(TypedDict, total=False):
    """What a key's restriction is shown as."""

    rights: Annotated[list[str] | None, "the rights the key is restricted to; null: all its user has"]
    addresses: Annotated[list[str] | None, "the addresses and networks the key may be used from; null: all"]


class User(Account):
    """A user of the system."""

    civility_code = CharField(column_name="civility", max_length=6, null=True, help_text="code of the form of address")
    gender = CharField(max_length=10, null=True, help_text="gender")
    birth = DateField(null=True, help_text="day of birth")
    personal_email = CharField(max_length=255, null=True, help_text="private email address")
    job = CharField(max_length=128, null=True, help_text="job title")
    signature = TextField(null=True, help_text="signature of emails")
    address = CharField(max_length=255, null=True, help_text="street and house number")
    zip = CharField(max_length=25, null=True, help_text="postal code")
    town = CharField(max_length=50, null=True, help_text="town")
    country_id = IntegerField(column_name="fk_country", null=True, default=0, help_text="ID of the country")
    state_id = IntegerField(column_name="fk_state", null=True, default=0, help_text="ID of the state or county")
    office_phone = CharField(max_length=20, null=True, help_text="phone number at work")
    office_fax = CharField(max_length=20, null=True, help_text="fax number at work")
    user_mobile = CharField(max_length=20, null=True, help_text="mobile number at work")
    personal_mobile = CharField(max_length=20, null=True, help_text="private mobile number")
    employee = SmallIntegerField(default=1, choices=((0, "no"), (1, "yes")), help_text="1: is employed by the company")
    fk_member = IntegerField(null=True, help_text="kept for compatibility")
    fk_user = RecordField("self", "User", null=True, help_text="supervisor")
    lang = CharField(max_length=6, null=True, help_text="language, such as fr_FR")
    color = CharField(max_length=6, null=True, help_text="colour as six hexadecimal digits")
    photo = CharField(max_length=255, null=True, help_text="file name of the photo")
    accountancy_code = CharField(max_length=32, null=True, help_text="account in the books")
    thm = ExactField(null=True, help_text="cost of an hour")
    tjm = ExactField(null=True, help_text="cost of a day")
    salary = ExactField(null=True, help_text="salary")
    salaryextra = ExactField(null=True, help_text="extra salary")
    weeklyhours = ExactField(16, 8, null=True, help_text="working hours per week")
    dateemployment = DateField(null=True, help_text="first day of employment")
    dateemploymentend = DateField(null=True, help_text="last day of employment")
    note_public = TextField(null=True, help_text="note for the customer")
    note_private = TextField(column_name="note", null=True, help_text="note for internal users")
    national_registration_number = CharField(max_length=50, null=True, help_text="national registration number")
    ref_employee = CharField(max_length=50, null=True, help_text="reference of the employee")
    ref_ext = CharField(max_length=50, null=True, help_text="reference in another system")
    fk_warehouse = IntegerField(null=True, help_text="ID of the default warehouse")

    class Meta:
        table_name = "llx_user"
        searched = ("login", "lastname", "firstname", "email", "job", "office_phone", "user_mobile")
        sorted = ("login", "lastname")
        extrafields = "user"
        aliases = {"ref": "id"}
        required = ("login",)
        example = {"login": "ada", "lastname": "Lovelace", "email": "ada@example.org"}
        managed = ("id", "socid", "contact_id", "fk_member", "datec", "datem", "datelastlogin")
        secret = ("pass_crypted",)
        internal = ("note_private", "thm", "tjm")
        answers = UserAnswers
        accepts = UserAccepts


class Group(AccountGroup):
    """A group of users; its rights are its members'."""

    class Meta:
        table_name = "llx_usergroup"
        searched = ("name",)
        answers = GroupAnswers


class Key(AccountKey):
    """A key of a user; the key itself is shown once, when it is made."""

    class Meta:
        table_name = "comptoir_key"
        answers = KeyAnswers
