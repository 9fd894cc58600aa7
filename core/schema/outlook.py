"""What migrations have been run, what is pending, what that would do: for whoever asks before anything is changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import peewee

from ..storage.database import backend, database
from ..storage.database_errors import is_temporary
from ..storage.model import Model
from .forms import TableForm, form_of
from .known_tables import known_digests, known_forms
from .lock import trial
from .migrations import (
    Do,
    MigrationError,
    begun_migrations,
    done_migrations,
    files_in,
    pending_migrations,
    run_file,
)
from .models import widest
from .pending import forms_before, is_first_load, models_of, plan_against
from .present import present_form
from .reconciliation import reconcile
from .steps import Run, Step, apply, words_of
from .tables import changed_models


class Known(NamedTuple):
    """A migration that lies in a module's folder.

    :ivar run: when it was run; None: it is pending
    """

    module: str
    name: str
    run: Any


class Expected(NamedTuple):
    """What a pending migration would do.

    :ivar steps: in words; None: only doing it tells
    """

    module: str
    name: str
    steps: list[str] | None
    reason: str = ""


def status(folders: Mapping[str, Path]) -> list[Known]:
    """Every migration that there is, by module and number."""
    done = done_migrations()
    return [
        Known(module, file.stem, done.get((module, file.stem)))
        for module, folder in sorted(folders.items())
        for file in files_in(folder)
    ]


def expected(folders: dict[str, Path], models: Iterable[type[Model]]) -> list[Expected]:
    """What is pending would do, as far as that can be told without doing it; nothing is changed."""
    own = list(widest(models).values())
    found: list[Expected] = []
    for module, files in pending_migrations(folders).items():
        mine = models_of(own, module)
        try:
            first = is_first_load(module, mine)
            plans = [] if first else plan_against(module, files, mine, forms_of(module, mine))
            reason = "nothing to migrate: the module has no tables yet"
        except MigrationError as error:
            plans, reason = [], str(error)
        if not plans:
            found += [Expected(module, file.stem, [], reason) for file in files]
        for each in plans:
            steps = None if each.steps is None else [words_of(step) for step in each.steps]
            reason = "" if steps is not None else "the steps are known only when it runs, because it reads rows"
            found.append(Expected(module, each.file.stem, steps, reason))
    return found


def refusals(folders: Mapping[str, Path], models: Iterable[type[Model]]) -> dict[str, str]:
    """Module → why a server refuses it as long as its tables are what they are; nothing is changed.

    Pending migrations are made and undone. What only the server can find out, which waits longer for a lock and a
    statement, and changes tables on a database that can't undo that, is not among the reasons.

    :param folders: module → its folder of migration files
    """
    models, pending = list(models), pending_migrations(dict(folders))
    found: dict[str, str] = {}
    for module in folders:
        own = widest(models_of(models, module).values())
        try:
            reason = _try_out(module, pending[module], own) if module in pending else _drift(own, {}, set())
        except MigrationError as error:
            reason = str(error)
        except peewee.PeeweeException as error:
            if not is_temporary(error):
                raise
            continue
        if reason:
            found[module] = reason
    return found


def _drift(own: dict[str, type[Model]], after: Mapping[str, TableForm], migrated: set[str]) -> str:
    """Why tables can't be what their models say without a migration; empty: they can.

    :param own: the models of a module, by table
    :param after: what migrations have made of tables, by name
    :param migrated: the tables that they have changed
    """
    existing = set(database.get_tables())
    changed = {*changed_models(own), *(own[table] for table in migrated & own.keys())}
    models = [model for table, model in own.items() if model in changed and table in existing]
    if not models:
        return ""
    digests, known = known_digests() | dict.fromkeys(migrated, ""), known_forms()
    forms = known | {table: (after[table], known.get(table, (None, ""))[1]) for table in migrated if table in after}
    reasons = [each.reason for model in models if (each := reconcile(model, digests, forms)).reason]
    return "; ".join(reasons)


class _Untriable(BaseException):
    """A step that could not be undone."""


#: the statements that every database can undo
_CHANGES_ROWS = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b", re.I)


def _try_out(module: str, files: list[Path], own: dict[str, type[Model]]) -> str:
    """Why pending migrations do not make what the models say; empty: nothing is known against them.

    :raises MigrationError: one cannot be done
    """
    before = forms_of(module, own)
    if is_first_load(module, own):
        return ""
    plans = plan_against(module, files, own, before)
    after, steps_done = dict(before), begun_migrations().get(module, {})
    try:
        with trial():
            for each in plans:
                run_file(each.file, after, _trying(steps_done.get(each.file.stem, 0)))
            return _drift(own, after, {table for table in after if before.get(table) != after[table]})
    except _Untriable:
        return "; ".join(
            f"{name}.py has started but not finished; see the server's log for the reason" for name in steps_done
        )


def _trying(done: int) -> Do:
    """What makes the steps of a migration on trial.

    :param done: how many of them are done already
    """
    numbers = count(1)

    def make(step: Step, form: TableForm | None) -> None:
        if next(numbers) <= done:
            return
        if not (backend().transactional_ddl or (isinstance(step, Run) and _CHANGES_ROWS.match(step.sql))):
            raise _Untriable
        apply(step, form)

    return make


def forms_of(module: str, own: Mapping[str, type[Model]]) -> dict[str, TableForm]:
    """What tables are made from now."""
    existing = set(database.get_tables())
    forms = forms_before(module, known_forms(), existing)
    for table, model in own.items():
        if table in existing and table not in forms:
            forms[table] = present_form(form_of(model), form_of(model))
    return forms
