"""The tables of access: users, groups, keys and grants.

`modules/users` serves them over HTTP and adds more columns to the user. A request needs only these.
"""

from __future__ import annotations

import peewee

from ..common.clock import now
from ..storage.fields import RecordField
from ..storage.model import Model


class Account(Model):
    """A user of the system: the columns that every request needs."""

    id = peewee.AutoField(column_name="rowid")
    entity = peewee.IntegerField(default=1, help_text="the company; always 1")
    login = peewee.CharField(max_length=50, unique=True, help_text="login")
    lastname = peewee.CharField(max_length=50, null=True, help_text="last name")
    firstname = peewee.CharField(max_length=50, null=True, help_text="first name")
    email = peewee.CharField(max_length=255, null=True, unique=True, help_text="email address")
    pass_crypted = peewee.CharField(max_length=128, null=True, help_text="argon2 hash")
    admin = peewee.SmallIntegerField(default=0, help_text="1: administrator, who has every permission")
    statut = peewee.SmallIntegerField(default=1, help_text="1 active, 0 disabled")
    socid = peewee.IntegerField(column_name="fk_soc", null=True, help_text="ID of the external user's third party")
    contact_id = peewee.IntegerField(column_name="fk_socpeople", null=True, help_text="ID of the contact it came from")
    datec = peewee.DateTimeField(null=True, default=now, help_text="when the user was created")
    datem = peewee.DateTimeField(column_name="tms", default=now, help_text="when the user was last changed")
    datelastlogin = peewee.DateTimeField(null=True, help_text="when the user last logged in")
    datestartvalidity = peewee.DateTimeField(null=True, help_text="when the account becomes valid")
    dateendvalidity = peewee.DateTimeField(null=True, help_text="when the account expires")

    class Meta:
        table_name = "llx_user"
        secret = ("pass_crypted",)
        stamps = ("datem",)


class Group(Model):
    """A group of users; its members hold its rights."""

    id = peewee.AutoField(column_name="rowid")
    entity = peewee.IntegerField(default=1, help_text="the company; always 1")
    name = peewee.CharField(column_name="nom", max_length=180, unique=True, help_text="name")
    note = peewee.TextField(null=True, help_text="note")
    color = peewee.CharField(max_length=6, null=True, help_text="colour as six hexadecimal digits")
    datec = peewee.DateTimeField(null=True, default=now, help_text="when the group was created")
    datem = peewee.DateTimeField(column_name="tms", default=now, help_text="when the group was last changed")

    class Meta:
        table_name = "llx_usergroup"
        managed = ("id", "datec", "datem")
        stamps = ("datem",)
        required = ("name",)


class Membership(Model):
    """One user in one group."""

    id = peewee.AutoField(column_name="rowid")
    entity = peewee.IntegerField(default=1, help_text="the company; always 1")
    user = RecordField(Account, "User", column_name="fk_user", help_text="ID of the user")
    group = RecordField(Group, "Group", column_name="fk_usergroup")

    class Meta:
        table_name = "llx_usergroup_user"
        part_of = ("user",)
        indexes = ((("user", "group"), True),)


class Grant(Model):
    """A right of a user or of a group."""

    id = peewee.AutoField(column_name="rowid")
    user = RecordField(Account, "User", column_name="fk_user", null=True, help_text="ID of the user")
    group = RecordField(Group, "Group", column_name="fk_usergroup", null=True)
    name = peewee.CharField(max_length=128, help_text="the permission, such as thirdparties.read")

    class Meta:
        table_name = "comptoir_grant"
        part_of = ("user", "group")
        indexes = ((("user", "name"), True), (("group", "name"), True))


ACCOUNT_TABLES: tuple[type[Model], ...] = (Account, Group, Membership, Grant)
