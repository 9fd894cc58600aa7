"""What migrations have been run, what is pending, what that would do: for whoever asks before anything is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peewee

from ..storage.database import database
from ..storage.model import Model
from ..storage.troubles import MISSING, trouble_of
from .forms import TableForm, form_of
from .known_tables import known_digests, known_forms, owner_of, table_of
from .migrations import MigrationError, done_migrations, files_in, pending_migrations
from .models import widest
from .pending import forms_before, models_of, plan_against
from .present import present_form
from .reconciliation import reconcile
from .steps import foretell
from .tables import changed_models
from .words import sql_of, words_of


@dataclass(frozen=True)
class Known:
    """A migration that lies in a module's folder.

    :ivar run: when it was run; None: it is pending
    """

    module: str
    name: str
    run: Any


@dataclass(frozen=True)
class Expected:
    """What a pending migration would do.

    :ivar steps: (in words, as SQL); None: only doing it tells
    """

    module: str
    name: str
    steps: list[tuple[str, list[str]]] | None
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
        forms = forms_of(module, models_of(own, module))
        if not set(forms) & set(database.get_tables()):
            found += [Expected(module, file.stem, [], "a first load has nothing to migrate") for file in files]
            continue
        after = dict(forms)
        try:
            plans = plan_against(module, files, models_of(own, module), forms)
        except MigrationError as error:
            found += [Expected(module, file.stem, [], str(error)) for file in files]
            continue
        for each in plans:
            if each.steps is None:
                reason = "it reads rows, or takes the database itself: what it does is known when it runs"
                found.append(Expected(module, each.file.stem, None, reason))
                continue
            steps = []
            for step in each.steps:
                steps.append((words_of(step), sql_of(step, after.get(getattr(step, "table", "")))))
                foretell(step, after)
            found.append(Expected(module, each.file.stem, steps))
    return found


def refusals(folders: Mapping[str, Path], models: Iterable[type[Model]]) -> dict[str, str]:
    """Module → why a server refuses it as long as its tables are what they are; nothing is changed.

    :param folders: module → its folder of migration files
    """
    models, existing = list(models), set(database.get_tables())
    pending = pending_migrations(dict(folders))
    found: dict[str, str] = {}
    for module in folders:
        own = widest(models_of(models, module).values())
        if module in pending:
            # What they do not do is told of each of them; else they make it what it should be
            try:
                plan_against(module, pending[module], own, forms_of(module, own))
            except MigrationError as error:
                found[module] = str(error)
            continue
        changed = [model for model in changed_models(own) if table_of(model) in existing]
        if not changed:
            continue
        digests, forms = known_digests(), known_forms([table_of(model) for model in changed])
        reasons = [each.reason for model in changed if (each := reconcile(model, digests, forms)).reason]
        if reasons:
            found[module] = "; ".join(reasons)
    return found


def forms_of(module: str, own: Mapping[str, type[Model]]) -> dict[str, TableForm]:
    """What tables are made from now; those that nobody has kept a form of as their database tells."""
    existing = set(database.get_tables())
    try:
        known = known_forms()
    except peewee.DatabaseError as error:
        if trouble_of(error) is not MISSING:
            raise
        known = {}
    forms = forms_before(module, known, existing)
    for table, model in own.items():
        if table in existing and table not in forms:
            forms[table] = present_form(form_of(model), None)
    return forms


__all__ = ["Expected", "Known", "expected", "forms_of", "owner_of", "refusals", "status"]
