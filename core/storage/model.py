"""`Model`, the base of every table: the options of its ``Meta``, and how its table and indexes are made.

Also what the options mean: the fields that a creation needs, what is wrong with them, relations, and what is searched.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from threading import get_ident
from types import ModuleType
from typing import Any, get_type_hints, is_typeddict

import peewee

from ..common.errors import meant
from .database import backend, database, quote
from .fields import RecordField
from .sqlfilters import LOOKED_INTO
from .texts import FORMAT, SearchedTable
from .values import codec

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


#: the files that a thread is importing again: other threads use their former models
_former: dict[str, ModuleType] = {}
_loading_thread = [0]


@contextmanager
def use_former_models(files: Mapping[str, ModuleType]) -> Iterator[None]:
    """Let other threads use the models of some files while this one imports these files again."""
    _loading_thread[0] = get_ident()
    _former.update(files)
    try:
        yield
    finally:
        _former.clear()
        Model._made += 1


def models_state() -> tuple[int, bool]:
    """Return what `all_models` depends on, to cache what is made of its result."""
    return Model._made, bool(_former) and _loading_thread[0] != get_ident()


def _is_left_behind(model: type[Model]) -> bool:
    """Return whether the module of a model was loaded again, or removed; the class lives while it is referred to."""
    if not model.__module__.startswith("modules."):
        return False
    former = _former if models_state()[1] else {}
    module = former.get(model.__module__) or sys.modules.get(model.__module__)
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


# Checks of the options ------------------------------------------------------------------------------------------------


def wrong_hints(kind: Any) -> str:
    """Return what is wrong with the keys of a `TypedDict`, whose types may be strings; empty: nothing."""
    try:
        get_type_hints(kind, include_extras=True) if is_typeddict(kind) else None
    except Exception as error:  # noqa: BLE001 - an annotation may raise anything
        return f"the keys of {kind.__name__} can't be read: {type(error).__name__}: {error}"
    return ""


def asked_columns(model: Any) -> list[str]:
    """Return the fields that the server doesn't manage and whose columns are NOT NULL without a default.

    A body, the module or `Records.prepare` must set them.
    """
    meta = meta_of(model)
    closed = {*meta.managed, *meta.secret}
    return [name for name in meta.sorted_field_names if name not in closed and _needs_value(meta.fields[name])]


def required_fields(model: Any) -> list[str]:
    """Return the fields that the body of a creation must have: `Meta.required`, and columns that need a value."""
    meta = meta_of(model)
    implied = [name for name in asked_columns(model) if name not in meta.excused]
    return list(dict.fromkeys([*meta.required, *implied]))


def _needs_value(field: Any) -> bool:
    if field.null or field.default is not None or getattr(field, "auto_increment", False):
        return False
    return not has_database_default(field)


def has_database_default(field: Any) -> bool:
    """Return whether the database has a default for a column."""
    return any("DEFAULT" in str(getattr(each, "sql", each)).upper() for each in field.constraints or ())


def wrong_option(model: Any) -> str:
    """Return what is wrong with a model's `Meta`; empty: nothing. A typo must not publish a secret field."""
    meta = meta_of(model)
    unknown = meta._additional_keys - meta_of(Model)._additional_keys
    if unknown:
        return f"unknown option {min(unknown)!r}{meant(min(unknown), meta_of(Model)._additional_keys)}"
    for option in ("answers", "accepts"):
        shape = getattr(meta, option)
        if shape is not None and not is_typeddict(shape):
            return f"{option}: expected a TypedDict"
        if wrong := wrong_hints(shape):
            return f"{option}: {wrong}"
    named = {option: getattr(meta, option) for option in (*ADDED_UP, "part_of", "searched", "sorted", "stored_file")}
    named |= {
        # A key of `answers` may be internal as well
        "internal": [name for name in meta.internal if name not in getattr(meta.answers, "__annotations__", {})],
        "aliases": meta.aliases.values(),
        "stored_size": [meta.stored_size] if meta.stored_size else [],
        "thirdparty": [meta.thirdparty.partition(".")[0]] if meta.thirdparty else [],
    }
    for option, names in named.items():
        unknown_away = [name for name in meta.taken_away.get(option, ()) if name not in meta.fields]
        if unknown_away:
            return f"{option} removes {unknown_away[0]!r}, but the model has no such field"
        missing = [name for name in names if name not in meta.fields]
        # The option of the base class, for a model whose key has another name
        if missing and (option, missing) != ("managed", ["id"]):
            return f"{option} has {missing[0]!r}, but the model has no such field{meant(missing[0], meta.fields)}"
    nameless = [name for name in meta.part_of if not hasattr(meta.fields[name], "target")]
    if nameless:
        return f"part_of: expected a RecordField, got {nameless[0]!r}"
    if wrong := _wrong_texts(meta) or _wrong_values(meta):
        return wrong
    rest = meta.thirdparty.partition(".")[2]
    if rest:
        field = meta.fields[meta.thirdparty.partition(".")[0]]
        if not hasattr(field, "target") or rest.partition(".")[0] not in meta_of(field.target()).fields:
            return f"thirdparty: {meta.thirdparty!r} doesn't lead to a field"
    return ""


