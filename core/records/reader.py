"""Reading records: one, a list, a row to work with. Each costs one statement of fixed text (`select_plans.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from ..access.callers import is_internal
from ..audit.recorder import know_rows
from ..common.errors import BadRequest, Conflict, NotFound, PreconditionFailed, wrong_fields
from ..common.request_state import current_state
from ..common.settings import settings
from ..storage.cache_version import cache_version, remember
from ..storage.database import backend, database, ensure_connected, quote, rows_of, rows_of_each
from ..storage.fields import ExactField
from ..storage.model import Model, meta_of
from ..storage.serializer import etag_of, names_state, to_json
from . import paging
from .lists import ListQuery, Page, SortKey, behind, make_cursor, page_size, sort_keys
from .loaders import Loader
from .row_rules import Condition, Rows, all_of, condition_of, row_rule
from .search import ranked
from .select_plans import Join, SelectPlan

M = TypeVar("M", bound=Model)

#: values of a statement at the most
BOUND = 10_000


class Reader(Generic[M]):
    """A model as the interface reads it; `Records` adds writing.

    :param model: the model
    :param noun: what one record is called in a message
    """

    model: type[M]
    noun = "Record"
    #: the message of an empty list in the profile that answers 404
    empty = ""
    #: fields a list is sorted by when the caller names none
    sort = "t.rowid"
    #: further tables that filters may name: alias → (model, field of this model that leads to it, its fields)
    joins: Mapping[str, Join] = {}
    #: what is answered of those tables: key of the record → alias and field, such as ``"p.label"``
    answers: Mapping[str, str] = {}
    #: one value of each record that the same statement finds: key of the record → a SELECT, in which `t` is the record
    subqueries: Mapping[str, str] = {}
    #: whether other records that name one may show it (`expand`) to those who may list and read these: not where a
    #: method of the API class leaves something out that `complete` gives
    expandable = True
    #: a second name of the records' own table in filters, beside ``t``
    second_alias = ""

    def __init__(self, model: type[M] | None = None, *, noun: str = "") -> None:
        self.model = model or self.model
        self.noun = noun or self.noun
        self.key: str = meta_of(self.model).primary_key.column_name
        if self.sort == "t.rowid":
            self.sort = f"t.{self.key.lower()}"
        self._plans: dict[tuple[int, str, int], SelectPlan] = {}
        #: plans for those who are no internal users
        self._outer_plans: dict[tuple[int, str, int], SelectPlan] = {}
        #: whether a field of the model or of a joined table is internal
        read = [self.model, *(each for each, *_ in self.joins.values())]
        self._has_internal = any(meta_of(each).internal for each in read)

    def loaders(self, *, alone: bool) -> Sequence[Loader]:
        """What finds the parts of records that are no columns, each by one statement for all of them.

        :param alone: a record is read by itself, and not in a list
        """
        return ()

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add what is computed to records that are about to be answered, all at once; loaders have run before."""

    def complete_one(self, record: dict[str, Any]) -> None:
        """Add to a record that is read by itself what lists leave out, and what `complete` adds."""
        self.complete([record])

    def select_plan(self) -> SelectPlan:
        """How the model is read in the configuration in force, by the current caller."""
        internal = not self._has_internal or is_internal()
        extrafields = meta_of(self.model).extrafields
        key = id(database.obj), settings().profile.name, cache_version() if extrafields else 0

        def make() -> SelectPlan:
            joined = self.joins, self.answers, self.subqueries
            return SelectPlan(self.model, *joined, self.second_alias, internal=internal)

        return remember(self._plans if internal else self._outer_plans, key, make)

    def read(self, value: Any, by: str = "") -> dict[str, Any]:
        """Read one record the caller may see.

        :param value: what to look for
        :param by: the field that holds it; the identifier when empty
        :raises BadRequest: the identifier is empty
        :raises NotFound: there is no such record, or the caller may not see it
        :raises Conflict: the caller may see several records with this value
        """
        if value in (0, "", None):
            raise BadRequest(f"{self.noun} {by or 'ID'} is mandatory")
        record = self.find(value, by)
        if record is None:
            raise self._missing(value, by)
        state = current_state()
        if state is not None:
            state.read = record, partial(self.read, value, by)
        return record

    def find(self, value: Any, by: str = "") -> dict[str, Any] | None:
        """Read one record the caller may see; None if it does not exist.

        :raises Conflict: the caller may see several records with this value
        """
        ensure_connected()
        plan = self.select_plan()
        column = plan.columns[f"t.{(by or self.key).lower()}"]
        where, params = self._visible((f"{column.sql} = {backend().placeholder}", (value,)))
        if not by or column.field.unique:
            return self._first(plan, where, params, None if by else value)
        return self._first(plan, where, params, by=by)

    def _first(
        self, plan: SelectPlan, where: str, params: tuple[Any, ...], identifier: Any = None, by: str = ""
    ) -> dict[str, Any] | None:
        """The first record that meets a condition, whoever calls.

        :param identifier: its ID, if that is known
        :param by: the field that only one record may meet the condition with; empty: any number of records may
        :raises Conflict: several records meet the condition
        """
        most = 2 if by else 1
        sql = f"{plan.select}{plan.source} WHERE {where} ORDER BY t.{quote(self.key)} LIMIT {most}"
        loaders, statements = self.loaders(alone=True), [(sql, params)]
        # All of it in one round trip
        is_joined = isinstance(identifier, int) and database.obj.pipelines
        if is_joined:
            statements += [each.statement([identifier]) for each in loaders]
        rows, *found = rows_of_each(statements)
        if not rows:
            return None
        if len(rows) > 1:
            number, _ = paging.count(plan, (where, params), set(), exactly=True)
            raise self._several(by, max(number, len(rows)))
        record = plan.record(rows[0])
        self._load([record], loaders, found if is_joined else None)
        self.complete_one(record)
        if plan.key_table is not None:
            plan.key_table.fill([record])
        if plan.hidden:
            plan.hide([record])
        return record

    def _missing(self, value: Any, by: str) -> NotFound:
        """The error of a look-up that finds nothing."""
        named = f"with {by} " if by else ""
        return NotFound(f"{self.noun} {named}{value!s:.80} not found", dolibarr=f"{self.noun} not found")

    def _several(self, by: str, number: int) -> Conflict:
        """The error of a look-up by a value that several records have."""
        reason = f"expected one {self.noun.lower()} with this value, got {number}; use the ID instead"
        return Conflict(f"`{by}`: {reason}", errors=[(by, reason)])

    def _load(
        self, records: list[dict[str, Any]], loaders: Sequence[Loader], found: Sequence[Any] | None = None
    ) -> None:
        """Run loaders.

        :param found: the rows of each, if they have been read
        """
        if loaders and found is None:
            ids = [int(record["id"]) for record in records]
            found = rows_of_each([each.statement(ids) for each in loaders])
        for loader, rows in zip(loaders, found or (), strict=True):
            loader.apply(rows, records)

    def _complete(self, plan: SelectPlan, records: list[dict[str, Any]]) -> None:
        """Complete the records of a list, which may be empty."""
        if records:
            self._load(records, self.loaders(alone=False))
            self.complete(records)
            if plan.key_table is not None:
                plan.key_table.fill(records)
            if plan.hidden:
                plan.hide(records)

    def page(self, query: ListQuery | None = None, where: Mapping[str, Any] | None = None, **parameters: Any) -> Page:
        """List the records the caller may see.

        :param query: what the caller asks for; or name its parameters one by one
        :param where: field → value, or several values, that the records must have besides; under a name of yours
            `Rows`, a condition
        :raises BadRequest: a filter, field or number that cannot be used
        """
        query = query or ListQuery(**parameters)
        ensure_connected()
        plan = self.select_plan()
        conditions: list[Condition] = [self._equals(plan, name, value) for name, value in (where or {}).items()]
        joins: set[str] = set()
        if query.sqlfilters.strip():
            condition, needed = plan.filter(query.sqlfilters)
            conditions.append(condition)
            joins.update(needed)
        words, others = plan.search.words(query.q) if query.q.strip() else None, list(conditions)
        is_ranked = words is not None and not query.sortfield.strip()
        if words is not None and (not is_ranked or query.count or query.pagination_data):
            conditions.append(plan.search.condition(words))
        keys = sort_keys(query, self._usual_order(plan), plan.open_columns, f"t.{self.key.lower()}")
        joins.update(join for alias, join in plan.joins.items() if any(key.name.startswith(alias) for key in keys))
        found = self._visible(*conditions)
        page = Page()
        page.query = query
        page.empty = self.empty
        wanted, shown = self._properties(plan, query.properties)
        if words is not None and is_ranked:
            page.extend(self._best(plan, joins, others, words, query))
        else:
            page.extend(self._rows(plan, joins, found, keys, page))
        if query.count or query.pagination_data:
            exactly = query.exact or query.pagination_data
            page.total, page.estimated = paging.count(plan, found, joins, exactly=exactly)
        self._complete(plan, page)
        if wanted:
            page[:] = [{name: record[name] for name in wanted if name in record} for record in page]
            missing = sorted({*wanted} - shown - set().union(*page)) if page else []
            if missing:
                raise wrong_fields([("properties", f"unknown field {missing[0]!r:.80}")])
        return page

    def _usual_order(self, plan: SelectPlan) -> str:
        """The order of a list; by a hidden field it is by the identifier: a cursor holds what it is sorted by."""
        names = [name.strip().lower() for name in self.sort.split(",")] if plan.hidden else []
        hides = any((name if "." in name else f"t.{name}") not in plan.open_columns for name in names)
        return f"t.{self.key.lower()}" if hides else self.sort

    def every(
        self, where: Mapping[str, Any], sort: str = "", sqlfilters: str = "", *, most: int = 0
    ) -> list[dict[str, Any]]:
        """All records the caller may see that have some values, however many: the parts of a record, say.

        :param where: field → value, or several values
        :param sort: fields to sort by, separated by commas; the usual order when empty
        :param sqlfilters: further conditions, as in a list
        :param most: records at the most; 0: all there are
        :raises BadRequest: there are more
        """
        ensure_connected()
        return self.records_of(rows_of(*self.select(where, sort, sqlfilters, most=most)), most=most)

    def records_of(self, rows: Sequence[tuple[Any, ...]], *, most: int = 0) -> list[dict[str, Any]]:
        """The records of the rows that the statement of `select` has found.

        :raises BadRequest: there are more than `most`
        """
        if most and len(rows) > most:
            reason = f"together, these records have more than {most} {self.noun.lower()}s; request fewer records"
            raise wrong_fields([("limit", reason)])
        plan = self.select_plan()
        records = [plan.record(row) for row in rows]
        self._complete(plan, records)
        return records

    def select(
        self, where: Mapping[str, Any], sort: str = "", sqlfilters: str = "", *, most: int = 0
    ) -> tuple[str, tuple[Any, ...]]:
        """The statement that `every` runs, and its values."""
        plan = self.select_plan()
        conditions = [self._equals(plan, name, value) for name, value in where.items()]
        source = plan.source
        if sqlfilters.strip():
            condition, joins = plan.filter(sqlfilters)
            conditions.append(condition)
            source += "".join(sorted(joins))
        found, params = self._visible(*conditions)
        order = plan.order(sort or self.sort, f"t.{self.key.lower()}")
        return f"{plan.select}{source} WHERE {found} ORDER BY {order}" + (f" LIMIT {most + 1}" if most else ""), params

    def extra_names(self) -> list[str]:
        """The names of the extra fields that are defined for the records."""
        return [extra.name for extra in self.select_plan().extras]

    def _properties(self, plan: SelectPlan, text: str) -> tuple[list[str], set[str]]:
        wanted = dict.fromkeys(name.strip() for name in text.split(",") if name.strip())
        return list(wanted), {*plan.names, "array_options"} - plan.hidden.keys()

    def _rows(
        self, plan: SelectPlan, joins: set[str], found: Condition, keys: list[SortKey], page: Page
    ) -> list[dict[str, Any]]:
        size, offset = page_size(page.query.limit), paging.offset_of(page.query)
        if paging.is_behind_all(plan, offset):
            return []
        # One row more tells whether there is a next page
        limit = None if size is None else size + 1
        rows: list[tuple[Any, ...]] = []
        for part in behind(keys, page.query.after) if page.query.after else [None]:
            condition = found if part is None else all_of([found, part])
            left = None if limit is None else limit - len(rows)
            rows += rows_of(*paging.statement(plan, joins, condition, keys, left, offset))
            if limit is not None and len(rows) == limit:
                break
        if size is not None and len(rows) > size:
            rows = rows[:size]
            further = [key.name for key in keys if key.name not in plan.positions]
            page.cursor = make_cursor(keys, [self._raw(plan, key, further, rows[-1]) for key in keys])
        return [plan.record(row) for row in rows]

    def _best(
        self, plan: SelectPlan, joins: set[str], conditions: list[Condition], words: list[str], query: ListQuery
    ) -> list[dict[str, Any]]:
        """The records of a page of what a search has found, the best first.

        :param conditions: those besides the words
        """
        source = plan.source + "".join(sorted(joins))
        best = ranked(plan.search, words, source, partial(self._visible, *conditions), query)
        if not best:
            return []
        place = plan.positions[f"t.{self.key.lower()}"]
        by_key: dict[Any, dict[str, Any]] = {}
        for begin in range(0, len(best), BOUND):
            some = best[begin : begin + BOUND]
            marks = ", ".join([backend().placeholder] * len(some))
            rows = rows_of(f"{plan.select}{plan.source} WHERE t.{quote(self.key)} IN ({marks})", some)
            by_key |= {row[place]: plan.record(row) for row in rows}
        return [by_key[key] for key in best if key in by_key]

    def _raw(self, plan: SelectPlan, key: SortKey, further: list[str], row: tuple[Any, ...]) -> Any:
        """What a row is sorted by, as a cursor holds it."""
        place = plan.positions[key.name] if key.name in plan.positions else plan.selected + further.index(key.name)
        field = key.column.field
        return field.python_value(row[place]) if isinstance(field, ExactField) else row[place]

    def _equals(self, plan: SelectPlan, name: str, value: Any) -> Condition:
        if isinstance(value, Rows):
            return condition_of(value, self.model)
        known = plan.columns[f"t.{name.lower()}"]
        column, mark = known.sql, backend().placeholder
        if isinstance(known.field, ExactField):
            # In the units of its column
            several = isinstance(value, (list, tuple, set, frozenset))
            value = [known.field.db_value(each) for each in value] if several else known.field.db_value(value)
        if isinstance(value, (list, tuple, set, frozenset)):
            if not value:
                return "1 = 0", ()
            return f"{column} IN ({', '.join([mark] * len(value))})", tuple(value)
        return (f"{column} IS NULL", ()) if value is None else (f"{column} = {mark}", (value,))

    def _visible(self, *conditions: Condition) -> Condition:
        rule = row_rule(self.model)
        every = conditions if rule is None else (*conditions, rule)
        return every[0] if len(every) == 1 else all_of(every)

    def load(self, value: Any, by: str = "", *, lock: bool = False, if_match: bool = False) -> M:
        """The row of a record the caller may see, as an instance of the model.

        :param by: the field that holds the value; the identifier when empty
        :param lock: keep others from changing it until the transaction ends
        :param if_match: compare the request's `If-Match` with the record; set it for the record that a request changes
        :raises BadRequest: the identifier is empty
        :raises NotFound: there is no such record, or the caller may not see it
        :raises Conflict: the caller may see several records with this value
        :raises PreconditionFailed: somebody has changed the record since the caller read it
        """
        if value in (0, "", None):
            raise BadRequest(f"{self.noun} {by or 'ID'} is mandatory")
        found = self.rows({by or meta_of(self.model).primary_key.name: value}, lock=lock)
        if not found:
            raise self._missing(value, by)
        if len(found) > 1:
            raise self._several(by, len(found))
        state = current_state() if if_match else None
        if state is not None and state.if_match:
            if not names_state(state.if_match, etag_of(to_json(self.read(value, by)))):
                raise PreconditionFailed(f"{self.noun} {value} has changed since you read it; read it again")
            # The request's own first change makes another state of it
            state.if_match = ""
        return found[0]

    def rows(self, where: Mapping[str, Any], sort: str = "", *, lock: bool = False) -> list[M]:
        """The rows the caller may see that have some values, as instances of the model.

        :param where: field → value, or several values
        :param sort: fields to sort by, separated by commas; the identifier when empty
        :param lock: keep others from changing them until the transaction ends
        """
        ensure_connected()
        plan = self.select_plan()
        found, params = self._visible(*(self._equals(plan, name, value) for name, value in where.items()))
        order = plan.order(sort or f"t.{self.key.lower()}", f"t.{self.key.lower()}")
        sql = f"{plan.whole} WHERE {found} ORDER BY {order}"
        found_rows = rows_of(backend().lock_rows(sql) if lock else sql, params)
        if lock:
            know_rows(database.obj, meta_of(self.model).table_name, self.key, plan.whole_columns, found_rows)
        return [plan.instance(row) for row in found_rows]
