"""Merge of two third parties: all references move to the one that is kept, and the other is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core import Account, BadRequest, Model, RecordField, Unauthorized, current_caller, emit, transaction
from core.for_natives import cached_per_catalogue, note_event

from ..setup.trees import lock_tree
from .models import STAMPS, Representative, Thirdparty
from .thirdparties import thirdparties

#: columns with the ID of a third party that are not a `RecordField`
PLAIN = ((Account, "socid"), (Representative, "socid"))
#: unique fields of a third party
UNIQUE = ("code_client", "code_fournisseur", "barcode")
#: texts that are joined
NOTES = ("note_public", "note_private")
#: fields that are not taken over: identity, state and position in the hierarchy
STAYS = ("id", "entity", "name", "status", "statut", "parent", "canvas", "import_key", "last_main_doc", *NOTES)


def merge(kept: int, gone: int) -> None:
    """Move everything of one third party to another and delete it, in one transaction.

    Empty fields of the kept one take the values of the other. Notes are joined. The kept one is a customer, prospect or
    supplier if either was. If both have a record that must be unique (a representative, a category), one remains.
    Modules with references outside of a `RecordField` handle `thirdparties.merged`, with ``id`` and ``merged``.

    :raises BadRequest: they are the same
    :raises NotFound: there is no such third party, or the caller may not see it
    :raises Unauthorized: external users would move, and the caller is not an administrator
    :raises Refused: a module refuses
    """
    if kept == gone:
        reason, theirs = (
            f"expected a third party other than {kept}, got {gone}",
            "Try to merge a thirdparty into itself",
        )
        raise BadRequest(errors=[("idtodelete", reason)], dolibarr=theirs)
    thirdparties.check_event("merged", kept, {"merged": gone})
    # Before its rows move, because these decide which users see the third party
    thirdparties.check_event("deleted", gone)
    with transaction():
        lock_tree(Thirdparty.parent)
        first, second = sorted((kept, gone))
        rows = {each: thirdparties.load(each, lock=True) for each in (first, second)}
        _require_right_over_users(gone)
        row = thirdparties.load(kept, lock=True, if_match=True)
        extras = _empty_extras(kept, gone)
        values = _taken_over(row, rows[gone])
        thirdparties.write_unchecked(gone, **dict.fromkeys(UNIQUE))
        for model, name in _naming():
            _move(model, name, kept, gone)
        _untie(row, rows[gone])
        emit("thirdparties", "merged", {"id": kept, "merged": gone}, checked=True)
        note_event("merged", Thirdparty, kept, merged=gone, name=rows[gone].name)
        thirdparties.delete(gone, checked=True)
        thirdparties.change(kept, {"array_options": extras} if extras else {}, merge_extras=True, **values)


def _require_right_over_users(gone: int) -> None:
    """Raise unless an administrator moves external users, because these read all records of their new third party."""
    caller = current_caller()
    if caller is not None and not caller.oversees and Account.select().where(Account.socid == gone).exists():
        raise Unauthorized(
            f"third party {gone} has external users; only an administrator with an unrestricted key may merge it"
        )


def _taken_over(kept: Thirdparty, gone: Thirdparty) -> dict[str, Any]:
    """Return the fields that the kept third party takes from the other one."""
    values = {
        name: getattr(gone, name)
        for name in Thirdparty._meta.fields
        if name not in (*STAYS, *STAMPS)
        and getattr(kept, name) in (None, "", {})
        and getattr(gone, name) not in (None, "", {})
    }
    for name in NOTES:
        both = [text for text in (getattr(kept, name), getattr(gone, name)) if text]
        values[name] = "\n".join(dict.fromkeys(both)) or None
    return values | {"client": kept.client | gone.client, "fournisseur": kept.fournisseur | gone.fournisseur}


def _empty_extras(kept: int, gone: int) -> dict[str, Any]:
    """Return the extra fields that are empty in the kept third party and set in the other."""
    known, other = (dict(thirdparties.read(each)["array_options"] or {}) for each in (kept, gone))
    return {name: value for name, value in other.items() if value not in (None, "") and known.get(name) in (None, "")}


@cached_per_catalogue
def _naming(served: Any) -> list[tuple[type[Model], str]]:
    """Return all columns of all modules with the ID of a third party."""
    table = Thirdparty._meta.table_name
    found = [
        (model, name)
        for model in served.models
        for name, field in model._meta.fields.items()
        if isinstance(field, RecordField) and field.target()._meta.table_name == table
    ]
    return [*PLAIN, *found]


def _move(model: Any, name: str, kept: int, gone: int) -> None:
    """Move the rows of one column to the kept third party; if both have a unique row, one remains."""
    field = model._meta.fields[name]
    for others in _unique_with(model, name):
        shared = model.alias()
        there = shared.select(*(getattr(shared, each) for each in others)).where(getattr(shared, name) == kept)
        doubles = [row[0] for row in _doubles(model, field, others, list(there.tuples()), gone)]
        if doubles:
            model.delete().where(model._meta.primary_key.in_(doubles)).execute()
    model.update({field: kept}).where(field == gone).execute()


def _unique_with(model: Any, name: str) -> Iterator[list[str]]:
    """Yield, for each unique index with a column, its other columns."""
    if model._meta.fields[name].unique:
        yield []
    for names, unique in model._meta.indexes:
        if unique and name in names:
            yield [each for each in names if each != name]


def _doubles(model: Any, field: Any, others: list[str], there: list[Any], gone: int) -> list[Any]:
    """Return the rows of the deleted third party that the kept one already has."""
    columns = [model._meta.primary_key, *(getattr(model, each) for each in others)]
    known = {tuple(row) for row in there}
    return [row for row in model.select(*columns).where(field == gone).tuples() if not others or row[1:] in known]


def _untie(kept: Thirdparty, gone: Thirdparty) -> None:
    """Give the kept third party the parent of the deleted one if it would be its own parent company."""
    seen, above = set(), kept.parent
    while above is not None and above not in (kept.id, gone.id) and above not in seen:
        seen.add(above)
        found = Thirdparty.get_or_none(Thirdparty.id == above)
        above = found.parent if found else None
    if above in (kept.id, gone.id):
        thirdparties.write_unchecked(kept.id, parent=gone.parent if gone.parent != kept.id else None)