def _wrong_values(meta: Any) -> str:
    for option in ("belongs_to", "reveals"):
        if not callable(function := getattr(meta, option) or callable):
            return f"{option}: expected a function, got {function!r:.80}"
    for each in meta.indexes:
        match each:
            case peewee.Node():
                continue
            case ([str(), *_] as names, bool()):
                missing = [name for name in names if name not in meta.combined]
                if missing:
                    return (
                        f"indexes has {missing[0]!r}, but the model has no such field{meant(missing[0], meta.fields)}"
                    )
            case _:
                return (
                    "indexes: expected field names and whether their values are unique, "
                    f'such as ((("{meta.sorted_field_names[-1]}",), True),), got {tuple(meta.indexes)!r:.80}'
                )
    return ""


def _wrong_texts(meta: Any) -> str:
    no_text = [each for each in meta.sorted if not isinstance(meta.fields[each], (peewee.CharField, peewee.TextField))]
    if no_text:
        return f"sorted: expected a text field, got {no_text[0]!r}; use index=True for it"
    for name in meta.searched:
        if meta.fields[name].field_type not in ("VARCHAR", "CHAR", "TEXT"):
            return f"searched: expected a text field, got {name!r}"
        if name in meta.secret or name in meta.internal:
            return f"searched: {name!r} is {'secret' if name in meta.secret else 'internal'} and can't be searched"
    if meta.searched and getattr(meta.primary_key, "field_type", "") not in ("AUTO", "BIGAUTO", "INT", "BIGINT"):
        return "searched: expected a primary key that is a whole number"
    return ""


# Relations ------------------------------------------------------------------------------------------------------------

#: the noun of a field without one
_ANY = "record"


def relations_of(model: Any) -> Mapping[str, RecordField]:
    """Return the relations of a model: name → the field that refers to the record.

    The name is the field's noun in lower case, such as ``thirdparty``. If several fields have the noun, or the record
    has a key of that name, it is the field's own name without ``fk_`` and ``_id``. If that is also a key of the record,
    it ends with ``_record``.
    """
    meta = meta_of(model)
    shown = [meta.fields[name] for name in meta.sorted_field_names if name not in meta.secret]
    fields = [each for each in shown if isinstance(each, RecordField)]
    nouns = Counter(map(_noun, fields))
    computed = getattr(meta.answers, "__annotations__", {})
    keys = {*meta.fields, *meta.aliases, *computed, "array_options"}
    found: dict[str, RecordField] = {}
    for each in fields:
        # Without `fk_` and `_id`
        plain = re.sub(r"(?<=.)_?id$", "", each.name.removeprefix("fk_")) or each.name
        candidates = [_noun(each)] if nouns[_noun(each)] == 1 and _noun(each) not in ("", _ANY) else []
        candidates += [plain, f"{plain}_record", f"{each.name}_record"]
        name = next((word for word in candidates if word not in keys and word not in found), "")
        if name:
            found[name] = each
    return found


def _noun(named: RecordField) -> str:
    return re.sub(r"[\W_]", "", named.noun).lower()


# Searching ------------------------------------------------------------------------------------------------------------


def search_digest(model: Any) -> str:
    """Return a digest of what is made to search a model."""
    meta = meta_of(model)
    columns = [(field.column_name, _is_long(field)) for field in map(meta.fields.get, meta.searched)]
    said = (FORMAT, backend().name, meta.table_name, meta.primary_key.column_name, columns)
    return hashlib.sha256(repr(said).encode()).hexdigest()


def _is_long(field: Any) -> bool:
    """Return whether a column may hold more characters than are searched."""
    return codec(field).longest > LOOKED_INTO


def searched_table(model: Any) -> SearchedTable:
    """Return what is searched of a model, for the current database."""
    meta = meta_of(model)
    columns = {
        field.column_name: LOOKED_INTO if _is_long(field) else 0 for field in map(meta.fields.get, meta.searched)
    }
    return SearchedTable(str(meta.table_name), meta.primary_key.column_name, columns, quote)
