"""`Model`, which every table derives from: what its ``Meta`` may say, and how its table and indexes are made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import peewee

from .database import backend, database, quote

#: options that name fields, in no order that matters
ADDED_UP = ("required", "managed", "create_only", "stamps", "secret", "internal", "unaudited", "context")
#: stands before a name that is taken away again
AWAY = "-"


class AddedOptions(peewee.Metadata):
    """peewee's options of a model, where a child's lists of fields are added to those of its bases.

    :ivar excused: fields that a creation need not name although their columns hold no NULL
    :ivar taken_away: the names that the model itself takes away, by option
    """

    def __init__(self, model: Any, **options: Any) -> None:
        bases = [base._meta for base in model.__bases__ if hasattr(base, "_meta")]
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


def _of_all(bases: Iterable[Any], option: str) -> list[str]:
    return [name for base in bases for name in getattr(base, option, ())]


class Model(peewee.Model):
    """A table.

    Besides peewee's own options its ``Meta`` may say what follows (all optional, each a field name or a list of them).
    What a base says of ``required``, ``managed``, ``aliases``, ``create_only``, ``stamps``, ``secret``, ``internal``,
    ``unaudited`` and ``context`` holds for a model derived from it, too, which names only what it adds; ``"-name"``
    takes a name away again (``None`` an alias). Of every other option a child's own word replaces that of its base.

    ``thirdparty``
        the field that leads to the third party a row belongs to; the row rules then apply to every read
    ``extrafields``
        the element type under which user-defined fields are kept, such as ``loyalty_card``
    ``aliases``
        second names of fields in the interface: ``{"ref": "id"}``
    ``required``
        what a creation must name, and neither a creation nor a change may leave empty (``""``). A column that is NOT
        NULL and has no default is required by itself, though a text in it may be empty; ``"-name"`` excuses the body
        from naming it, because `Records.prepare` fills it. What is ``managed`` is asked of nobody
    ``managed``
        what the server alone writes
    ``create_only``
        what a creation may set and a change may not
    ``stamps``
        what says who changed a row last, and when: a change of nothing else leaves it
    ``secret``
        what is never answered, filtered or sorted by
    ``internal``
        fields, and keys of ``answers``, that only internal users read and write. For external users they are absent,
        no filter, sort order or sum uses them, a body's values are ignored, and a replacing PUT leaves them
    ``answers``
        a ``TypedDict`` of what an answer holds besides the fields, because ``Records.complete`` adds it
    ``accepts``
        a ``TypedDict`` of what a body may hold besides the fields
    ``stored_file``
        the fields that say, joined by ``/``, where in ``COMPTOIR_DOCUMENTS`` the file of a row lies: a backup holds no
        row without its file
    ``stored_size``
        the field that holds the bytes of that file
    ``example``
        a body to start from, for the explorer
    ``audited``
        False: the audit trail does not know of the table; for what the server counts or notes for itself
    ``unaudited``
        fields whose changes the audit trail leaves out
    ``part_of``
        fields that name the record in whose history the changes of a row are shown; the first that has a value counts
    ``belongs_to``
        where no single field says in whose history a row is shown: a function of the fields that ``context`` names, as
        the database keeps them, which answers the model (or its ``extrafields``) and the identifier, or None; it reads,
        and does not write
    ``reveals``
        a function of the same fields, which answers those of ``secret`` that the audit trail may show all the same
    ``context``
        the fields that these two ask for
    ``searched``
        the text fields that people look into, what matters most first: `q` finds words in them, and `like` the middle
        of a word, without reading the whole table
    ``sorted``
        texts that long lists are sorted by: each has an index in that order, except on MariaDB
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
    #: how many models have been made: whoever keeps something of all of them looks whether there are others
    _made = 0

    def __init_subclass__(cls, *, pattern: bool = False, **more: Any) -> None:
        """Derive a model.

        :param pattern: it has no table of its own; models that derive from it have its fields
        """
        super().__init_subclass__(**more)
        cls.is_pattern = pattern
        Model._made += 1

    @classmethod
    def create_table(cls, safe: bool = True, **options: Any) -> None:
        """Make the table.

        :param safe: it may be there already
        """
        meta, opened = meta_of(cls), backend()
        own, constraints = meta.table_settings, meta.constraints
        meta.table_settings = [*(own or ()), *opened.table_settings()]
        try:
            schema = cls._schema  # type: ignore[attr-defined]
            if opened.inline_indexes:
                meta.constraints = [*(constraints or ()), *_own_indexes(cls)]
            with ids_given_once(cls):
                schema.create_table(safe, **options)
            for text in () if opened.inline_indexes else _index_texts(cls, safe=safe):
                database.execute_sql(text)
        finally:
            meta.table_settings, meta.constraints = own, constraints


@contextmanager
def ids_given_once(model: type[peewee.Model]) -> Iterator[None]:
    """Make the table of a model meanwhile: it never gives the ID of a deleted row again."""
    key, constraint = meta_of(model).primary_key, backend().key_constraint
    if not constraint or not isinstance(key, peewee.AutoField):
        yield
        return
    own = key.constraints
    key.constraints = [*(own or ()), peewee.SQL(constraint)]
    try:
        yield
    finally:
        # The same model may make its table in another kind of database next
        key.constraints = own


def _own_indexes(model: Any) -> list[peewee.SQL]:
    """Return the indexes of a model as parts of its `CREATE TABLE`."""
    named = f" ON {quote(meta_of(model).table_name)}"
    texts = _index_texts(model, safe=False)
    return [peewee.SQL(text.removeprefix("CREATE ").replace(named, "", 1)) for text in texts]


def _index_texts(model: Any, *, safe: bool) -> list[str]:
    """Return the statements that make the indexes of a model."""
    meta = meta_of(model)
    nullable = [quote(field.column_name) for field in meta.sorted_fields if field.null]
    texts = []
    for each in meta.fields_to_index():
        text: str = model._schema._create_index(each, safe=safe).query()[0]
        head, bracket, columns = text.rpartition("(")
        for name in nullable:
            columns = columns.replace(name, name + backend().nulls_first)
        texts.append(head + bracket + columns)
    return texts


def meta_of(model: Any) -> Any:
    """A model's options: peewee's own and those of `Model.Meta`."""
    return model._meta
