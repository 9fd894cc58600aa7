"""The table of jobs: waiting, running, done and given up."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

import peewee

from ..storage.model import Model

#: `Job.status`
WAITING, RUNNING, DONE, GIVEN_UP = range(4)
#: their names in the API
STATUS_NAMES = {WAITING: "waiting", RUNNING: "running", DONE: "done", GIVEN_UP: "given up"}

#: maximum lengths of an error and of the progress text, in characters
MAX_ERROR_CHARS, MAX_TEXT_CHARS = 500, 255


#: an instant in Unix seconds
Moment = Annotated[int, peewee.BigIntegerField, datetime]


class JobAnswers(TypedDict, total=False):
    """The values of a job's record that its table lacks, or holds in another form."""

    state: Annotated[Literal["waiting", "running", "done", "given up"], "the status as a word"]
    problem: Annotated[str | None, "why a waiting job can't run now, such as a missing function; null: it can"]
    arguments: Annotated[
        dict[str, Any] | None, "the function's arguments by name; null without the permission jobs.read"
    ]
    result: Annotated[Any, "the function's return value; null until it is done"]
    due: Annotated[Moment, "the earliest time it may run"]
    lease: Annotated[Moment | None, "when another process may take it over"]
    moment: Annotated[Moment | None, "the scheduled time; null: no schedule"]
    created: Annotated[Moment, "when it was queued"]
    started: Annotated[Moment | None, "when its last attempt started"]
    ended: Annotated[Moment | None, "when its last attempt ended"]


class Job(Model):
    """A call of a function, to be made later."""

    id = peewee.BigAutoField(column_name="rowid")
    module = peewee.CharField(max_length=128, help_text="the module's folder")
    name = peewee.CharField(max_length=128, help_text="the function in its jobs.py")
    arguments = peewee.TextField(help_text="the function's arguments by name, as JSON")
    user = peewee.IntegerField(
        column_name="fk_user", null=True, help_text="the user who queued it; null: a schedule or a command"
    )
    key = peewee.IntegerField(column_name="fk_key", null=True, help_text="the API key of the call that queued it")
    status = peewee.SmallIntegerField(default=WAITING, choices=tuple(STATUS_NAMES.items()))
    due = peewee.BigIntegerField(help_text="the earliest time it may run, in Unix seconds")
    attempts = peewee.IntegerField(default=0, help_text="the number of attempts")
    lease = peewee.BigIntegerField(null=True, help_text="when another process may take it over, in Unix seconds")
    token = peewee.CharField(max_length=32, default="", help_text="the process and the attempt that runs it")
    moment = peewee.BigIntegerField(null=True, help_text="the scheduled time, in Unix seconds; null: no schedule")
    cron = peewee.CharField(max_length=128, null=True, help_text="the schedule as cron text; null: no schedule")
    error = peewee.CharField(max_length=MAX_ERROR_CHARS, null=True, help_text="why the last attempt failed")
    done = peewee.BigIntegerField(null=True, help_text="the progress, out of `total`; null: not reported")
    total = peewee.BigIntegerField(null=True, help_text="number of steps")
    text = peewee.CharField(max_length=MAX_TEXT_CHARS, default="", help_text="the progress as text")
    result = peewee.TextField(null=True, help_text="the function's return value, as JSON")
    created = peewee.BigIntegerField(help_text="Unix seconds")
    started = peewee.BigIntegerField(null=True, help_text="when the last attempt started, in Unix seconds")
    ended = peewee.BigIntegerField(null=True, index=True, help_text="Unix seconds")

    class Meta:
        table_name = "comptoir_job"
        # Jobs are the server's own data; the changes that a job makes are recorded with its name
        audited = False
        secret = ("token",)
        answers = JobAnswers
        managed = (
            "id", "module", "name", "arguments", "user", "key", "status", "due", "attempts", "lease", "token", "moment",
            "cron", "error", "done", "total", "text", "result", "created", "started", "ended",
        )  # fmt: skip
        indexes = (
            (("status", "due"), False),
            # A schedule fires once for each of its moments, regardless of the process
            (("module", "name", "moment"), True),
        )

    @property
    def called(self) -> str:
        """The module and the function, such as `reminders.send_reminder`."""
        return f"{self.module}.{self.name}"


#: rows that aren't jobs: they mark the moment from which a schedule counts
NOTE: Any = (Job.status == DONE) & Job.moment.is_null(False) & Job.started.is_null()
