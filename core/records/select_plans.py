"""Plans: how a model is read, worked out once and kept.

A plan holds the statement's fixed text, the conversion of each column that needs one, and the columns that filters and
sort orders may name. Reading a row then costs no look at the model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import peewee

from ..common.settings import settings
from ..storage.database import backend, driver_sql, quote
from ..storage.model import Model, meta_of
from ..storage.model_options import asked_columns
from ..storage.sqlfilters import LOOKED_INTO, FilterColumn, parse, render
from ..storage.values import Codec, codec
from .extra_fields import PREFIX, definitions, values_table
from .key_tables import KeyTable
from .lists import ListQuery, order_by, sort_keys
from .row_rules import Condition
from .search import Search

#: a further table that filters may name: its model, the field that leads to it, and which of its fields. Only those:
#: who may list records need not have the right to read all of what they name
Join = tuple[type[Model], str, Collection[str]]

#: filters whose SQL a plan keeps
KEPT_FILTERS = 256


class SelectPlan:
    """How one model is read in one configuration: statement, names, conversions, columns of filters.

    :param internal: for internal users; for others `Meta.internal` hides fields of the model and of the joined tables
    """

    def __init__(
        self,
        model: type[Model],
        joins: Mapping[str, Join],
        answers: Mapping[str, str],
        subqueries: Mapping[str, str],
        alias: str = "",
        *,
        internal: bool = True,
    ) -> None:
        meta = meta_of(model)
        self._model, self.name, self.key = model, str(meta.table_name), str(meta.primary_key.column_name)
        #: whether the identifiers are whole numbers
        self.is_numbered = isinstance(meta.primary_key, peewee.IntegerField)
        self.fields: dict[str, peewee.Field] = dict(meta.fields)
        self.codecs: dict[str, Codec] = {name: codec(field) for name, field in self.fields.items()}
        self.extras = list(definitions(meta.extrafields).values())
        secret = set(meta.secret)
        shown = [name for name in meta.sorted_field_names if name not in secret]
        pairs = [(name, name) for name in shown] + [(alias, name) for alias, name in meta.aliases.items()]
        self.names = [name for name, _ in pairs]
        self.conversions = [
            (answered, convert) for answered, name in pairs if (convert := self.codecs[name].answer) is not None
        ]
        selected = [f"t.{quote(self.fields[name].column_name)}" for _, name in pairs]
        for answered, path in answers.items():
            table, _, name = path.partition(".")
            field = meta_of(joins[table][0]).fields[name]
            selected.append(f"{table}.{quote(field.column_name)}")
            self.names.append(answered)
            if (convert := codec(field).answer) is not None:
                self.conversions.append((answered, convert))
        selected += [f"({driver_sql(sql)})" for sql in subqueries.values()]
        self.names += subqueries
        self.extra_conversions = [(PREFIX + extra.name, extra.codec().answer) for extra in self.extras]
        self.width, self.has_extras = len(selected), bool(meta.extrafields)
        #: what the profile's records of this model hold besides; None: nothing
        self.key_table: KeyTable | None = settings().profile.key_tables.get(model)
        #: a map without entries, as the profile answers it
        self.empty_map: type = list if settings().profile.text_values else dict
        self.table = f"{quote(meta.table_name)} AS t"
        #: tables that are always read besides: alias → join
        self.beside: dict[str, str] = {}
        if self.extras:
            selected += ["ef.fk_object", *(f"ef.{quote(extra.name)}" for extra in self.extras)]
            self.beside["ef."] = f" LEFT JOIN {quote(values_table(model))} AS ef ON ef.fk_object = t.{quote(self.key)}"
        self.selected, self.head = len(selected), f"SELECT {', '.join(selected)}"
        self.select = f"{self.head} FROM "
        self.search = Search(model)
        self.columns = self._filter_columns(meta, shown)
        if alias:
            self.columns |= {f"{alias}.{name[2:]}": each for name, each in self.columns.items() if name[:2] == "t."}
        #: joins that a statement has only when a filter or a sort order names them
        self.joins: dict[str, str] = {}
        for table, (other, name, named) in joins.items():
            self._join(table, other, self.fields[name], named)
        for table in sorted({path.partition(".")[0] + "." for path in answers.values()}):
            self.beside[table] = self.joins.pop(table)
        self.source = self.table + "".join(self.beside.values())
        #: the keys that the caller does not see, and the empty value of each
        self.hidden = {} if internal else self._hidden(meta, joins, answers)
        #: the columns that a caller's filter, sort order or sum may name; the code's own may name all `columns`
        self.open_columns = self.columns if internal else _without_internal(self.columns)
        #: fields that somebody must name when a row is written
        self.asked = asked_columns(model)
        self.positions = {f"t.{name}": place for place, (name, _) in enumerate(pairs)}
        self.positions |= {f"t.{self.fields[name].column_name.lower()}": place for place, (_, name) in enumerate(pairs)}
        self.positions |= {f"ef.{extra.name}": self.width + 1 + place for place, extra in enumerate(self.extras)}
        #: the statement that reads whole rows, and what makes Python's types of their values
        self.whole = (
            f"SELECT {', '.join(f't.{quote(field.column_name)}' for field in self.fields.values())} "
            f"FROM {quote(meta.table_name)} AS t"
        )
        self.whole_columns = [field.column_name for field in self.fields.values()]
        self._python: list[tuple[str, Callable[[Any], Any]]] = [
            (name, field.python_value) for name, field in self.fields.items()
        ]
        self._orders: dict[str, str] = {}
        self.filters: dict[str, tuple[Condition, tuple[str, ...]]] = {}

    def _hidden(self, meta: Any, joins: Mapping[str, Join], answers: Mapping[str, str]) -> dict[str, Any]:
        """The keys that an external user's records lack, and their empty values where the profile wants every key."""
        names = {*meta.internal, *(alias for alias, name in meta.aliases.items() if name in meta.internal)}
        for answered, path in answers.items():
            table, _, name = path.partition(".")
            if name in meta_of(joins[table][0]).internal:
                names.add(answered)
        return {name: self._empty(meta.aliases.get(name, name), name) for name in sorted(names)}

    def _empty(self, name: str, key: str) -> Any:
        """What stands under a hidden key: what the profile's table says, or the column's default."""
        if self.key_table is not None and key in self.key_table.keys:
            return self.key_table.keys[key].empty
        field: Any = self.fields.get(name)
        if field is None or field.default is None or callable(field.default):
            return None
        value, convert = field.db_value(field.default), self.codecs[name].answer
        return value if convert is None else convert(value)

    def hide(self, records: Iterable[dict[str, Any]]) -> None:
        """Take out of completed records what the caller does not see; the plan of an internal user hides nothing."""
        if not settings().profile.text_values:
            for record in records:
                for name in self.hidden:
                    record.pop(name, None)
            return
        for record in records:
            record |= {name: empty for name, empty in self.hidden.items() if name in record}

    def _filter_columns(self, meta: Any, shown: list[str]) -> dict[str, FilterColumn]:
        columns: dict[str, FilterColumn] = {}
        for name in shown:
            field, travels = self.fields[name], self.codecs[name]
            column = filter_column(f"t.{quote(field.column_name)}", travels, field, nullable=field.null)
            column = replace(column, among=self.search.among(field.column_name))
            columns[f"t.{field.column_name.lower()}"] = columns[f"t.{name.lower()}"] = column
        for alias, name in meta.aliases.items():
            columns[f"t.{alias.lower()}"] = columns[f"t.{name.lower()}"]
        for extra in self.extras:
            column = filter_column(f"ef.{quote(extra.name)}", extra.codec(), extra.field)
            columns[f"ef.{extra.name}"] = columns[f"te.{extra.name}"] = column
        return columns

    def _join(self, alias: str, model: type[Model], through: peewee.Field, named: Collection[str]) -> None:
        meta = meta_of(model)
        key = quote(meta.primary_key.column_name)
        table = f" LEFT JOIN {quote(meta.table_name)} AS {alias} ON {alias}.{key} = t.{quote(through.column_name)}"
        self.joins[f"{alias}."] = table
        for name in named:
            field = meta.fields[name]
            column = filter_column(f"{alias}.{quote(field.column_name)}", codec(field), field)
            self.columns[f"{alias}.{field.column_name.lower()}"] = self.columns[f"{alias}.{name.lower()}"] = column

    def order(self, text: str, last: str) -> str:
        """A sort order that the code names, as SQL.

        :param text: fields separated by commas
        :param last: the identifier
        """
        known = self._orders.get(text)
        if known is None:
            known = self._orders[text] = order_by(sort_keys(ListQuery(), text, self.columns, last))
        return known

    def narrow(self, text: str, joins: Collection[str] = ()) -> str:
        """The tables that conditions and sort orders name, without those that only answers need.

        :param text: the SQL of conditions and orders
        :param joins: further ones
        """
        needed = [join for alias, join in self.beside.items() if alias in text]
        return self.table + "".join([*needed, *sorted(joins)])

    def instance(self, row: tuple[Any, ...]) -> Any:
        """A row of the statement `whole` as an instance of the model."""
        model: Callable[..., Any] = self._model
        made = model(__no_default__=1)
        made.__data__ = {name: read(value) for (name, read), value in zip(self._python, row, strict=True)}
        return made

    def record(self, row: tuple[Any, ...]) -> dict[str, Any]:
        """A row as the record that is answered."""
        record = dict(zip(self.names, row, strict=False))
        for name, convert in self.conversions:
            record[name] = convert(record[name])
        if self.has_extras:
            record["array_options"] = self._extra_values(row) if self.extras else self.empty_map()
        return record

    def _extra_values(self, row: tuple[Any, ...]) -> Any:
        if row[self.width] is None:
            return self.empty_map()
        values = row[self.width + 1 : self.selected]
        return {
            name: value if convert is None else convert(value)
            for (name, convert), value in zip(self.extra_conversions, values, strict=True)
        }

    def filter(self, text: str) -> tuple[Condition, tuple[str, ...]]:
        """The condition of a filter text, and the joins it needs."""
        known = self.filters.get(text)
        if known is None:
            probes: list[Condition | None] = []
            sql, params = render(parse(text), self.open_columns, backend(), probes)
            known = (sql, params), tuple(join for alias, join in self.joins.items() if alias in sql)
            # How many rows come into question is another number each time
            if len(self.filters) < KEPT_FILTERS and not probes:
                self.filters[text] = known
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
    """A column that filters and sort orders may name.

    :param nullable: whether it may be NULL, as whatever stands in a joined table may be
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
