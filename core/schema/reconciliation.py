"""One table and its model: what is to be done so that they agree, or why that is not for the server to decide."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..storage.database import backend, query, quote
from ..storage.model import Model, meta_of
from .columns import key_of, number
from .drift import Drift, compare
from .forms import TableForm, form_of
from .indexes import why_not_unique
from .known_tables import digest_of, merged, owner_of, remember, table_of
from .present import present_form
from .steps import Add, AddIndex, Change, Drop, DropIndex, Step, apply, words_of

_log = logging.getLogger("comptoir.tables")

#: steps after which whoever has the model of before still reads and writes what is right
_HARMLESS = (Add, AddIndex, DropIndex)


@dataclass
class Reconciliation:
    """What is to be done with a table.

    :ivar form: what is kept of it afterwards
    :ivar present: what it has now
    :ivar reason: why nothing is done; empty: `steps` are
    """

    model: type[Model]
    form: TableForm
    present: TableForm
    owner: str
    digest: str
    steps: list[Step] = field(default_factory=list)
    reason: str = ""

    @property
    def moves(self) -> bool:
        """Whether a worker that has the model of before must not go on."""
        return any(not isinstance(step, _HARMLESS) or getattr(step, "unique", False) for step in self.steps)

    def make(self) -> None:
        """Change the table."""
        # A table without rows is being made, by a module after the other perhaps: that is no news
        level = logging.DEBUG if self.steps and _is_empty(table_of(self.model)) else logging.INFO
        for step in self.steps:
            _log.log(level, "%s", words_of(step))
            apply(step, self.present)

    def note(self) -> None:
        """Keep what the table is now."""
        remember(self.model, self.form, self.owner, self.digest)


def reconcile(
    model: type[Model], digests: Mapping[str, str], forms: Mapping[str, tuple[TableForm, str]]
) -> Reconciliation:
    """What is to be done so that a table is what its model says.

    :param digests: what is known of each table
    :param forms: forms and owners of those that have one
    """
    table, wanted = table_of(model), form_of(model)
    # If each change commits, a process may end after it has made a table and before it has kept the form
    known, owner = forms.get(table, (wanted, ""))
    guest = owner not in ("", owner_of(model))
    there = present_form(wanted, known)
    present = _seen_by_guest(there, wanted) if guest else there
    fields = {each.column_name: each for each in meta_of(model).sorted_fields}
    drift = compare(wanted, present, fields)
    made = Reconciliation(
        model,
        merged(wanted, there, known, guest=guest),
        there,
        owner if guest else owner_of(model),
        digests[table] if guest else digest_of(model),
        [step for step in drift.safe if not _is_formal(step, wanted, present)],
    )
    # A guest may add columns to an empty table, but not change those of its owner
    may_be_remade = not guest or all(isinstance(each.step, Add) for each in drift.unsafe)
    if drift.unsafe and may_be_remade and _is_empty(table):
        made.steps = remade(wanted, present, fields, drift)
        key = key_of(table)
        if any(isinstance(step, Drop) and step.column == key for step in made.steps):
            made.reason = (
                f"{table}.{key}: a primary key can't change; the table is empty, so take the module away, run "
                f"`comptoir tables --drop {table}` and put the module back"
            )
    elif drift.unsafe:
        made.reason = drift.reason()
    else:
        made.reason = "; ".join(filter(None, (_unfit(step, wanted, present) for step in made.steps)))
    return made


def _seen_by_guest(present: TableForm, wanted: TableForm) -> TableForm:
    """A table without the columns and indexes that only its owner's model knows."""
    columns = {name: column for name, column in present.columns.items() if name in wanted.columns}
    return replace(present, columns=columns, indexes=tuple(set(present.indexes) & set(wanted.indexes)))


def _unfit(step: Step, wanted: TableForm, present: TableForm) -> str:
    """Why rows prevent a unique index or a reference; empty if they don't, or if the step is another one."""
    if isinstance(step, AddIndex) and step.unique and {*step.columns} <= {*present.columns}:
        return why_not_unique(step.table, step.columns)
    table = wanted.columns[step.column].references if isinstance(step, Change) else ""
    if not isinstance(step, Change) or table in ("", present.columns[step.column].references):
        return ""
    target, column = getattr(step.field, "target", None), quote(step.column)
    key = quote(meta_of(target()).primary_key.column_name if target is not None else "rowid")
    astray = number(
        f"SELECT COUNT(*) FROM {quote(step.table)} WHERE {column} IS NOT NULL "
        f"AND {column} NOT IN (SELECT {key} FROM {quote(table)})"
    )
    reason = (
        f"{step.table}.{step.column}: models.py makes it a reference to {table}, but some rows ({astray}) point to "
        "rows that don't exist; correct them in a migration"
    )
    return reason if astray else ""


def remade(wanted: TableForm, present: TableForm, fields: Mapping[str, Any], drift: Drift) -> list[Step]:
    """Return the steps that make a table without rows what its model says: nothing can be lost."""
    table = wanted.name
    changed = [each.step.column for each in drift.unsafe if isinstance(each.step, Change)]
    gone = [name for name, each in present.columns.items() if name not in wanted.columns and not each.guest]
    steps: list[Step] = [Drop(table, name) for name in (*gone, *changed)]
    steps += [step for step in drift.safe if not isinstance(step, (Add, AddIndex))]
    new = [name for name in wanted.columns if name not in present.columns or name in changed]
    steps += [Add(table, name, fields[name]) for name in new]
    steps += [step for step in drift.safe if isinstance(step, AddIndex)]
    # An index over several columns is dropped with each of them
    lost = [each for each in wanted.indexes if each in present.indexes and {*each[0]} & {*changed}]
    return [*steps, *(AddIndex(table, names, unique) for names, unique in lost)]


def _is_empty(table: str) -> bool:
    return not query(f"SELECT 1 FROM {quote(table)} LIMIT 1")


def _is_formal(step: Step, wanted: TableForm, present: TableForm) -> bool:
    """Return whether a change is one of the form only, because the database ignores lengths and digits."""
    if not (backend().ignores_sizes and isinstance(step, Change)):
        return False
    new, old = wanted.columns[step.column], present.columns[step.column]
    return (new.null, new.references) == (old.null, old.references) and (
        new.null or new.computed or new.default == old.default
    )
