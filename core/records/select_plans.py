"""Select plans: how a model is read, computed once and kept.

A plan has the text of the statement, the conversion of each column that needs one, and the columns of filters and sort
orders. Reading a row then doesn't need the model.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import peewee

from ..common.settings import settings
from ..storage.database import backend, driver_sql, quote
from ..storage.fields import ExactField, RecordField
from ..storage.model import Model, asked_columns, meta_of
from ..storage.sqlfilters import LOOKED_INTO, FilterColumn, parse, render
from ..storage.values import Codec, Conversion, codec, read_columns, to_python, to_record
from .extra_fields import PREFIX, definitions, values_table
from .key_tables import KeyTable
from .lists import ListQuery, order_by, sort_keys
from .ranges import Ranges
from .row_rules import NOTHING, Condition, Rows, all_of, condition_of, row_rule
from .search import Search

#: a further table for filters: its model, the field that leads to it, and its usable fields. Other fields stay hidden,
#: because callers who may list the records needn't have the permission to read that table
Join = tuple[type[Model], str, Collection[str]]

#: filters whose SQL a plan keeps
KEPT_FILTERS = 256


@dataclass(frozen=True)
class Kind:
    """The facts of a class of records that reading and checking need; `Records` describes them.

    :param parts: the keys of a record that `Children` add
    """

    model: type[Model]
    noun: str
    joins: Mapping[str, Join]
    answers: Mapping[str, str]
    subqueries: Mapping[str, str | Callable[[], str]]
    second_alias: str
    cleaners: Mapping[str, Callable[[str], str | None]]
    managed: Collection[str]
    extra_keys: Collection[str]
    parts: Collection[str]


class SelectPlan:
    """How one kind of record is read in one configuration: statement, keys, conversions, columns of filters.

    :param internal: for internal users; for others `Meta.internal` hides fields of the model and of the joined tables
    :param only: the fields to read, the ID among them; None: all
    """

    def __init__(self, kind: Kind, *, internal: bool = True, only: Collection[str] | None = None) -> None:
        self.kind, model, joins, alias = kind, kind.model, kind.joins, kind.second_alias
        answers = {key: each for key, each in kind.answers.items() if only is None or key in only}
        subqueries = {key: each for key, each in kind.subqueries.items() if only is None or key in only}
        meta, secret = meta_of(model), set(meta_of(model).secret)
        self.model, self.name, self.key = model, str(meta.table_name), str(meta.primary_key.column_name)
        #: the ID's column in filters and sort orders, and whether it is a whole number
        self.key_name, self.is_numbered = f"t.{self.key.lower()}", isinstance(meta.primary_key, peewee.IntegerField)
        self.fields: dict[str, peewee.Field] = dict(meta.fields)
        self.codecs: dict[str, Codec] = {name: codec(field) for name, field in self.fields.items()}
        self.extras = definitions(meta.extrafields)
        shown = [name for name in meta.sorted_field_names if name not in secret]
        every = [*zip(shown, shown, strict=True), *meta.aliases.items()]
        pairs = every if only is None else [pair for pair in every if pair[0] in only]
        self.names, converts = [name for name, _ in pairs], [self.codecs[name].answer for _, name in pairs]
        selected = [f"t.{quote(self.fields[name].column_name)}" for _, name in pairs]
        for answered, path in answers.items():
            table, _, name = path.partition(".")
            field = meta_of(joins[table][0]).fields[name]
            selected.append(f"{table}.{quote(field.column_name)}")
            self.names.append(answered)
            converts.append(codec(field).answer)
        selected += [f"({driver_sql(sql if isinstance(sql, str) else sql())})" for sql in subqueries.values()]
        self.names += subqueries
        self._record_of = to_record(self.names, [*converts, *[None] * len(subqueries)])
        self._extras_of = to_record(
            [PREFIX + name for name in self.extras],
            [extra.codec().answer for extra in self.extras.values()],
        )
        self.width, self.has_extras = len(selected), bool(meta.extrafields)
        #: further keys of records of this model in the profile; None: there are none
        self.key_table: KeyTable | None = settings().profile.key_tables.get(model)
        #: a map without entries in the profile
        self.empty_map: type = list if settings().profile.text_values else dict
        self.table = f"{quote(meta.table_name)} AS t"
        #: further tables that are always read: alias → join
        self.beside: dict[str, str] = {}
        if self.extras:
            selected += ["ef.fk_object", *(f"ef.{quote(name)}" for name in self.extras)]
            self.beside["ef."] = f" LEFT JOIN {quote(values_table(model))} AS ef ON ef.fk_object = t.{quote(self.key)}"
        self.selected, self.head = len(selected), f"SELECT {', '.join(selected)}"
        self.select = f"{self.head} FROM "
        self.search = Search(model)
        self.columns = self._filter_columns(meta, shown)
        if alias:
            self.columns |= {f"{alias}.{name[2:]}": each for name, each in self.columns.items() if name[:2] == "t."}
        #: joins that a statement has only for a filter or a sort order
        self.joins: dict[str, str] = {}
        for table, (other, name, named) in joins.items():
            self._join(table, other, self.fields[name], named)
        for table in sorted({path.partition(".")[0] + "." for path in answers.values()}):
            self.beside[table] = self.joins.pop(table)
        self.source = self.table + "".join(self.beside.values())
        #: hidden key → its empty value
        self.hidden = {} if internal else self._hidden(meta, joins, answers)
        #: the columns of a caller's filters, sort orders and sums; those of the code may use all `columns`
        self.open_columns = self.columns if internal else _without_internal(self.columns)
        self.positions = {
            **{f"t.{name}": place for place, (name, _) in enumerate(pairs)},
            **{f"t.{self.fields[name].column_name.lower()}": place for place, (_, name) in enumerate(pairs)},
            **{f"ef.{name}": self.width + 1 + place for place, name in enumerate(self.extras)},
        }
        #: the statement that reads whole rows, and their columns
        self.whole = self._select(self.fields)
        self.whole_columns = [field.column_name for field in self.fields.values()]
        #: how bodies are read: those of new records, and those of changes
        self.bodies: dict[bool, Any] = {}
        self._orders: dict[str, str] = {}
        self.filters: dict[str, tuple[Condition, tuple[str, ...]]] = {}

    @cached_property
    def asked(self) -> list[str]:
        """The fields that must have a value when a row is written."""
        return [name for name in asked_columns(self.model) if name not in self.kind.managed]

    @cached_property
    def whole_conversions(self) -> list[Conversion]:
        """How the columns of whole rows become values in Python's types."""
        return to_python(self.fields.values(), backend())

    @cached_property
    def references(self) -> dict[str, RecordField]:
        """The fields that refer to a record."""
        return {name: field for name, field in self.fields.items() if isinstance(field, RecordField)}

    @cached_property
    def unique(self) -> set[str]:
        """The fields whose value no other row may have."""
        return {name for name, field in self.fields.items() if field.unique or field.primary_key}

    def _hidden(self, meta: Any, joins: Mapping[str, Join], answers: Mapping[str, str]) -> dict[str, Any]:
        """Return the keys hidden from external users, and their empty values if the profile requires every key."""
        names = {*meta.internal, *(alias for alias, name in meta.aliases.items() if name in meta.internal)}
        for answered, path in answers.items():
            table, _, name = path.partition(".")
            if name in meta_of(joins[table][0]).internal:
                names.add(answered)
        return {name: self._empty(meta.aliases.get(name, name), name) for name in sorted(names)}

    def _empty(self, name: str, key: str) -> Any:
        """Return the value of a hidden key: that of the profile's table, or the column's default."""
        if self.key_table is not None and key in self.key_table.keys:
            return self.key_table.keys[key].empty
        field: Any = self.fields.get(name)
        if field is None or field.default is None or callable(field.default):
            return None
        value, convert = field.db_value(field.default), self.codecs[name].answer
        return value if convert is None else convert(value)

    def hide(self, records: Iterable[dict[str, Any]]) -> None:
        """Remove the hidden keys from completed records; the plan of an internal user hides nothing."""
        if not settings().profile.text_values:
            for record in records:
                for name in self.hidden:
                    record.pop(name, None)
            return
        for record in records:
            record |= {name: empty for name, empty in self.hidden.items() if name in record}

    def finish(self, records: list[dict[str, Any]]) -> None:
        """Add the keys of the profile to completed records, and remove what the caller may not see."""
        if self.key_table is not None:
            self.key_table.fill(records)
        if self.hidden:
            self.hide(records)

    def _filter_columns(self, meta: Any, shown: list[str]) -> dict[str, FilterColumn]:
        columns: dict[str, FilterColumn] = {}
        for name in shown:
            field, travels = self.fields[name], self.codecs[name]
            column = filter_column(f"t.{quote(field.column_name)}", travels, field, nullable=field.null)
            if column.text and backend().scans_indexes and (field.index or field.unique or name in meta.sorted):
                column = replace(column, among=partial(self._among, f"t.{quote(self.key)}"))
            columns[f"t.{field.column_name.lower()}"] = columns[f"t.{name.lower()}"] = column
        for alias, name in meta.aliases.items():
            columns[f"t.{alias.lower()}"] = columns[f"t.{name.lower()}"]
        for extra in self.extras.values():
            column = filter_column(f"ef.{quote(extra.name)}", extra.codec(), extra.field)
            columns[f"ef.{extra.name}"] = columns[f"te.{extra.name}"] = column
        return columns

    def _among(self, key: str, found: Condition) -> Condition:
        """Return the condition for the rows that meet one, which the index of a column finds."""
        return backend().few_rows_of(key, (f"SELECT {key} FROM {self.table} WHERE {found[0]}", found[1]), found)

    def _join(self, alias: str, model: type[Model], through: peewee.Field, named: Collection[str]) -> None:
        meta = meta_of(model)
        key = quote(meta.primary_key.column_name)
        table = f" LEFT JOIN {quote(meta.table_name)} AS {alias} ON {alias}.{key} = t.{quote(through.column_name)}"
        self.joins[f"{alias}."] = table
        for name in named:
            field = meta.fields[name]
            column = filter_column(f"{alias}.{quote(field.column_name)}", codec(field), field)
            self.columns[f"{alias}.{field.column_name.lower()}"] = self.columns[f"{alias}.{name.lower()}"] = column

    def order(self, text: str) -> str:
        """Return a sort order as SQL, with the ID at its end.

        :param text: fields separated by commas
        """
        known = self._orders.get(text)
        if known is None:
            known = self._orders[text] = order_by(sort_keys(ListQuery(), text, self.columns, self.key_name))
        return known

    def equals(self, name: str, value: Any) -> Condition:
        """The condition that a field has a value, or one of several; the value may also be `Rows`."""
        if isinstance(value, Rows):
            return condition_of(value, self.model)
        known = self.columns[f"t.{name.lower()}"]
        column, mark = known.sql, backend().placeholder
        several = isinstance(value, (list, tuple, set, frozenset))
        if isinstance(known.field, ExactField):
            # In the units of its column
            value = [known.field.db_value(each) for each in value] if several else known.field.db_value(value)
        if several:
            return (f"{column} IN ({', '.join([mark] * len(value))})", tuple(value)) if value else NOTHING
        return (f"{column} IS NULL", ()) if value is None else (f"{column} = {mark}", (value,))

    def visible(self, *conditions: Condition) -> Condition:
        """The condition that rows meet some conditions and the current caller may see them."""
        rule = row_rule(self.model)
        every = conditions if rule is None else (*conditions, rule)
        return every[0] if len(every) == 1 else all_of(every)

    def narrow(self, text: str, joins: Collection[str] = ()) -> str:
        """Return the joined tables that conditions and sort orders need, without those that only results need.

        :param text: the SQL of conditions and orders
        :param joins: further ones
        """
        needed = [join for alias, join in self.beside.items() if alias in text]
        return self.table + "".join([*needed, *sorted(joins)])

    def instance(self, row: Sequence[Any]) -> Any:
        """Return a row of the statement `whole` as an instance of the model."""
        model: Callable[..., Any] = self.model
        made = model(__no_default__=1)
        made.__data__ = read_columns(row, self.whole_conversions)
        return made

    def _select(self, names: Iterable[str]) -> str:
        return f"SELECT {', '.join(f't.{quote(self.fields[name].column_name)}' for name in names)} FROM {self.table}"

    @cached_property
    def _some(self) -> dict[tuple[str, ...], tuple[str, Callable[[Sequence[Any]], Any]]]:
        """The statements that read only some fields, by these fields."""
        return {}

    def only(self, names: tuple[str, ...]) -> tuple[str, Callable[[Sequence[Any]], Any]]:
        """Return the statement that reads some fields, and a function that turns a row into an object with them."""
        if names not in self._some:
            conversions = to_python([self.fields[name] for name in names], backend())
            made: Any = namedtuple("Fields", names)  # type: ignore[misc]
            self._some[names] = self._select(names), lambda row: made(**read_columns(row, conversions))
        return self._some[names]

    def record(self, row: Sequence[Any]) -> dict[str, Any]:
        """Return a row as a record."""
        record = self._record_of(row)
        if self.has_extras:
            has_values = self.extras and row[self.width] is not None
            record["array_options"] = self._extras_of(row[self.width + 1 :]) if has_values else self.empty_map()
        return record

    @cached_property
    def partial_plans(self) -> dict[frozenset[str], SelectPlan]:
        """The plans that read only some keys, by these keys."""
        return {}

    @cached_property
    def ranges(self) -> Ranges:
        """The ranges of filters, counted if the table is large."""
        return Ranges(meta_of(self.model), self.table, f"t.{quote(self.key)}", self.open_columns)

    def filter(self, text: str, order: str = "") -> tuple[Condition, tuple[str, ...]]:
        """Return the condition of a filter text, and the joins it needs.

        :param order: the sort order if only a page of the rows is read; empty: all rows are read
        """
        counted = self.ranges.counted_columns(order) if order else None
        key = text if counted is None else f"{text}\0{order}"
        known = self.filters.get(key)
        if known is None:
            probes: list[Any] = []
            sql, params = render(parse(text), counted or self.open_columns, backend(), probes)
            known = (sql, params), tuple(join for alias, join in self.joins.items() if alias in sql)
            # The number of rows that it may find changes
            if len(self.filters) < KEPT_FILTERS and not probes:
                self.filters[key] = known
        return known


def _without_internal(columns: Mapping[str, FilterColumn]) -> dict[str, FilterColumn]:
    """The columns whose fields no `Meta.internal` lists; an extra field belongs to no model."""
    models = {name: getattr(each.field, "model", None) for name, each in columns.items()}
    return {
        name: each
        for name, each in columns.items()
        if models[name] is None or each.field.name not in meta_of(models[name]).internal
    }


def filter_column(sql: str, travels: Codec, field: peewee.Field, *, nullable: bool = True) -> FilterColumn:
    """Make a column of filters and sort orders.

    :param nullable: whether it may be NULL, as all columns of a joined table
    """

    def read(text: str) -> Any:
        try:
            return travels.compare(text)
        except (ArithmeticError, OverflowError):
            raise ValueError("a smaller number") from None
        except ValueError as error:
            raise ValueError(str(error).removeprefix("expected ")) from None

    is_text = isinstance(field, (peewee.CharField, peewee.TextField))
    order: Callable[[str], str] = backend().sort_key if is_text else str
    return FilterColumn(sql, read, travels.text, nullable, order, travels.longest > LOOKED_INTO, field)
