"""Records: a model as the interface shows it. Reading, listing, creating, changing and deleting, each written once.

A read costs one statement of fixed text whose rows come as tuples (`plans.py`). Writing goes through peewee, inside one
transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from typing import Any, Generic, TypeVar

import peewee

from .context import warn
from .database import Model, database, dialect, dialect_name, ensure_connected, meta_of, quote, transaction
from .errors import ApiError, BadRequest, NotFound, Refused
from .events import awaited, emit
from .extrafields import accept_values, all_models, complete_new, delete_values, store_values
from .fields import ExactField, RecordField
from .generations import generation
from .listing import ListQuery, Page, behind, make_cursor, order_by, page_size, sort_keys
from .plans import Join, Plan
from .rowrules import Condition, row_rule
from .settings import settings
from .values import codec

M = TypeVar("M", bound=Model)


class Records(Generic[M]):
    """A model as the interface shows it.

    Use it as it is, or derive from it and override `prepare`, `stored`, `complete` and `removing`.

    :param model: the model
    :param service: the service whose events tell of changes (``after_<service>_created`` …); empty: none
    :param noun: what one record is called in a message
    """

    model: type[M]
    service = ""
    noun = "Record"
    #: the message of an empty list in the profile that answers 404
    empty = ""
    #: fields a list is sorted by when the caller names none
    sort = "t.rowid"
    #: further tables that filters may name: alias → (model, field of this model that leads to it, its fields)
    joins: Mapping[str, Join] = {}
    #: rows that go with a record when it is deleted, as (model, field): they do not keep it from being deleted
    owned: Collection[tuple[type[Model], str]] = ()
    #: field → what makes the text that is kept of the text that was sent (None: nothing); it may raise ValueError
    cleaners: Mapping[str, Callable[[str], str | None]] = {}
    #: keys of a body that are no fields of the model: `stored` takes them
    besides: Collection[str] = ()

    def __init__(self, model: type[M] | None = None, *, service: str = "", noun: str = "") -> None:
        self.model = model or self.model
        self.service = service or self.service
        self.noun = noun or self.noun
        meta = meta_of(self.model)
        self.key: str = meta.primary_key.column_name
        if self.sort == "t.rowid":
            self.sort = f"t.{self.key.lower()}"
        self._plans: dict[tuple[int, str, int], Plan] = {}

    # What a module overrides ----------------------------------------------------------------------------------------

    def prepare(self, values: dict[str, Any], before: M | None) -> None:
        """Check and complete the values that are about to be written.

        :param values: what is written, by field name, in Python's types; change it in place
        :param before: the row as it stands; None when it is created
        """

    def stored(self, identifier: int, body: Mapping[str, Any], before: M | None) -> None:
        """Write what belongs to a row that has just been written, before others are told of it.

        :param body: what the caller sent
        :param before: the row as it stood; None when it was created
        """

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add what is computed to records that are about to be answered, all at once."""

    def removing(self, row: M) -> None:
        """Do what must happen before a row is deleted, or refuse by raising."""

    # Reading --------------------------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """How the model is read in the configuration in force."""
        extrafields = meta_of(self.model).extrafields
        key = id(database.obj), settings().profile.name, generation() if extrafields else 0
        plan = self._plans.get(key)
        if plan is None:
            plan = Plan(self.model, self.joins)
            if not database.in_transaction():
                self._plans = {key: plan}
        return plan

    def read(self, value: Any, by: str = "") -> dict[str, Any]:
        """Read one record the caller may see.

        :param value: what to look for
        :param by: the field that holds it; the identifier when empty. Of several records the first is answered
        :raises BadRequest: the identifier is empty
        :raises NotFound: there is no such record, or the caller may not see it
        """
        if value in (0, "", None):
            raise BadRequest(f"{self.noun} {by or 'ID'} is mandatory")
        record = self.find(value, by)
        if record is None:
            raise NotFound(f"{self.noun} not found")
        return record

    def find(self, value: Any, by: str = "") -> dict[str, Any] | None:
        """Read one record the caller may see; None when there is none."""
        ensure_connected()
        plan = self.plan()
        column = plan.columns[f"t.{by.lower()}"].sql if by else f"t.{quote(self.key)}"
        where, params = self._visible((f"{column} = {dialect().placeholder}", (value,)))
        sql = f"{plan.select}{plan.source} WHERE {where} ORDER BY t.{quote(self.key)} LIMIT 1"
        row = database.execute_sql(sql, params).fetchone()
        if row is None:
            return None
        record = plan.record(row)
        self.complete([record])
        return record

    def page(self, query: ListQuery | None = None, where: Mapping[str, Any] | None = None, **parameters: Any) -> Page:
        """List the records the caller may see.

        :param query: what the caller asks for; or name its parameters one by one
        :param where: field → value, or several values, that the records must have besides
        :raises BadRequest: a filter, field or number that cannot be used
        """
        query = query or ListQuery(**parameters)
        ensure_connected()
        plan = self.plan()
        conditions: list[Condition] = [self._equals(plan, name, value) for name, value in (where or {}).items()]
        joins: set[str] = set()
        if query.sqlfilters.strip():
            condition, needed = plan.filter(query.sqlfilters)
            conditions.append(condition)
            joins.update(needed)
        keys = sort_keys(query, self.sort, plan.columns, f"t.{self.key.lower()}")
        joins.update(join for alias, join in plan.joins.items() if any(key.name.startswith(alias) for key in keys))
        source = plan.source + "".join(sorted(joins))
        counted = self._visible(*conditions)
        if query.after:
            if any(key.name not in plan.positions for key in keys):
                raise BadRequest("`after`: sort by the record's own fields to page by cursor")
            conditions.append(behind(keys, query.after))
        page = Page()
        page.query = query
        page.empty = self.empty
        wanted, shown = self._properties(plan, query.properties)
        page.extend(self._rows(plan, source, conditions, keys, page))
        if query.count or query.pagination_data:
            sql = f"SELECT COUNT(*) FROM {source} WHERE {counted[0]}"
            page.total = database.execute_sql(sql, counted[1]).fetchone()[0]
        if page:
            self.complete(page)
        if wanted:
            page[:] = [{name: record[name] for name in wanted if name in record} for record in page]
            missing = sorted(wanted - shown - set().union(*page)) if page else []
            if missing:
                raise BadRequest(
                    f"`properties`: unknown field {missing[0]!r:.80}", errors=[("properties", "unknown field")]
                )
        return page

    def _properties(self, plan: Plan, text: str) -> tuple[set[str], set[str]]:
        wanted = {name.strip() for name in text.split(",") if name.strip()}
        return wanted, {*plan.names, "array_options"}

    def _rows(
        self, plan: Plan, source: str, conditions: list[Condition], keys: list[Any], page: Page
    ) -> list[dict[str, Any]]:
        where, params = self._visible(*conditions)
        size = page_size(page.query.limit)
        sql = f"{plan.select}{source} WHERE {where} ORDER BY {order_by(keys)}"
        if size is not None:
            mark = dialect().placeholder
            offset = 0 if page.query.after else min(size * max(page.query.page, 0), 2**62)
            sql += f" LIMIT {mark} OFFSET {mark}"
            # One row more tells whether there is a next page
            params = (*params, size + 1, offset)
        rows = database.execute_sql(sql, params).fetchall()
        if size is not None and len(rows) > size:
            rows = rows[:size]
            if all(key.name in plan.positions for key in keys):
                page.cursor = make_cursor(keys, [self._raw(plan, key.name, rows[-1]) for key in keys])
        return [plan.record(row) for row in rows]

    def _raw(self, plan: Plan, name: str, row: tuple[Any, ...]) -> Any:
        value = row[plan.positions[name]]
        for field in plan.fields.values():
            if isinstance(field, ExactField) and name in (f"t.{field.name}", f"t.{field.column_name}"):
                return field.python_value(value)
        return value

    def _equals(self, plan: Plan, name: str, value: Any) -> Condition:
        column = plan.columns[f"t.{name.lower()}"].sql
        mark = dialect().placeholder
        if isinstance(value, (list, tuple, set, frozenset)):
            if not value:
                return "1 = 0", ()
            return f"{column} IN ({', '.join([mark] * len(value))})", tuple(value)
        return (f"{column} IS NULL", ()) if value is None else (f"{column} = {mark}", (value,))

    def _visible(self, *conditions: Condition) -> Condition:
        rule = row_rule(self.model)
        every = [*conditions, rule] if rule else list(conditions)
        sql = " AND ".join(f"({sql})" for sql, _ in every) or "1 = 1"
        return sql, tuple(value for _, params in every for value in params)

    def load(self, value: Any, *, lock: bool = False) -> M:
        """The row of a record the caller may see, as an instance of the model.

        :param lock: keep others from changing it until the transaction ends
        :raises BadRequest: the identifier is empty
        :raises NotFound: there is no such record, or the caller may not see it
        """
        if value in (0, "", None):
            raise BadRequest(f"{self.noun} ID is mandatory")
        ensure_connected()
        meta = meta_of(self.model)
        found = self.model.select().where(meta.primary_key == value)
        rule = row_rule(self.model, "t1")
        if rule:
            found = found.where(peewee.SQL(rule[0], rule[1]))
        if lock and dialect_name() != "sqlite":
            found = found.for_update()
        row: M | None = found.first()
        if row is None:
            raise NotFound(f"{self.noun} not found")
        return row

    # Writing --------------------------------------------------------------------------------------------------------

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a record from a body; answers its identifier.

        :param body: fields by their names in the interface; unknown and server-managed ones are ignored with a warning
        :param managed: further fields, which the module itself sets, in Python's types
        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: a record the body names does not exist, or is not the caller's to see
        """
        values, extras = self._accept(body, creating=True)
        with transaction(), named_refusals(self):
            values |= managed
            self.prepare(values, None)
            self._check_references(values)
            self._check_unique(values, None)
            identifier = self.model.insert(**values).execute()
            if extras and meta_of(self.model).extrafields:
                store_values(self.model, identifier, extras, merge=False)
            self.stored(int(identifier), body, None)
            self.tell("created", identifier)
        return int(identifier)

    def change(self, identifier: Any, body: Mapping[str, Any], *, merge_extras: bool = False, **managed: Any) -> None:
        """Change the fields a body names; the others stay.

        :param merge_extras: keep the extra fields that are not named, as PATCH does; otherwise they are cleared
        :param managed: further fields, which the module itself sets, in Python's types
        :raises BadRequest: a field does not fit
        :raises NotFound: there is no such record, or a record the body names does not exist
        """
        values, extras = self._accept(body, creating=False)
        with transaction(), named_refusals(self):
            before = self.load(identifier, lock=True)
            values |= managed
            self.prepare(values, before)
            self._check_references({name: value for name, value in values.items() if value != getattr(before, name)})
            self._check_unique(values, identifier)
            if values:
                meta = meta_of(self.model)
                self.model.update(**values).where(meta.primary_key == identifier).execute()
            if extras is not None:
                store_values(self.model, identifier, extras, merge=merge_extras)
            self.stored(identifier, body, before)
            self.tell("changed", identifier)

    def delete(self, identifier: Any) -> None:
        """Delete a record with what belongs to it.

        :raises NotFound: there is no such record
        :raises Refused: the record is used elsewhere, or the module refuses
        """
        with transaction(), named_refusals(self):
            row = self.load(identifier, lock=True)
            self.removing(row)
            self._check_unused(identifier)
            record = self._told("deleted", identifier)
            for model, name in self.owned:
                model.delete().where(getattr(model, name) == identifier).execute()
            if meta_of(self.model).extrafields:
                delete_values(self.model, identifier)
            meta = meta_of(self.model)
            self.model.delete().where(meta.primary_key == identifier).execute()
            if record is not None:
                emit(self.service, "deleted", record)

    def tell(self, event: str, identifier: int) -> None:
        """Tell the modules that wait for it what happened to a record."""
        record = self._told(event, identifier)
        if record is not None:
            emit(self.service, event, record)

    def _told(self, event: str, identifier: int) -> dict[str, Any] | None:
        return self.find(identifier) if self.service and awaited(self.service, event) else None

    def _accept(self, body: Mapping[str, Any], *, creating: bool) -> tuple[dict[str, Any], dict[str, Any] | None]:
        meta = meta_of(self.model)
        values: dict[str, Any] = {}
        wrong: list[tuple[str, str]] = []
        ignored: list[str] = []
        closed = {*meta.managed, *meta.secret, *(() if creating else meta.create_only)}
        for key, value in body.items():
            name = meta.aliases.get(key, key)
            field = meta.fields.get(name)
            if key in self.besides or (key == "array_options" and meta.extrafields):
                continue
            if field is None or name in closed:
                ignored.append(str(key))
                continue
            if name != key and name in body:
                # A second name, as a client sends it back that changed the first
                continue
            try:
                accepted = accept_field(field, self._clean(name, value))
            except ValueError as error:
                wrong.append((key, f"{error} (got {value!r:.60})"))
                continue
            if accepted is UNSET:
                if creating:
                    continue
                accepted = default_of(field)
            values[name] = accepted
        extras = self._accept_extras(body, creating, wrong, ignored)
        for name in meta.required if creating else [name for name in meta.required if name in values]:
            if values.get(name) in (None, ""):
                wrong.append((name, f"{name} field missing"))
        if ignored:
            warn(f"ignored: {', '.join(ignored)}")
        if wrong:
            raise wrong_fields(wrong)
        return values, extras

    def _clean(self, name: str, value: Any) -> Any:
        if name not in self.cleaners or isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
            return value
        return self.cleaners[name](str(value))

    def _accept_extras(
        self, body: Mapping[str, Any], creating: bool, wrong: list[tuple[str, str]], ignored: list[str]
    ) -> dict[str, Any] | None:
        element = meta_of(self.model).extrafields
        if not element or not (creating or "array_options" in body):
            return None
        values, unknown, unfit = accept_values(element, body.get("array_options"))
        wrong += unfit
        ignored += unknown
        if creating:
            wrong += [each for each in complete_new(element, values) if each[0] not in {name for name, _ in unfit}]
        return values

    def _check_references(self, values: Mapping[str, Any]) -> None:
        meta = meta_of(self.model)
        for name, value in values.items():
            field = meta.fields.get(name)
            if isinstance(field, RecordField) and value is not None:
                check_exists(field, value)

    def _check_unique(self, values: Mapping[str, Any], identifier: Any) -> None:
        meta = meta_of(self.model)
        for name, value in values.items():
            field = meta.fields.get(name)
            if field is None or not field.unique or value is None:
                continue
            others = self.model.select(meta.primary_key).where(field == value)
            if identifier is not None:
                others = others.where(meta.primary_key != identifier)
            if others.exists():
                raise Refused(
                    f"{self.noun} refused: {name} {value!s:.80} is already used",
                    errors=[(name, "This value is already used")],
                )

    def _check_unused(self, identifier: Any) -> None:
        meta = meta_of(self.model)
        owned = {(meta_of(model).table_name, name) for model, name in self.owned}
        for model in all_models(Model):
            other = meta_of(model)
            for name, field in other.fields.items():
                if not isinstance(field, RecordField) or (other.table_name, name) in owned:
                    continue
                target = meta_of(field.target())
                if target.table_name != meta.table_name or not database.table_exists(other.table_name):
                    continue
                if model.select().where(field == identifier).exists():
                    raise Refused(f"{self.noun} {identifier} is used by {other.table_name.removeprefix('llx_')}")


UNSET = object()


def accept_field(field: peewee.Field, value: Any) -> Any:
    """A value of a body as peewee stores it; `UNSET` for null where the column has a default and takes none."""
    if isinstance(field, RecordField) and value in (0, "0", "", -1, "-1"):
        value = None
    if value is None:
        if field.null:
            return None
        if isinstance(field, RecordField):
            raise ValueError("a record must be named")
        return UNSET
    return codec(field).accept(value)


def default_of(field: peewee.Field) -> Any:
    """The value a column has when nothing is said."""
    default = field.default
    return default() if callable(default) else default


def wrong_fields(wrong: list[tuple[str, str]]) -> BadRequest:
    """The error that names every wrong field; its message is the first one's."""
    name, reason = wrong[0]
    message = reason if name in reason else f"Invalid value specified for `{name}`. {reason}"
    return BadRequest(message, errors=wrong)


def check_exists(field: RecordField, value: Any) -> None:
    """Go on only if the record a field names exists and the caller may see it.

    :raises NotFound: it does not
    """
    target: Any = field.target()
    key = quote(meta_of(target).primary_key.column_name)
    condition: Condition = (f"t.{key} = {dialect().placeholder}", (value,))
    rule = row_rule(target)
    if rule:
        condition = f"{condition[0]} AND {rule[0]}", (*condition[1], *rule[1])
    sql = f"SELECT 1 FROM {quote(meta_of(target).table_name)} AS t WHERE {condition[0]}"
    if database.execute_sql(sql, condition[1]).fetchone() is None:
        raise NotFound(f"{field.noun} {value} not found", errors=[(field.name, "no such record")])


class named_refusals:
    """Turns what a database refuses into an error of ours: never its own text."""

    def __init__(self, records: Records[Any]) -> None:
        self.noun = records.noun

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Name the refusal."""
        if isinstance(error, ApiError):
            return
        if isinstance(error, peewee.IntegrityError):
            raise Refused(f"{self.noun} refused: a value is already used, or a record it names is gone") from error
        if isinstance(error, peewee.DataError):
            raise BadRequest(f"{self.noun} refused: a value does not fit its column") from error
