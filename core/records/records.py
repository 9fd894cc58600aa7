"""Records: a model as the API shows it, in the order of a request: read, list, create, change, delete."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from decimal import localcontext
from functools import cached_property, partial, reduce
from inspect import isfunction
from operator import or_
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from ..access.callers import is_internal, unhidden
from ..audit.recorder import know_rows
from ..common.authors_code import DEFAULT_CONTEXT
from ..common.csv_rows import FIRST_LINE, CsvRow, CsvRows
from ..common.errors import ApiError, BadRequest, PreconditionFailed, joined, shown
from ..common.plain_functions import why_not_like
from ..common.request_state import NotifiedRecord, current_state
from ..common.settings import settings
from ..storage.cache_version import remember
from ..storage.database import backend, database, ensure_connected, quote, rows_of, transaction
from ..storage.model import Model, meta_of
from ..storage.serializer import etag_of, names_state, to_json
from ..storage.statements import differing, insert_row, insert_rows, update_row
from . import paging
from .aggregates import Measure, aggregate_groups, aggregate_statement
from .deletion import Deletion
from .events import SENT_BY_RECORDS, awaited, changed_names, check_event, event_names, note_sent, send, undeclared
from .extra_fields import definitions_key, delete_values_of, store_values
from .lists import ListQuery, Page
from .loaders import Loader, run_loaders
from .problems import STATUSES, Problems, RowCheck, not_found, several, translate_integrity_errors
from .row_rules import seen_rows
from .select_plans import Join, Kind, SelectPlan
from .sums import Amount, SumQuery, summed_page
from .validation import BodyReader, InvalidBody, Values, body_fields, set_own_thirdparty

M = TypeVar("M", bound=Model)

#: accepted values of a row, and those of extra fields
Row = tuple[Values, dict[str, Any] | None]

#: the place of a body in messages: the first body has `rows[0].qty`, the first row of a CSV file `line 2.qty`
PLACE = "rows[{}]"

#: plans for `properties` that are kept
KEPT_PARTIAL_PLANS = 16

_NONE: Mapping[str, Any] = MappingProxyType({})


class Records(Generic[M]):
    """A model as the API shows it.

    Use it as it is, or derive from it and override `prepare`, `stored`, `complete` and `removing`.

    :param model: the model
    :param service: the service of the events (``created`` …); empty: that of the API class with these records
    :param noun: the name of one record in messages; empty: that of the model
    """

    model: type[M]
    service = ""
    #: the events that they send, in addition to those of the base class: names, or a mapping of names and `Event`s. All
    #: send `created`, `changed` and `deleted`
    events: Any = ()
    noun = ""
    #: the message of an empty list in the profile that responds with 404
    empty = ""
    #: the usual order of lists
    sort = "t.rowid"
    #: further tables for filters: alias → (model, field of this model that leads to it, its fields)
    joins: Mapping[str, Join] = {}
    #: keys of a record that are read from those tables: key → alias and field, such as ``"p.label"``
    answers: Mapping[str, str] = {}
    #: keys of a record that are read with the same statement: key → a SELECT of one value, in which `t` is the record,
    #: or a function that returns it
    subqueries: Mapping[str, str | Callable[[], str]] = {}
    #: computed amounts that clients can sum, beside the exact decimals of the model: key → the rows of another table
    #: that refer to the record, as (model, field with the record's ID, amount), and optionally a condition in SQL in
    #: which `other` is that table; or a formula of amounts, such as ``"total_ttc - totalpaid"``
    amounts: Mapping[str, Amount] = {}
    #: whether `expand` may include these records in others, for callers who may list and read them: False if a method
    #: of the API class leaves out something that `complete` adds
    expandable = True
    #: another name of ``t`` in filters
    second_alias = ""
    #: field → function that returns the text to store for a text of a body (None: nothing); it may raise ValueError
    cleaners: Mapping[str, Callable[[str], str | None]] = {}
    #: fields that only the server writes, in addition to those of the model's Meta and of the base class
    managed: Collection[str] = ()
    #: keys of a body that aren't fields of the model: `accept` or `stored` reads them
    extra_keys: Collection[str] = ()
    #: the fields that `complete` and the loaders read; a list with `properties` reads these and the requested ones. A
    #: class that overrides one of the two, and not this, reads all
    completed_from: Collection[str] | None = ()
    #: rows that are deleted with a record, as (model, field): they don't prevent the deletion
    owned: Collection[tuple[type[Model], str]] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        """Derive a class; its `managed` fields are added to those of its bases."""
        super().__init_subclass__(**more)
        for name, method in vars(cls).items():
            base = None if name.startswith("_") else getattr(Records, name, None)
            if isfunction(base) and isfunction(method) and (wrong := why_not_like(method, base)):
                raise TypeError(f"{cls.__name__}.{name} {wrong}")
        deciding = next(each for each in cls.__mro__ if vars(each).keys() & {"complete", "loaders", "completed_from"})
        if "completed_from" not in vars(deciding):
            cls.completed_from = None
        if "managed" in cls.__dict__:
            inherited = [name for base in cls.__bases__ for name in getattr(base, "managed", ())]
            cls.managed = tuple(dict.fromkeys([*inherited, *cls.managed]))

    def __init__(self, model: type[M] | None = None, *, service: str = "", noun: str = "") -> None:
        if not hasattr(self, "model") and model is None:
            raise TypeError(f"{type(self).__name__}: set `model`")
        self.model = model or self.model
        self.service, self.noun = service or self.service, noun or self.noun or _noun_of(self.model)
        #: False if the API class that serves them gives them the name of its service
        self.has_service = bool(self.service)
        declared = (event_names(vars(base).get("events", ())) for base in reversed(type(self).__mro__))
        self.events = reduce(or_, declared, SENT_BY_RECORDS)
        self.key: str = meta_of(self.model).primary_key.column_name
        if self.sort == "t.rowid":
            self.sort = f"t.{self.key.lower()}"
        #: plans for internal users, and those for others
        self._plans: dict[tuple[str, Any], SelectPlan] = {}
        self._outer_plans: dict[tuple[str, Any], SelectPlan] = {}
        read = [self.model, *(each for each, *_ in self.joins.values())]
        self._has_internal = any(meta_of(each).internal for each in read)

    @cached_property
    def _kind(self) -> Kind:
        """The facts that reading and checking the records need."""
        parts = [each.key for each in self.loaders(alone=True) if isinstance(each, Children)]
        named = {each.name: getattr(self, each.name) for each in fields(Kind) if each.name != "parts"}
        return Kind(**named, parts=parts)

    def select_plan(self, only: frozenset[str] | None = None) -> SelectPlan:
        """Return how the model is read with the present configuration, by the current caller.

        :param only: the keys to read, the ID among them; None: all
        """
        internal = not self._has_internal or is_internal()
        extrafields = meta_of(self.model).extrafields
        key = settings().profile_name, definitions_key() if extrafields else id(database.obj)

        def make(only: frozenset[str] | None = None) -> SelectPlan:
            return SelectPlan(self._kind, internal=internal, only=only)

        plans = self._plans if internal else self._outer_plans
        whole = plans.get(key) or remember(plans, key, make)
        if only is None:
            return whole
        if only not in whole.partial_plans and len(whole.partial_plans) < KEPT_PARTIAL_PLANS:
            whole.partial_plans[only] = make(only)
        return whole.partial_plans.get(only, whole)

    def extra_names(self) -> list[str]:
        """Return the names of the extra fields of the records."""
        return [*self.select_plan().extras]

    # Read -------------------------------------------------------------------------------------------------------------

    @property
    def filled(self) -> Collection[str]:
        """The required fields that the server sets if the body of a creation lacks them."""
        return ()

    def loaders(self, *, alone: bool) -> Sequence[Loader]:
        """Return the loaders of the parts of records that aren't columns.

        :param alone: True for a record that is read by itself, False for a list
        """
        return ()

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add computed values to the records of a response, after the loaders."""

    def complete_one(self, record: dict[str, Any]) -> None:
        """Add to a record that is read by itself what lists leave out, and what `complete` adds."""
        self.complete([record])

    def read(self, value: Any, by: str = "") -> dict[str, Any]:
        """Return a record that the caller may see.

        :param by: the field with the value; empty: the ID
        :raises BadRequest: the value is empty
        :raises NotFound: there is no such record, or the caller may not see it
        :raises Conflict: the caller may see several records with this value
        """
        if value in (0, "", None):
            raise BadRequest(f"{self.noun} {by or 'ID'} is mandatory")
        record = self.find(value, by)
        if record is None:
            raise not_found(self.noun, value, by)
        state = current_state()
        if state is not None:
            state.read = record, partial(self.read, value, by)
        return record

    def find(self, value: Any, by: str = "") -> dict[str, Any] | None:
        """Return a record that the caller may see, as `read` does; None if it doesn't exist.

        :raises Conflict: the caller may see several records with this value
        """
        ensure_connected()
        plan = self.select_plan()
        column = plan.columns[f"t.{(by or self.key).lower()}"]
        where, params = plan.visible((f"{column.sql} = {backend().placeholder}", (value,)))
        if not by or column.field.unique:
            return self._first(plan, where, params, None if by else value)
        return self._first(plan, where, params, by=by)

    def _first(
        self, plan: SelectPlan, where: str, params: tuple[Any, ...], identifier: Any = None, by: str = ""
    ) -> dict[str, Any] | None:
        """Return the first record that meets a condition; row rules don't apply.

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
        rows, *found = backend().read_together(statements)
        if not rows:
            return None
        if len(rows) > 1:
            number = paging.count(plan, (where, params))
            raise several(self.noun, by, max(number, len(rows)))
        record = plan.record(rows[0])
        with localcontext(DEFAULT_CONTEXT):
            run_loaders(loaders, [record], found if is_joined else None)
            self.complete_one(record)
        plan.finish([record])
        return record

    def load(self, value: Any, by: str = "", *, lock: bool = False, if_match: bool = False) -> M:
        """Return the row of a record that the caller may see, as an instance of the model.

        :param by: the field with the value; empty: the ID
        :param lock: prevent others from changing it until the transaction ends
        :param if_match: compare the request's `If-Match` with the record; set it for the record that a request changes
        :raises BadRequest: the value or `If-Match` is empty
        :raises NotFound: there is no such record, or the caller may not see it
        :raises Conflict: the caller may see several records with this value
        :raises PreconditionFailed: the record has changed since the caller read it
        """
        if value in (0, "", None):
            raise BadRequest(f"{self.noun} {by or 'ID'} is mandatory")
        found = self.rows({by or meta_of(self.model).primary_key.name: value}, lock=lock)
        if not found:
            raise not_found(self.noun, value, by)
        if len(found) > 1:
            raise several(self.noun, by, len(found))
        state = current_state() if if_match else None
        if state is not None and state.if_match is not None and not state.is_compared:
            if not state.if_match.strip():
                raise BadRequest(errors=[("If-Match", "expected the `ETag` of the record, got an empty text")])
            if not names_state(state.if_match, etag_of(to_json(self.read(value, by)))):
                raise PreconditionFailed(f"{self.noun} {value} has changed since you read it; read it again")
            # The request's own first change gives the record another state
            state.is_compared = True
        return found[0]

    def rows(self, where: Mapping[str, Any], sort: str = "", *, lock: bool = False) -> list[M]:
        """Return the rows with some values that the caller may see, as instances of the model.

        :param where: field → value, or several values
        :param sort: fields to sort by, separated by commas; empty: the ID
        :param lock: prevent others from changing them until the transaction ends
        """
        ensure_connected()
        plan = self.select_plan()
        found, params = plan.visible(*(plan.equals(name, value) for name, value in where.items()))
        sql = f"{plan.whole} WHERE {found} ORDER BY {plan.order(sort or plan.key_name)}"
        found_rows = rows_of(backend().lock_rows(sql) if lock else sql, params)
        if lock:
            know_rows(database.obj, meta_of(self.model).table_name, self.key, plan.whole_columns, found_rows)
        return [plan.instance(row) for row in found_rows]

    def fields_of(self, names: Sequence[str], where: Mapping[str, Any]) -> list[Any]:
        """Return some fields of the rows with some values that the caller may see, as attributes; others aren't read.

        :param where: field → value, or several values
        """
        ensure_connected()
        plan = self.select_plan()
        select, read = plan.only(tuple(names))
        found, params = plan.visible(*(plan.equals(name, value) for name, value in where.items()))
        return [read(row) for row in rows_of(f"{select} WHERE {found} ORDER BY {plan.order(plan.key_name)}", params)]

    # List -------------------------------------------------------------------------------------------------------------

    def page(self, query: ListQuery | None = None, where: Mapping[str, Any] | None = None, **parameters: Any) -> Page:
        """List the records that the caller may see.

        :param query: the caller's query, or pass its parameters one by one
        :param where: field → value, or several values, that the records must have; under any key `Rows`, a condition
        :raises BadRequest: a filter, field or number that can't be used
        """
        query = query or ListQuery(**parameters)
        ensure_connected()
        plan = whole = self.select_plan()
        if isinstance(query, SumQuery):
            return summed_page(plan, self.amounts, query, where or _NONE)
        wanted = paging.properties_of(query)
        if wanted and self.completed_from is not None:
            needed = *wanted, *self.completed_from, meta_of(self.model).primary_key.name
            plan = self.select_plan(frozenset(whole.names).intersection(needed))
        page = paging.read_page(plan, query, where or _NONE, self.sort)
        page.empty, page.seen = self.empty, seen_rows(self.model)
        self._complete(plan, page)
        if wanted:
            paging.select_properties(whole, page, wanted)
        return page

    def every(
        self, where: Mapping[str, Any], sort: str = "", sqlfilters: str = "", *, most: int = 0
    ) -> list[dict[str, Any]]:
        """Return all records with some values that the caller may see, without pages.

        :param where: field → value, or several values
        :param sort: fields to sort by, separated by commas; empty: the usual order
        :param sqlfilters: further conditions, as in a list
        :param most: maximum number of records; 0: unlimited
        :raises BadRequest: there are more
        """
        ensure_connected()
        return self.records_of(rows_of(*self.select(where, sort, sqlfilters, most=most)), most=most)

    def select(
        self, where: Mapping[str, Any], sort: str = "", sqlfilters: str = "", *, most: int = 0
    ) -> tuple[str, tuple[Any, ...]]:
        """Return the statement of `every`, and its values."""
        plan = self.select_plan()
        conditions, joins = paging.filter_conditions(plan, where, sqlfilters)
        found, params = plan.visible(*conditions)
        order = plan.order(sort or self.sort) + (f" LIMIT {most + 1}" if most else "")
        return f"{plan.select}{plan.source}{''.join(sorted(joins))} WHERE {found} ORDER BY {order}", params

    def records_of(self, rows: Sequence[tuple[Any, ...]], *, most: int = 0) -> list[dict[str, Any]]:
        """Return the records of the rows that the statement of `select` has found.

        :raises BadRequest: there are more than `most`
        """
        if most and len(rows) > most:
            reason = f"together, these records have more than {most} {self.noun.lower()}s; request fewer records"
            raise BadRequest(errors=[("limit", reason)])
        plan = self.select_plan()
        records = [plan.record(row) for row in rows]
        self._complete(plan, records)
        return records

    def _complete(self, plan: SelectPlan, records: list[dict[str, Any]]) -> None:
        """Complete the records of a list, which may be empty."""
        if records:
            with localcontext(DEFAULT_CONTEXT):
                run_loaders(self.loaders(alone=False), records)
                self.complete(records)
            plan.finish(records)

    def count(self, where: Mapping[str, Any] = _NONE, sqlfilters: str = "") -> int:
        """Return the number of records that the caller may see.

        :param where: field → value, or several values, that they must have
        :param sqlfilters: further conditions, as in a list
        :raises BadRequest: a filter that can't be used
        """
        ensure_connected()
        ((number,),) = rows_of(*aggregate_statement(self.select_plan(), ["COUNT(*)"], where, sqlfilters))
        return int(number)

    def sum(self, field: str, where: Mapping[str, Any] = _NONE, sqlfilters: str = "") -> Any:
        """Return the exact sum of a field: a `Decimal` for an `ExactField`, an int for whole numbers.

        Without records or values it is 0. It may be larger than the column's maximum.

        :param field: a field that the caller may see, or one of `joins`, such as ``"b.km"``
        :param where: field → value, or several values, that the records must have
        :param sqlfilters: further conditions, as in a list
        :raises BadRequest: a field or a filter that can't be used
        """
        return self.group((), where, sqlfilters, total=("sum", field))[0]["total"]

    def group(
        self,
        by: str | Collection[str],
        where: Mapping[str, Any] = _NONE,
        sqlfilters: str = "",
        **measures: Measure,
    ) -> list[dict[str, Any]]:
        """Return groups of records by the values of fields: ``group("user", total=("sum", "hours"), number="count")``.

        :param by: a field that the caller may see, several of them, or none: all records are one group then. It may be
            one of `joins`, such as ``"b.name"``, or an extra field, such as ``"ef.colour"``
        :param where: field → value, or several values, that the records must have
        :param sqlfilters: further conditions, as in a list
        :param measures: the values of each group, by any key: ``"count"``, ``("sum", field)``, ``("min", field)``,
            ``("max", field)``
        :returns: a dict for each group with its fields and measures in Python's types, in the order of the fields (None
            first). Texts differ by case. Without records there are no groups; without fields there is one, with 0 in
            its counts and sums and None in the others
        :raises BadRequest: a field, a measure or a filter that can't be used
        """
        ensure_connected()
        return aggregate_groups(self.select_plan(), [by] if isinstance(by, str) else [*by], where, sqlfilters, measures)

    # Check ------------------------------------------------------------------------------------------------------------

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body against the model without writing anything.

        :param creating: fields that the model requires must be in the body
        :param replace: fields that the body lacks get their default
        :returns: the values by field name in Python's types, and those of the extra fields (None: the body has none)
        :raises BadRequest: fields that `Meta.required` lists are missing, or fields don't fit; it lists all of them.
            Other columns that need a value are checked when the row is written, because a module may set them
        """
        return BodyReader(self.select_plan(), creating=creating, replace=replace, unfit=self.unfit).read(body)

    def accept_new(
        self, body: Mapping[str, Any], managed: Mapping[str, Any] = _NONE
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a new record as `accept` does; an error lists everything else that is wrong, too."""
        try:
            values, extras = self.accept(body)
        except InvalidBody as error:
            ensure_connected()
            values = Values({**error.values, **managed})
            raise RowCheck(self.select_plan(), values, extras=error.extras).added_to(error) from None
        values.update(managed)
        return values, extras

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return what is wrong with a body beyond types, choices and required fields: field and reason of each.

        :param values: those that fit; further ones may be noted in their `context`
        """
        return []

    def prepare(self, values: Values, before: M | None) -> None:
        """Check and complete the values that are about to be written; write nothing.

        A new row is prepared before the transaction, so that others can write meanwhile; see `inserting`.

        :param values: by field name, in Python's types; change it in place. Its `context` has what `accept` put there
        :param before: the row as it is; None: a new one
        """

    def check(
        self, values: Values, before: M | None, extras: Mapping[str, Any] | None, known: Collection[str] = ()
    ) -> dict[str, Any]:
        """Complete accepted values with `prepare`; return those to be written: of a change only what differs.

        :param known: fields whose records are known to exist and to be visible to the caller
        :raises BadRequest: something is wrong with them; the error lists everything that is wrong
        :raises NotFound: the same, if only referenced records don't exist or are invisible to the caller
        :raises Refused: the same, if only values are already used
        """
        ensure_connected()
        set_own_thirdparty(self.model, self.noun, values, creating=before is None)
        rejected: ApiError | None = None
        plan = self.select_plan()
        if extras and (emptied := RowCheck(plan, values, before, extras).emptied()):
            rejected = BadRequest(errors=[BadRequest.missing(name) for name in emptied])
        else:
            try:
                with localcontext(DEFAULT_CONTEXT):
                    self.prepare(values, before)
            except STATUSES as error:
                if not error.errors:
                    raise
                rejected = error
        changed = values if before is None else differing(self.model, values, before)
        RowCheck(plan, changed, before, extras, known).check(rejected)
        return changed

    # Create -----------------------------------------------------------------------------------------------------------

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a record from a body; return its ID.

        :param body: fields by their names in the API; unknown and server-managed ones are ignored with a warning
        :param managed: further fields, which the module itself sets, in Python's types
        :raises BadRequest: a field is missing or doesn't fit; the error lists everything that is wrong
        :raises NotFound: a referenced record doesn't exist or is invisible to the caller
        :raises Refused: a value is already used
        """
        body = self.check_body("created", None, body, **managed)
        values, extras = self.accept_new(body, managed)
        with translate_integrity_errors(self.model, self.noun, values):
            self.check(values, None, extras)
        with transaction():
            identifier = self.insert(values, extras, body, checked=True)
            self.notify("created", identifier, checked=True)
        return identifier

    def create_many(
        self, bodies: Iterable[Mapping[str, Any]], *, place: str = PLACE, first: int = 0, **managed: Any
    ) -> list[int]:
        """Create a record of each body, or none; return their IDs.

        :param place: the place of a body in messages, with ``{}`` for its number: ``rows[0].qty``
        :param first: the number of the first one
        :param managed: further fields of each, which the module itself sets, in Python's types
        :raises BadRequest: at least one is wrong; it lists everything that is wrong with all of them
        """
        bodies, created = self._listed(bodies), list[int]()
        problems = Problems()
        with transaction():
            for number, body in enumerate(bodies):
                # All are tried, to find everything that is wrong
                with problems.at(_place_of(place, number, first, body)), transaction():
                    if not isinstance(body, dict):
                        raise BadRequest(f"expected an object, got {shown(body)}")
                    created.append(self.create(body.as_body() if isinstance(body, CsvRow) else body, **managed))
            problems.check(of=len(bodies))
        return created

    def _listed(self, bodies: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return bodies as a list.

        :raises BadRequest: none of the columns of a CSV file is known: its first line has no column names
        """
        if isinstance(bodies, CsvRows):
            meta = meta_of(self.model)
            offered = [name for name in self.select_plan().fields if name not in {*meta.managed, *self.managed}]
            offered += self.extra_keys
            if not set(bodies.names) & {*meta.fields, *meta.aliases, *self.extra_keys, "array_options"}:
                got = joined(map(repr, bodies.names))
                raise BadRequest(f"expected column names in line 1, such as {joined(offered)}; got {got}")
        return bodies if isinstance(bodies, list) else list(bodies)

    def insert(
        self,
        values: dict[str, Any],
        extras: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None = None,
        *,
        known: Collection[str] = (),
        checked: bool = False,
    ) -> int:
        """Insert a row of accepted values inside a transaction, without an event; return its ID.

        :param extras: values of extra fields, by name
        :param body: passed to `stored`
        :param known: fields whose records are known to exist and to be visible to the caller
        :param checked: `check` has been called, for example before the transaction
        :raises BadRequest: a column that isn't nullable has no value
        :raises NotFound: a referenced record doesn't exist or is invisible to the caller
        :raises Refused: a value is already used
        """
        values = values if isinstance(values, Values) else Values(values)
        with translate_integrity_errors(self.model, self.noun, values):
            if not checked:
                self.check(values, None, extras, known)
            self.inserting(values)
            identifier = int(insert_row(self.model, values))
            self._store_beside(identifier, extras, body or {})
        return identifier

    def check_all(
        self,
        rows: Sequence[Row],
        known: Callable[[Values], Collection[str]] = lambda _: (),
        *,
        place: str = PLACE,
    ) -> None:
        """Complete and check new rows as `check` does; the error lists what is wrong with all of them.

        :param rows: accepted values, and those of extra fields
        :param known: returns which fields of a row refer to records that are known to exist
        :param place: the place of a row in messages, with ``{}`` for its number: ``rows[0].qty``
        """
        problems = Problems()
        for number, (values, extras) in enumerate(rows):
            with problems.at(place.format(number)), translate_integrity_errors(self.model, self.noun, values):
                self.check(values, None, extras, known(values))
        problems.check()

    def insert_all(
        self,
        rows: Sequence[Row],
        known: Callable[[Values], Collection[str]] = lambda _: (),
        *,
        place: str = PLACE,
        checked: bool = False,
    ) -> list[int]:
        """Insert rows as `insert` does, with one statement if possible; return their IDs.

        :param checked: `check_all` has been called; the other parameters are its own
        """
        if not checked:
            self.check_all(rows, known, place=place)
        written = [values for values, _ in rows]
        for values in written:
            self.inserting(values)
        alone = written[0] if len(rows) == 1 else {}
        # The database doesn't report which one of several rows it rejects
        with translate_integrity_errors(self.model, self.noun, alone, rows=written):
            identifiers = insert_rows(self.model, written)
            for identifier, (_, extras) in zip(identifiers, rows, strict=True):
                self._store_beside(identifier, extras, {})
        return identifiers

    def _store_beside(self, identifier: int, extras: Mapping[str, Any] | None, body: Mapping[str, Any]) -> None:
        """Write the extra fields of a new row, and what else belongs to it."""
        if extras and meta_of(self.model).extrafields:
            store_values(self.model, identifier, extras, merge=False)
        self.stored(identifier, body, None)

    def reserve_id(self) -> int | None:
        """Return the ID for the row that is inserted next, inside a transaction; None: only its INSERT reveals it."""
        meta = meta_of(self.model)
        return backend().reserve_id(meta.table_name, meta.primary_key.column_name)

    def inserting(self, values: Values) -> None:
        """Take from the transaction what decides about a new row, such as the next number of a series.

        :param values: those of `prepare`; change them in place, or raise an error to reject the row
        """

    def stored(self, identifier: int, body: Mapping[str, Any], before: M | None) -> None:
        """Write what belongs to a row that has just been written, before the event.

        :param body: the caller's body
        :param before: the row before the change; None if it is new
        """

    # Change -----------------------------------------------------------------------------------------------------------

    def change(
        self,
        identifier: Any,
        body: Mapping[str, Any],
        *,
        merge_extras: bool = False,
        replace: bool = False,
        context: Mapping[str, Any] = _NONE,
        checked: bool = False,
        **managed: Any,
    ) -> bool:
        """Change the fields of a body; the others stay. Return whether any value has changed.

        If none has, nothing is written, including who changed the record and when (`Meta.stamps`).

        :param merge_extras: keep the extra fields that aren't in the body, as PATCH does; otherwise they are cleared
        :param replace: reset what isn't in the body to its default, including extra fields, but not what the model
            requires or manages
        :param context: further values for `prepare`, which have no column
        :param checked: `check_body` was called before the transaction
        :param managed: further fields, which the module itself sets, in Python's types
        :raises BadRequest: a field doesn't fit, or has no value and its column isn't nullable
        :raises NotFound: there is no such record, or a referenced record doesn't exist
        :raises Refused: a value is already used
        :raises PreconditionFailed: `If-Match` has another state of the record
        """
        if not checked:
            body = self.check_body("changed", identifier, body, replace=replace, **managed)
        try:
            values, extras = self.accept(body, creating=False, replace=replace)
        except InvalidBody as error:
            for row in self.rows({meta_of(self.model).primary_key.name: identifier}):
                changed = differing(self.model, error.values | managed, row)
                raise RowCheck(self.select_plan(), changed, row, error.extras).added_to(error) from None
            raise
        values |= managed
        with transaction(), translate_integrity_errors(self.model, self.noun, values) as translator:
            before = translator.before = self.load(identifier, lock=True, if_match=True)
            values.context |= context
            changed = self.check(values, before, extras)
            # The row first, as in a creation, so that the same error is found
            is_changed = not changed.keys() <= {*meta_of(self.model).stamps}
            if is_changed:
                update_row(self.model, identifier, changed)
            extended = extras is not None and store_values(self.model, identifier, extras, merge=merge_extras)
            if extended and changed and not is_changed:
                update_row(self.model, identifier, changed)
                is_changed = True
            self.stored(identifier, body, before)
            self.notify("changed", identifier, checked=True)
        return is_changed

    def write_unchecked(self, identifier: Any, **values: Any) -> None:
        """Set fields of a row inside a transaction, in Python's types, without a check or an event."""
        update_row(self.model, identifier, values)

    # Delete -----------------------------------------------------------------------------------------------------------

    def delete(self, identifier: Any, *, checked: bool = False) -> None:
        """Delete a record with what belongs to it.

        First `removing` is called, then the ``before`` handlers of ``deleted``: each may delete its rows or reject the
        deletion. Then each field that refers to the record decides what becomes of its row (`RecordField`,
        ``on_delete``), and so on for rows that refer to deleted rows. Rows deleted with the record have no events.

        :param checked: `check_event` was called before the transaction
        :raises NotFound: there is no such record
        :raises Refused: the record, or a row that would be deleted with it, is used elsewhere, or a module rejects it
        :raises PreconditionFailed: `If-Match` has another state of the record
        """
        if not checked:
            self.check_event("deleted", identifier)
        with transaction(), translate_integrity_errors(self.model, self.noun, {}, deleted=identifier):
            row = self.load(identifier, lock=True, if_match=True)
            self.removing(row)
            self._note_sent("deleted", identifier)
            record = self._awaited_record("deleted", identifier)
            if record is not None:
                send(self.service, "deleted", record, checked=True)
            Deletion(self.model, self.noun, identifier, self.owned).run()
            delete_values_of(self.model, [identifier])
            self.model.delete().where(meta_of(self.model).primary_key == identifier).execute()

    def removing(self, row: M) -> None:
        """Delete what must be deleted before a row, or raise an error to reject the deletion."""

    # Notify -----------------------------------------------------------------------------------------------------------

    def is_awaited(self, event: str, *times: str) -> bool:
        """Return whether any module has a handler for an event of these records.

        :param times: ``checking``, ``before`` or ``after``; none: any of them
        """
        return bool(self.service) and awaited(self.service, event, *times)

    def check_event(
        self, event: str, identifier: Any = None, values: Mapping[str, Any] = _NONE, fixed: Collection[str] = ()
    ) -> Values:
        """Let the handlers that check an event accept or refuse it; call it before the transaction that writes.

        :param identifier: ID of the record; None: a new one
        :param values: those to come, by their names in the API
        :param fixed: the names of values that handlers can't set
        :returns: the values that handlers set, None for a removed one; pass them to `check`
        :raises ValueError: the class doesn't declare the event
        """
        self._require_declared(event)
        if not self.is_awaited(event, "checking"):
            return Values()
        settable = self._settable(event, creating=False) - {*fixed}
        checked = check_event(self.service, event, self._checked_record(event, identifier), values, settable)
        body = {name: checked.get(name) for name in changed_names(values, checked)}
        return self.accept(body, creating=False)[0] if body else Values()

    def check_body(
        self,
        event: str,
        identifier: Any,
        body: Mapping[str, Any],
        /,
        *,
        replace: bool = False,
        merge_extras: bool = False,
        context: Mapping[str, Any] = _NONE,
        **managed: Any,
    ) -> Mapping[str, Any]:
        """Let the handlers that check a body refuse it, or set more; return the body to write.

        Call it before the transaction.

        :param event: ``created`` or ``changed``
        :param identifier: ID of the record; None: a new one

        The other parameters are those of `change`.
        """
        if not self.is_awaited(event, "checking"):
            return body
        creating = identifier is None
        try:
            values = self.values_to_come(body, creating=creating, replace=replace)
        except BadRequest:
            # The write raises it, with everything else that is wrong
            return body
        record = self._checked_record(event, identifier)
        if meta_of(self.model).extrafields:
            values["array_options"] = body.get("array_options", (record or {}).get("array_options")) or {}
        settable = self._settable(event, creating=creating) - managed.keys()
        values |= managed
        return self.with_set_values(body, values, check_event(self.service, event, record, values, settable))

    def _settable(self, event: str, *, creating: bool) -> set[str]:
        """Return the keys that the handlers that check an event may set."""
        return body_fields(self.select_plan(), creating=creating).keys if self.events[event].sets else set()

    def _checked_record(self, event: str, identifier: Any) -> dict[str, Any] | None:
        """Return the record for the handlers that check an event; None: a new one."""
        if identifier is None:
            return None
        self.load(identifier)
        return self._awaited_record(event, identifier)

    def values_to_come(self, body: Mapping[str, Any], *, creating: bool, replace: bool) -> dict[str, Any]:
        """Return the values of a body for the handlers that check it."""
        return {**self.accept(body, creating=creating, replace=replace)[0]}

    def with_set_values(
        self, body: Mapping[str, Any], values: Mapping[str, Any], checked: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return a body with what handlers have set.

        :param values: the values before the handlers
        :param checked: those after them
        """
        if not (names := changed_names(values, checked)):
            return body
        aliases = meta_of(self.model).aliases
        fields = {aliases.get(name, name) for name in names}
        kept = {key: value for key, value in body.items() if aliases.get(key, key) not in fields}
        return kept | {aliases.get(name, name): checked[name] for name in names if name in checked}

    def notify(self, event: str, identifier: int, *, checked: bool = False) -> None:
        """Emit an event of a record to the modules that have a handler for it.

        :param checked: `check_event` was called before; otherwise it is called now
        :raises ValueError: the class doesn't declare the event
        """
        self._require_declared(event)
        self._note_sent(event, identifier)
        record = self._awaited_record(event, identifier)
        if record is None:
            return
        state = current_state()
        if state is not None:
            state.notified = NotifiedRecord(self, identifier, record, state.writes, state.has_unhidden)
        send(self.service, event, record, checked=checked)

    def _note_sent(self, event: str, identifier: int) -> None:
        if self.service and "after" in self.events[event].moments:
            note_sent(self.service, event, identifier, table=meta_of(self.model).table_name)

    def _require_declared(self, event: str) -> None:
        if event not in self.events:
            raise ValueError(undeclared(event, self.events, f"`events` of {type(self).__name__}"))

    def _awaited_record(self, event: str, identifier: int) -> dict[str, Any] | None:
        """Return the record, if any module has a handler for the event."""
        if not self.is_awaited(event):
            return None
        # Handlers also receive records that the caller may not see: one of them may reject the change
        where = f"t.{quote(self.key)} = {backend().placeholder}"
        with unhidden():
            return self._first(self.select_plan(), where, (identifier,), identifier)

    def answer(self, identifier: int, **extra: Any) -> dict[str, Any]:
        """Return the changed record: as modules received it, or read again if something was written since.

        :param extra: further keys of this response, such as the previous state
        """
        state = current_state()
        notified = state.notified if state is not None else None
        known = notified is not None and notified.records is self and notified.identifier == identifier
        if state is None or notified is None or not known or notified.is_unhidden:
            record = self.read(identifier)
        else:
            record = notified.record if notified.writes == state.writes else self.read(identifier)
        record = record | extra if extra else record
        if state is not None:
            state.read = record, partial(self.answer, identifier, **extra)
        return record


class Children(Loader):
    """Adds to each record a list of the records of another kind that refer to it, as far as the caller may see them.

    :param children: the `Records` of the other kind
    :param field: the field of theirs that holds the ID
    :param key: the key of the list in a record
    :param sort: the order of the list, as in `Records.every`
    :param most: children of all records together, at most; 0: any number
    """

    def __init__(self, children: Records[Any], field: str, key: str, *, sort: str = "", most: int = 0) -> None:
        self._children, self._field, self.key = children, field, key
        self._sort, self._most = sort, most

    def statement(self, ids: Sequence[int]) -> tuple[str, tuple[Any, ...]]:
        """Return the statement that reads the children."""
        return self._children.select({self._field: ids}, self._sort, most=self._most)

    def apply(self, rows: Sequence[tuple[Any, ...]], records: list[dict[str, Any]]) -> None:
        """Add the lists."""
        lists: dict[int, list[dict[str, Any]]] = {}
        for child in self._children.records_of(rows, most=self._most):
            lists.setdefault(int(child[self._field]), []).append(child)
        for record in records:
            record[self.key] = lists.get(int(record["id"]), [])


def _place_of(place: str, number: int, first: int, body: Any) -> str:
    if not isinstance(body, CsvRow):
        return place.format(number + first)
    # Empty lines between the rows were skipped
    return f"line {body.line}" if place == PLACE else place.format(body.line - FIRST_LINE + first)


def _noun_of(model: type[Model]) -> str:
    """Return the name of a model as words: ``Opening balance``."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", model.__name__).split()
    return " ".join(each if number == 0 or each.isupper() else each.lower() for number, each in enumerate(words))
