"""`Model`, the base of every table: the options of its ``Meta``, and how its table and indexes are made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

import peewee

from .database import backend, database, quote

#: options that list fields, in any order
ADDED_UP = ("required", "managed", "create_only", "stamps", "secret", "internal", "unaudited", "context")
#: the prefix of a name that is removed
AWAY = "-"
#: type of an option of `Model.Meta` → what its value should be
_EXPECTED: dict[type, str] = {
    tuple: "a tuple of field names", dict: "a dict", str: "a text", bool: "True or False",
}  # fmt: skip


class AddedOptions(peewee.Metadata):
    """peewee's options of a model; a child's lists of fields are added to those of its bases.

    :ivar excused: fields that the body of a creation needn't have although their columns are NOT NULL
    :ivar taken_away: the names that the model itself removes, by option
    """

    def __init__(self, model: Any, **options: Any) -> None:
        bases = [base._meta for base in model.__bases__ if hasattr(base, "_meta")]
        for option, value in options.items():
            if wrong := _why_wrong(type(getattr(bases[0] if bases else None, option, None)), value):
                raise TypeError(f"{model.__name__}.Meta: {option}: {wrong}")
        taken_away: dict[str, list[str]] = {}
        for option in ADDED_UP:
            own = [str(name) for name in options.get(option) or ()]
            taken_away[option] = away = [name[len(AWAY) :] for name in own if name.startswith(AWAY)]
            added = [*_of_all(bases, option), *(name for name in own if not name.startswith(AWAY))]
            options[option] = tuple(name for name in dict.fromkeys(added) if name not in away)
        named: dict[str, str | None] = {}
        for base in bases:
            named |= getattr(base, "aliases", {})
        named |= options.get("aliases") or {}
        options["aliases"] = {alias: name for alias, name in named.items() if name is not None}
        super().__init__(model, **options)
        self.taken_away = taken_away
        excused = {*_of_all(bases, "excused"), *taken_away["required"]}
        self.excused = frozenset(excused.difference(options["required"]))


def _why_wrong(kind: type, value: Any) -> str:
    """Return why an option can't have a value; empty: it can.

    :param kind: the type of the option in `Model.Meta`
    """
    names = isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(e, str) for e in value)
    if kind not in _EXPECTED or (names if kind is tuple else isinstance(value, kind)):
        return ""
    instead = f'; write ("{value}",)' if kind is tuple and isinstance(value, str) else ""
    return f"expected {_EXPECTED[kind]}, got {value!r:.80}{instead}"


def _of_all(bases: Iterable[Any], option: str) -> list[str]:
    return [name for base in bases for name in getattr(base, option, ())]


class Model(peewee.Model):
    """A table.

    Besides peewee's own options, its ``Meta`` may have those below. All are optional; a value is a field name or a list
    of them, unless described otherwise. A derived model adds to the fields of its bases in ``required``, ``managed``,
    ``create_only``, ``stamps``, ``secret``, ``internal``, ``unaudited`` and ``context``, and its ``aliases`` likewise.
    ``"-name"`` removes a field of a base, ``None`` an alias. Any other option replaces that of the base.

    ``thirdparty``
        The field that leads to the third party of a row. Row rules then apply to every read.
    ``extrafields``
        The element type of user-defined fields, such as ``loyalty_card``.
    ``aliases``
        Second names of fields in the API: ``{"ref": "id"}``.
    ``required``
        Fields that a creation must have, and that may never be empty (``""``). A NOT NULL column without a default is
        required anyway, though its text may be empty; with ``"-name"``, `Records.prepare` sets it instead of the body.
        Fields in ``managed`` are never required.
    ``managed``
        Fields that only the server writes.
    ``create_only``
        Fields that a creation may set and a change may not.
    ``stamps``
        Fields for the author and the time of the last change. If nothing else changes, they stay.
    ``secret``
        Fields that are never returned, filtered or sorted by.
    ``internal``
        Fields, and keys of ``answers``, that only internal users read and write. For external users they are absent. No
        filter, sort order or sum uses them, a body's values are ignored, and a replacing PUT keeps them.
    ``answers``
        A ``TypedDict`` of the keys that `Records.complete` adds to a record.
    ``accepts``
        A ``TypedDict`` of the keys that a body may have besides the fields.
    ``stored_file``
        The fields that, joined by ``/``, are the path of a row's file in ``COMPTOIR_DOCUMENTS``. A backup contains no
        row without its file.
    ``stored_size``
        The field with the size of that file in bytes.
    ``example``
        A body to start from, for the explorer.
    ``audited``
        False: the audit trail ignores the table, which holds counters or notes of the server.
    ``unaudited``
        Fields whose changes the audit trail ignores.
    ``part_of``
        Fields that refer to the record whose history shows the changes of a row. The first one with a value is used.
    ``belongs_to``
        A function instead of ``part_of``. It gets the fields in ``context`` as the database keeps them, and returns the
        model (or its ``extrafields``) and the ID, or None. It reads, and doesn't write.
    ``reveals``
        A function of the same fields. It returns the ``secret`` ones that the audit trail may show.
    ``context``
        The fields that ``belongs_to`` and ``reveals`` get.
    ``searched``
        The text fields in which `q` finds words, and `like` the middle of a word, without reading the whole table. The
        most important one comes first.
    ``sorted``
        Texts that long lists are sorted by. Each has an index in that order, except on MariaDB.
    """

    class Meta:
        database = database
        legacy_table_names = False
        model_metadata_class = AddedOptions
        thirdparty = ""
        extrafields = ""
        aliases: dict[str, str] = {}
        required: tuple[str, ...] = ()
        managed: tuple[str, ...] = ("id",)
        create_only: tuple[str, ...] = ()
        stamps: tuple[str, ...] = ()
        secret: tuple[str, ...] = ()
        internal: tuple[str, ...] = ()
        answers: type[Any] | None = None
        accepts: type[Any] | None = None
        stored_file: tuple[str, ...] = ()
        stored_size: str = ""
        example: dict[str, Any] = {}
        audited: bool = True
        unaudited: tuple[str, ...] = ()
        part_of: tuple[str, ...] = ()
        belongs_to: Callable[[Mapping[str, Any]], tuple[type[Any] | str, Any] | None] | None = None
        reveals: Callable[[Mapping[str, Any]], Collection[str]] | None = None
        context: tuple[str, ...] = ()
        searched: tuple[str, ...] = ()
        sorted: tuple[str, ...] = ()

    #: whether the class is only a pattern that other models derive from
    is_pattern = True
    #: number of models made; a cache of all models compares it
    _made = 0

    def __init_subclass__(cls, *, pattern: bool = False, **more: Any) -> None:
        """Derive a model.

        :param pattern: the class has no table; models that derive from it have its fields
        """
        super().__init_subclass__(**more)
        cls.is_pattern = pattern
        Model._made += 1

    @classmethod
    def create_table(cls, safe: bool = True, **options: Any) -> None:
        """Create the table.

        :param safe: it may exist already
        """
        create_table(cls, safe=safe, **options)


def create_table(model: type[peewee.Model], *, safe: bool = True, **options: Any) -> None:
    """Create the table of a model with its indexes.

    :param safe: it may exist already
    """
    meta, opened = meta_of(model), backend()
    own, constraints = meta.table_settings, meta.constraints
    meta.table_settings = [*(own or ()), *opened.table_settings()]
    try:
        if opened.inline_indexes:
            meta.constraints = [*(constraints or ()), *_own_indexes(model)]
        with ids_given_once(model):
            model._schema.create_table(safe, **options)  # type: ignore[attr-defined]
        for text in () if opened.inline_indexes else _index_texts(model, safe=safe):
            database.execute_sql(text)
    finally:
        meta.table_settings, meta.constraints = own, constraints


@contextmanager
def ids_given_once(model: type[peewee.Model]) -> Iterator[None]:
    """Context manager in which a table is created that never reuses the ID of a deleted row."""
    key, constraint = meta_of(model).primary_key, backend().key_constraint
    if not constraint or not isinstance(key, peewee.AutoField):
        yield
        return
    own = key.constraints
    key.constraints = [*(own or ()), peewee.SQL(constraint)]
    try:
        yield
    finally:
        # The next table of the model may be in another kind of database
        key.constraints = own


def _own_indexes(model: Any) -> list[peewee.SQL]:
    """Return the indexes of a model for its `CREATE TABLE`."""
    named = f" ON {quote(meta_of(model).table_name)}"
    texts = _index_texts(model, safe=False)
    return [peewee.SQL(text.removeprefix("CREATE ").replace(named, "", 1)) for text in texts]


def _index_texts(model: Any, *, safe: bool) -> list[str]:
    """Return the statements that create the indexes of a model."""
    meta = meta_of(model)
    nullable = [quote(field.column_name) for field in meta.sorted_fields if field.null]
    texts = []
    for each in meta.fields_to_index():
        text: str = model._schema._create_index(each, safe=safe).query()[0]
        head, bracket, columns = text.rpartition("(")
        for name in nullable:
            columns = columns.replace(name, name + backend().nulls_order(descending=False))
        texts.append(head + bracket + columns)
    return texts


#: returns a model's options: peewee's own and those of `Model.Meta`
meta_of: Callable[[Any], Any] = attrgetter("_meta")


def all_models(base: type[Model]) -> list[type[Model]]:
    """Return the models with a table that are derived from a base, at any depth."""
    found: list[type[Model]] = []
    for child in base.__subclasses__():
        found += [*([] if child.is_pattern or _is_left_behind(child) else [child]), *all_models(child)]
    return found


def _is_left_behind(model: type[Model]) -> bool:
    """Return whether the module of a model was loaded again, or removed; the class lives while it is referred to."""
    if not model.__module__.startswith("modules."):
        return False
    module = sys.modules.get(model.__module__)
    # The module has no name for a model that a function has made, so nothing has replaced it
    return module is None or getattr(module, model.__name__, model) is not model


def words_of(model: type[Model]) -> str:
    """Return what a row of a model is, in lower case: ``price list`` for ``PriceList``."""
    return "".join(f" {each.lower()}" if each.isupper() else each for each in model.__name__).strip()


def widest(models: Iterable[type[Model]]) -> dict[str, type[Model]]:
    """Return one model for each table: the one with the most fields, or the first of several such."""
    chosen: dict[str, type[Model]] = {}
    for model in models:
        table = str(meta_of(model).table_name)
        if table not in chosen or len(meta_of(chosen[table]).fields) < len(meta_of(model).fields):
            chosen[table] = model
    return chosen
