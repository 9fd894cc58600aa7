"""Working time: what users have worked on, and the projects it belongs to."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from peewee import SQL, AutoField, BooleanField, CharField, DateField, IntegerField, TextField, chunked, fn

from core import (
    Account,
    BadRequest,
    CsvRow,
    ExactField,
    MapField,
    Model,
    RecordField,
    Records,
    Refused,
    Values,
    current_caller,
    transaction,
)

from ..thirdparties.models import Thirdparty

LEAST, MOST = Decimal("0.25"), Decimal(24)
ACTIVITIES = (("work", "work"), ("travel", "travel"), ("meeting", "meeting"), ("training", "training"))


class Project(Model):
    """What hours are worked for."""

    id = AutoField()
    code = CharField(max_length=20, unique=True, help_text="short name, such as ATRIUM")
    label = CharField(max_length=128, default="")

    class Meta:
        table_name = "worktime_project"
        required = ("code",)


class Entry(Model):
    """Hours that a user has worked on a day."""

    id = AutoField()
    user = RecordField(Account, "User", column_name="fk_user", null=True, on_delete="clear")
    socid = RecordField(Thirdparty, "Third party", column_name="fk_soc", null=True)
    project = RecordField(Project, "Project", column_name="fk_project", null=True)
    day = DateField()
    hours = ExactField(digits=6, scale=4, help_text="0.25 to 24")
    activity = CharField(max_length=16, choices=ACTIVITIES, default="work")
    note = TextField(default="", help_text="for the customer")
    internal_note = TextField(default="", help_text="for the office")
    approved = BooleanField(default=False, help_text="an approved entry is not changed any more")

    class Meta:
        table_name = "worktime_entry"
        required = ("day", "hours")
        managed = ("id", "user", "approved")
        indexes = ((("user", "day", "activity"), True),)
        example = {"day": "2026-11-20", "hours": "7.50", "activity": "work", "note": "drawings"}


class Import(Model):
    """A file that a job is to note."""

    id = AutoField()
    user = RecordField(Account, "User", column_name="fk_user", on_delete="cascade")

    class Meta:
        table_name = "worktime_import"
        audited = False


class ImportLine(Model):
    """A line of it; a row of its own, as MariaDB keeps no more than 65,535 bytes in one field."""

    id = AutoField()
    file = RecordField(Import, "Import", column_name="fk_import", on_delete="cascade")
    line = IntegerField()
    cells = MapField()

    class Meta:
        table_name = "worktime_import_line"
        audited = False


class Projects(Records[Project]):
    """Projects; one that an entry names cannot be deleted."""

    model = Project
    service = "worktimeprojects"
    noun = "Project"


class Entries(Records[Entry]):
    """Entries; what is approved stays as it is."""

    model = Entry
    service = "worktime"
    noun = "Entry"
    joins = {"p": (Project, "project", ("code",))}
    answers = {"project_code": "p.code"}

    def prepare(self, values: Values, before: Entry | None) -> None:
        """An approved entry is not changed, and a day has 24 hours."""
        if before and before.approved:
            raise Refused(f"entry {before.id} is approved and cannot be changed")
        if not LEAST <= values.get("hours", LEAST) <= MOST:
            raise BadRequest(errors=[("hours", f"hours must be {LEAST} to {MOST}")])

    def removing(self, row: Entry) -> None:
        """An approved entry is not deleted."""
        if row.approved:
            raise Refused(f"entry {row.id} is approved and cannot be deleted")

    def approve(self, id: int) -> None:
        """Approve an entry, once."""
        with transaction():
            row = self.load(id, lock=True, if_match=True)
            if row.approved:
                raise Refused(f"entry {id} is approved already")
            self.change(id, {}, approved=True)

    def note_file(self, lines: Sequence[CsvRow], user: int) -> int:
        """Note the lines of a file for a user, or none of them; answers how many."""
        return len(self.create_many(lines, user=user))

    def leave(self, lines: Sequence[CsvRow], user: int) -> int:
        """Keep the lines of a file for a job; answers the file's identifier."""
        with transaction():
            made = Import.create(user=user).id
            for some in chunked(lines, 1000):
                ImportLine.insert_many([{"file": made, "line": each.line, "cells": each} for each in some]).execute()
            return made

    def sums(self, by: str, begin: date | None, end: date | None) -> list[dict[str, Any]]:
        """Hours of the entries that the caller sees, by user, project, month or activity."""
        keys = {
            "user": Entry.user,
            "project": Entry.project,
            "month": fn.SUBSTR(Entry.day.cast("CHAR(10)"), SQL("1"), SQL("7")),
            "activity": Entry.activity,
        }
        rows = Entry.select(keys[by], fn.COUNT(Entry.id), fn.SUM(Entry.hours)).group_by(keys[by]).order_by(keys[by])
        caller = current_caller()
        if caller and (caller.socid or not caller.holds("worktime.approve")):
            rows = rows.where(Entry.user == caller.id)
        if begin:
            rows = rows.where(Entry.day >= begin)
        if end:
            rows = rows.where(Entry.day <= end)
        return [
            {by: key, "entries": count, "hours": Entry.hours.python_value(hours)} for key, count, hours in rows.tuples()
        ]


projects = Projects()
imports = Records(Import, noun="Import")
entries = Entries()
