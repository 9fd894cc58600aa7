"""Migrations that have not run yet: held against the models they come with, then done, or nothing of them.

Migration and model are dropped together, and one may be there a moment before the other. So the server works out what
the tables would be, and where models.py still says something else, it waits.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..storage.database import backend, database, query, quote, transaction
from ..storage.model import Model
from ..storage.table_generation import raise_generation
from .drift import differences
from .forms import TableForm
from .known_tables import KnownTable, known_digests, known_forms, note, owner_of, table_of
from .migrations import MigrationError, Plan, begun_migrations, carry_out, note_done, plan
from .present import present_form
from .safety_copies import make_safety_copy
from .steps import Run

_log = logging.getLogger("comptoir.tables")


def run_pending(
    pending: Mapping[str, list[Path]], models: Mapping[str, type[Model]], copies: list[Path], upto: Mapping[str, str]
) -> set[str]:
    """Do what is pending, under the lock of the schema; a module's first load has nothing to migrate.

    Answers the modules of which something is left to be done.

    :param pending: the migration files of each module
    :param models: the models that have been loaded, by table
    :param copies: gets the copies of the database that have been made beforehand
    :param upto: module → the number of the last one to be run now
    :raises MigrationError: it cannot be done, or does not make what the models say
    """
    known, existing = known_forms(), set(database.get_tables())
    left: set[str] = set()
    for module, files in pending.items():
        own = {table: model for table, model in models.items() if owner_of(model) == module}
        if is_first_load(module, own):
            note_done(module, files)
            continue
        forms = forms_before(module, known, existing)
        plans = plan_against(module, files, own, forms)
        if module in upto:
            plans = [each for each in plans if _number(each.file) <= int(upto[module])]
            left |= {module} if len(plans) < len(files) else set()
        if _has_rows(plans, existing) and (copy := make_safety_copy(f"{module}-{files[0].stem}")):
            copies.append(copy)
        if plans:
            _do(plans, forms)
    return left


def is_first_load(module: str, own: Iterable[str]) -> bool:
    """Return whether a module has no table yet, and so nothing to migrate.

    :param own: the tables of its models
    """
    known, digests = known_forms(), known_digests()
    # What others point at may have been made ahead of the module that it is of
    ahead = {table for table, (_, owner) in known.items() if not owner and not digests[table]}
    tables = {table for table, (_, owner) in known.items() if owner == module} | (set(own) - ahead)
    return not tables & set(database.get_tables())


def _number(file: Path) -> int:
    return int(re.match(r"\d+", file.stem)[0])  # type: ignore[index]


def forms_before(
    module: str, known: Mapping[str, tuple[TableForm, str]], existing: Iterable[str]
) -> dict[str, TableForm]:
    """What the tables are made from, by name: what is kept of each, and what its database says of it now.

    If a migration stopped halfway, what was before it counts.
    """
    there, begun = set(existing), module in begun_migrations() or changing(module) in known_digests()
    return {
        table: form if begun or owner != module else present_form(form, form)
        for table, (form, owner) in known.items()
        if table in there or begun
    }


def plan_against(
    module: str, files: list[Path], own: Mapping[str, type[Model]], forms: Mapping[str, TableForm]
) -> list[Plan]:
    """What migrations would do, if the tables that come of it are what the models say.

    :param own: the module's models, by table
    :raises MigrationError: they are not
    """
    after = dict(forms)
    plans = plan(module, files, after)
    if any(each.steps is None for each in plans):
        # What they do is only known once it is done: then the tables are compared
        return plans
    reasons = [each.reason for each in differences(own, after)]
    if reasons:
        names = " and ".join(file.name for file in files)
        raise MigrationError(
            f"{names} and models.py don't match; nothing was changed. Remaining differences: {'; '.join(reasons)}"
        )
    return plans


def _has_rows(plans: Iterable[Plan], existing: set[str]) -> bool:
    tables: set[str] = set()
    for each in plans:
        if each.steps is None or any(isinstance(step, Run) for step in each.steps):
            return True
        tables |= {step.table for step in each.steps if not isinstance(step, Run)}
    return any(query(f"SELECT 1 FROM {quote(table)} LIMIT 1") for table in tables & existing)


def announce(module: str) -> None:
    """Stop the use of the former models before what can't be undone, once for each change."""
    if not backend().transactional_ddl and changing(module) not in known_digests():
        with transaction():
            note(changing(module), "", module)
            raise_generation()


def changing(module: str) -> str:
    """Return the name of the row that says that a change of a module's tables is announced and not done."""
    return f"{module} changing"


def _do(plans: list[Plan], forms: dict[str, TableForm]) -> None:
    if not backend().transactional_ddl:
        # Each statement commits: an interrupted migration needs the former tables to continue
        for table, form in forms.items():
            KnownTable.update(form=form.as_text()).where(KnownTable.name == table).execute()
    announce(plans[0].module)
    for each in plans:
        _log.info("%s: running migration %s", each.module, each.file.name)
        before = dict(forms)
        carry_out(each, forms, keep=lambda each=each, before=before: _keep(each.module, before, forms))  # type: ignore[misc]
    raise_generation()


def _keep(module: str, before: Mapping[str, TableForm], after: Mapping[str, TableForm]) -> None:
    """Keep what the tables are now; which models they fit is found out anew."""
    gone = [table for table in before if table not in after]
    for table, form in after.items():
        if before.get(table) == form:
            continue
        row = {"digest": "", "form": form.as_text()}
        if not KnownTable.update(**row).where(KnownTable.name == table).execute():
            KnownTable.delete().where(KnownTable.name == table).execute()
            KnownTable.create(name=table, owner=module, **row)
    for table in gone:
        KnownTable.delete().where((KnownTable.name == table) | KnownTable.name.startswith(f"{table} ")).execute()


def models_of(models: Iterable[type[Model]], module: str) -> dict[str, type[Model]]:
    """A module's models, by table."""
    return {table_of(model): model for model in models if owner_of(model) == module}
