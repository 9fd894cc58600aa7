"""Failed logins, counted by all workers together."""

from __future__ import annotations

from peewee import AutoField, BigIntegerField, CharField

from core import Model


class LoginFailure(Model):
    """One failed login: a row for its user, one for its address, one for both together. A success is one to come."""

    id = AutoField(column_name="rowid")
    name = CharField(max_length=64, index=True, help_text="digest: a password typed in the wrong box must not lie here")
    moment = BigIntegerField(index=True, help_text="Unix seconds")

    class Meta:
        table_name = "comptoir_login_failure"
        audited = False
