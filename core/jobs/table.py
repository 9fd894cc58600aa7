"""The table of jobs: those that wait, run, have been done or were given up."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

import peewee

from ..storage.model import Model

#: `Job.status`
WAITING, RUNNING, DONE, GIVEN_UP = range(4)
#: how each is called
STATUS_NAMES = {WAITING: "waiting", RUNNING: "running", DONE: "done", GIVEN_UP: "given up"}

#: letters of an error, and of the text that says how far a job is
LONGEST_ERROR, LONGEST_TEXT = 500, 255


#: an instant in Unix seconds
Moment = Annotated[int, peewee.BigIntegerField, datetime]


class JobAnswers(TypedDict, total=False):
    """What a record of a job says otherwise than its table, or besides."""

    state: Annotated[Literal["waiting", "running", "done", "given up"], "the status in a word"]
    problem: Annotated[str | None, "why one that waits cannot be run now: its function is away, say; null: it can"]
    arguments: Annotated[
        dict[str, Any] | None, "names of the function's parameters, and their values; null without the right jobs.read"
    ]
    result: Annotated[Any, "what the function has answered; null before it has"]
    due: Annotated[Moment, "from when on it may be run"]
    lease: Annotated[Moment | None, "from when on another process may take it over"]
    moment: Annotated[Moment | None, "the schedule's moment; null: it is of none"]
    created: Annotated[Moment, "when it was told to be run"]
    started: Annotated[Moment | None, "when its last attempt began"]
    ended: Annotated[Moment | None, "when its last attempt ended"]


class Job(Model):
    """A call of a function, to be made later."""

    id = peewee.BigAutoField(column_name="rowid")
    module = peewee.CharField(max_length=128, help_text="the folder of the module")
    name = peewee.CharField(max_length=128, help_text="the function in its jobs.py")
    arguments = peewee.TextField(help_text="JSON: the names of the function's parameters, and their values")
    user = peewee.IntegerField(
        column_name="fk_user", null=True, help_text="who caused it; null: a schedule or a command"
    )
    key = peewee.IntegerField(column_name="fk_key", null=True, help_text="the key that was sent with the call")
    status = peewee.SmallIntegerField(default=WAITING, choices=tuple(STATUS_NAMES.items()))
    due = peewee.BigIntegerField(help_text="Unix seconds from which it may be run")
    attempts = peewee.IntegerField(default=0, help_text="how often it has been begun")
    lease = peewee.BigIntegerField(null=True, help_text="Unix seconds from which another process may take it over")
    token = peewee.CharField(max_length=32, default="", help_text="names the process and the attempt that runs it")
    moment = peewee.BigIntegerField(null=True, help_text="Unix seconds of the schedule's moment; null: it is of none")
    cron = peewee.CharField(max_length=128, null=True, help_text="the schedule, as cron text; null: it is of none")
    error = peewee.CharField(max_length=LONGEST_ERROR, null=True, help_text="why the last attempt failed")
    done = peewee.BigIntegerField(null=True, help_text="how far it is, of `total`; null: it does not say")
    total = peewee.BigIntegerField(null=True)
    text = peewee.CharField(max_length=LONGEST_TEXT, default="", help_text="what it says of how far it is")
    result = peewee.TextField(null=True, help_text="JSON: what the function has answered")
    created = peewee.BigIntegerField(help_text="Unix seconds")
    started = peewee.BigIntegerField(null=True, help_text="Unix seconds of the last attempt")
    ended = peewee.BigIntegerField(null=True, index=True, help_text="Unix seconds")

    class Meta:
        table_name = "comptoir_job"
        # The server's own book-keeping; what a job changes is noted with its name
        audited = False
        secret = ("token",)
        answers = JobAnswers
        managed = (
            "id", "module", "name", "arguments", "user", "key", "status", "due", "attempts", "lease", "token", "moment",
            "cron", "error", "done", "total", "text", "result", "created", "started", "ended",
        )  # fmt: skip
        indexes = (
            (("status", "due"), False),
            # A schedule fires once for each of its moments, whoever looks
            (("module", "name", "moment"), True),
        )

    @property
    def called(self) -> str:
        """The module and the function, such as `reminders.send_reminder`."""
        return f"{self.module}.{self.name}"


#: rows that are no jobs: from when on a schedule counts, noted when it is seen for the first time
NOTE: Any = (Job.status == DONE) & Job.moment.is_null(False) & Job.started.is_null()
