"""Failed logins, counted by all workers together, and the secret under which the audit trail refers to them."""

from __future__ import annotations

from peewee import AutoField, BigIntegerField, CharField, SmallIntegerField

from core import Model


class LoginFailure(Model):
    """One failed login: a row for its user, one for its address, one for both. A success has a time in the future."""

    id = AutoField(column_name="rowid")
    name = CharField(max_length=64, index=True, help_text="digest: a password typed in the wrong box must not lie here")
    moment = BigIntegerField(index=True, help_text="Unix seconds")

    class Meta:
        table_name = "comptoir_login_failure"
        audited = False


class LoginSecret(Model):
    """The secret of this installation; it makes the digests of failed logins without an account."""

    id = SmallIntegerField(column_name="rowid", primary_key=True)
    value = CharField(max_length=64, help_text="256 random bits, hexadecimal")

    class Meta:
        table_name = "comptoir_login_secret"
        audited = False
        secret = ("value",)
