"""Running one job: its arguments, its call, what is said of its failure."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

import peewee

from ..access.accounts import Account
from ..common.background import Background, in_background
from ..common.errors import ApiError
from ..common.masks import masked
from ..storage.database import end_of_request, ensure_connected
from ..storage.database_errors import classify_error
from ..storage.retry import retry_undone
from ..storage.table_generation import unchanged_tables
from .claiming import Claimed
from .functions import JobFunction
from .queue import as_json

_log = logging.getLogger("comptoir.jobs")

#: what a function may raise; SystemExit is one of them
GUARDED = (Exception, SystemExit, GeneratorExit)


@dataclass(frozen=True)
class Outcome:
    """What has become of a call.

    :param result: as JSON; None: there is none, or it cannot be kept
    :param error: what it has raised
    :param remark: what was wrong with the result
    """

    result: str | None = None
    error: BaseException | None = None
    remark: str | None = None


class WrongArguments(TypeError):
    """A job was put in with other arguments than its function takes by now."""


def call(claimed: Claimed, function: JobFunction[Any, Any]) -> Outcome:
    """Call the function of a job, outside of any request, again if the database undid all that it did."""
    try:
        answer = retry_undone(partial(_call, claimed, function), f"job {claimed.id}, {claimed.called},")
    except GUARDED as error:
        return Outcome(error=error)
    try:
        return Outcome(None if answer is None else as_json(answer, "the result"))
    except (TypeError, ValueError) as error:
        # It is done: to do it once more would not better this
        return Outcome(remark=f"the job is done, but its result can't be stored: {error}")


def _call(claimed: Claimed, function: JobFunction[Any, Any]) -> Any:
    """Call the function of a job; what it leaves open of a transaction is undone."""
    try:
        ensure_connected()
        background = Background(claimed.id, claimed.called, claimed.user, _login(claimed.user))
        with in_background(background), unchanged_tables():
            return function.function(**_arguments(claimed, function))
    finally:
        end_of_request()


def _login(user: int | None) -> str:
    if user is None:
        return ""
    account = Account.get_or_none(Account.id == user)
    return str(account.login) if account is not None else ""


def _arguments(claimed: Claimed, function: JobFunction[Any, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = json.loads(claimed.arguments)
    try:
        function.signature.bind(**arguments)
    except TypeError as error:
        names = ", ".join(arguments) or "none"
        raise WrongArguments(
            f"expected the arguments of {function.name}{function.signature}, got {names}: {error}"
        ) from None
    return arguments


def words_of(error: BaseException) -> str:
    """Why a job has failed, in one line: no traceback, no text of a database."""
    if isinstance(error, ApiError):
        text = error.message
    elif isinstance(error, WrongArguments):
        text = str(error)
    elif isinstance(error, peewee.PeeweeException):
        kind = classify_error(error)
        known = kind.message if kind is not None else ""
        text = known or f"the database rejected a statement: {type(error).__name__}"
    else:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
    return masked(" ".join(text.split()))
