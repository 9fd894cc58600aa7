"""The row rules: which rows a caller sees, applied inside every statement, below the handlers.

A module's ``rows.py`` has a table ``RULES``: model → function that returns the condition for its rows. Its key
``"thirdparty"`` covers all models whose ``Meta.thirdparty`` leads to a third party. They come with each catalogue. If
several rules cover a model, all of them apply.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ..access.callers import ANONYMOUS, Caller, current_caller
from ..contract.catalogue import current_catalogue
from ..storage.database import backend, driver_sql, quote
from ..storage.fields import RecordField
from ..storage.model import Model, meta_of

_FIELD = re.compile(r"\{(\w+(?:\.\w+)*)\}")
_OR_NONE = re.compile(r" OR \{(\w+(?:\.\w+)*)\} IS NULL$")
#: matches a value that an author has written into the text
_VALUE = re.compile(r"""['"`;\\#%]|--|/\*|(?<!\w)\d""")

Condition = tuple[str, tuple[Any, ...]]

#: the key of a rule for all models whose `Meta` leads to a third party
THIRDPARTY = "thirdparty"

NOTHING: Condition = ("1 = 0", ())
ALL: Condition = ("1 = 1", ())

#: maximum number of a rule's conditions that are cached in the database's SQL
_KEPT = 64


class Rows:
    """The rows a caller sees: ``Rows("{author} = ? OR {state} = ?", caller.id, 2)``, `Rows.ALL` or `Rows.NONE`.

    :param condition: portable SQL that never changes, ``{field}`` for a field of the model, ``?`` for each value
    :param values: the values, in this order
    :param seen: which rows these are, for people: ``records of your clubs``; lists show it in `Visible-Records`
    """

    __slots__ = ("condition", "seen", "values")
    ALL: ClassVar[Rows]
    NONE: ClassVar[Rows]

    def __init__(self, condition: str, *values: Any, seen: str = "those that a rule of the module shows") -> None:
        self.condition = condition
        self.values = values
        self.seen = seen


Rows.ALL = Rows("", seen="")
Rows.NONE = Rows("", seen="none")

Rule = Callable[[Caller], Rows]


@dataclass(frozen=True)
class RowRule:
    """A rule as a module states it.

    :param covered: a model (those derived from it are covered, too), or `THIRDPARTY`
    """

    covered: type[Model] | str
    rule: Rule

    def covers(self, model: Any) -> bool:
        """Return whether it applies to a model."""
        if isinstance(self.covered, str):
            return bool(meta_of(model).thirdparty)
        # By name: a request that began before a reload holds the class that was there then
        name = self.covered.__module__, self.covered.__qualname__
        return any((each.__module__, each.__qualname__) == name for each in model.__mro__)


def for_administrators(caller: Caller) -> Rows:
    """The rule while the module that decides who else sees a row is missing."""
    return Rows.ALL if caller.oversees and caller.socid is None else Rows.NONE


def condition_of(rows: Rows, model: Any) -> Condition:
    """Return an author's condition on the rows of a model, as the table `t`, for the current database."""
    if rows is Rows.ALL or rows is Rows.NONE:
        return ALL if rows is Rows.ALL else NOTHING
    return driver_sql(spell(rows.condition, model)), rows.values


def spell(condition: str, model: Any, way: str = "") -> str:
    """Return a condition as portable SQL, over the table `t` of a model.

    :param condition: with ``{field}`` for a field, ``{order.state}`` for one of the record in the field `order`
    :param model: the model; None: only the text is checked, and ``{thirdparty}`` is the only valid name
    :param way: the path of ``{thirdparty}``, such as ``order.socid``
    :raises ValueError: the condition isn't valid; the message has the reason
    """
    if wrong := _VALUE.search(condition):
        raise ValueError(f"{condition!r} contains the value {wrong[0]!r}; write ? and pass the value after the text")
    if not condition.strip():
        raise ValueError("expected a condition, got empty text; use Rows.ALL or Rows.NONE")
    if wrong := re.search("[{}]", _FIELD.sub("", condition)):
        raise ValueError(f"{condition!r}: expected a field name in each pair of braces")
    text = condition.replace("{thirdparty}", f"{{{way}}}") if way else condition
    names = [name.split(".") for name in _FIELD.findall(text)]
    if model is None:
        unknown = [name for name in names if name != ["thirdparty"]]
        if unknown:
            raise ValueError(f"{condition!r}: expected only {{thirdparty}}, the field that all these models have")
        return condition
    if len({tuple(name[:-1]) for name in names}) > 1:
        raise ValueError(f"{condition!r} has fields of several tables; use a subquery for the others")
    return _nest(text, model, names[0][:-1] if names else [], "t")


def _nest(text: str, model: Any, steps: list[str], alias: str) -> str:
    """Return a condition on the last table of the steps as one on the first table."""
    if not steps:
        end = _OR_NONE.search(text)
        if end and not _field(model, end[1]).null:
            # No row of this model can meet it, and an OR would prevent the use of an index
            text = text[: end.start()]
        return _FIELD.sub(lambda found: f"{alias}.{quote(_field(model, found[1]).column_name)}", text)
    field = _field(model, steps[0])
    if not isinstance(field, RecordField):
        raise ValueError(f"{model.__name__}.{steps[0]} is not a RecordField, so it leads to no other fields")
    target: Any = field.target()
    meta = meta_of(target)
    inner = _nest(text, target, steps[1:], alias + "x")
    column, key = quote(field.column_name), quote(meta.primary_key.column_name)
    return f"{alias}.{column} IN (SELECT {key} FROM {quote(meta.table_name)} AS {alias}x WHERE {inner})"


def _field(model: Any, path: str) -> Any:
    name = path.rpartition(".")[2]
    field = meta_of(model).fields.get(name)
    if field is None:
        raise ValueError(f"{model.__name__} has no field {name!r}")
    return field


class _Guard:
    """A rule for one model.

    :param way: the path of ``{thirdparty}``
    """

    def __init__(self, rule: Rule, model: Any, way: str) -> None:
        self.rule = rule
        # The SQL of a condition depends on the database
        self._sql = lru_cache(_KEPT)(lambda _, condition: driver_sql(spell(condition, model, way)))

    def spelled(self, rows: Rows) -> Condition:
        """Return the condition of a rule's result, for the current database."""
        return NOTHING if rows is Rows.NONE else (self._sql(backend(), rows.condition), rows.values)


def _guards_of(rules: Iterable[RowRule | ClosedRule], model: Any) -> tuple[_Guard, ...]:
    """The rules that decide which rows of a model a caller sees."""
    covering = [(each.rule, _way(each, model)) for each in rules if each.covers(model)]
    found = [_Guard(rule, model, way) for rule, way in covering]
    if meta_of(model).thirdparty and not any(way for _, way in covering):
        # The module that knows who sees which third parties is missing: that opens nothing
        found.append(_Guard(for_administrators, model, ""))
    return tuple(found)


def _way(rule: RowRule | ClosedRule, model: Any) -> str:
    """Return the path of ``{thirdparty}`` in a rule of all models with a third party."""
    is_general = isinstance(rule, RowRule) and rule.covered == THIRDPARTY
    return str(meta_of(model).thirdparty) if is_general else ""


def row_rule(model: Any) -> Condition | None:
    """Return the condition on the rows of a model, as the table `t`, for the current caller; None: all are visible.

    :param model: a `Model`
    """
    caller = current_caller()
    if caller is None:
        return None
    guards = _guards(model)
    if not guards:
        return None
    if caller is ANONYMOUS:
        return NOTHING
    found = None
    for guard in guards:
        rows = guard.rule(caller)
        if rows is not Rows.ALL:
            condition = guard.spelled(rows)
            found = condition if found is None else all_of((found, condition))
    return found


def _guards(model: Any) -> tuple[_Guard, ...]:
    catalogue = current_catalogue.value
    guards = catalogue.guards.get(model)
    if guards is None:
        guards = catalogue.guards[model] = _guards_of(catalogue.rules, model)
    return guards


def seen_rows(model: type[Model], caller: Caller | None = None) -> str:
    """Return which rows of a model a caller sees, for people; empty: all of them.

    It depends on the caller's permissions, never on rows.

    :param caller: None: the current one
    """
    caller = caller or current_caller()
    found = [guard.rule(caller).seen for guard in _guards(model)] if caller not in (None, ANONYMOUS) else []
    return "; ".join(dict.fromkeys(filter(None, found)))


def all_of(conditions: Iterable[Condition]) -> Condition:
    """The condition that all of some hold."""
    sql: list[str] = []
    params: list[Any] = []
    for text, values in conditions:
        sql.append(f"({text})")
        params += values
    return " AND ".join(sql) or ALL[0], tuple(params)


def sees_all(model: type[Model]) -> bool:
    """Return whether no row of a model is hidden from the caller."""
    return row_rule(model) is None


def named_uses(uses: Iterable[tuple[type[Model], str]]) -> list[str]:
    """Return the texts of uses of a record, such as ``2 orders``; ``other records`` for those the caller may not read.

    :param uses: the model of the records that use it, and their number or references
    """
    told = dict.fromkeys(text if _reads_all(model) else "other records" for model, text in uses)
    return sorted(told, key="other records".__eq__)


def _reads_all(model: type[Model]) -> bool:
    """Return whether the caller may read all rows of a model: no rule hides one, and an operation returns them.

    An operation without a permission doesn't count: its method may check the caller itself.
    """
    caller, table = current_caller(), meta_of(model).table_name
    if caller is None or caller.oversees:
        return True
    return sees_all(model) and any(
        caller.may(each.permission) and sees_all(each.shape.model)
        for each in current_catalogue.value.operations
        if each.verb == "GET" and each.permission and each.shape and each.returns(table)
    )


# The file `rows.py` of a module ---------------------------------------------------------------------------------------

#: made-up callers: each rule is tried with all of them when it is loaded
_TRIALS = (
    Caller(1, "internal", granted=frozenset()),
    Caller(1, "external", socid=1, granted=frozenset()),
    Caller(1, "administrator", admin=True, granted=frozenset()),
)


def read_rules(table: Any) -> list[RowRule]:
    """The rules of a table `RULES`.

    :raises ValueError: one of them can't be used; with the reason
    """
    if not isinstance(table, dict):
        raise ValueError("expected a dictionary RULES that maps models to functions")
    return [_read_rule(covered, rule) for covered, rule in table.items()]


def _read_rule(covered: Any, rule: Any) -> RowRule:
    is_model = isinstance(covered, type) and issubclass(covered, Model)
    if not is_model and covered != THIRDPARTY:
        raise ValueError(f"RULES: expected a model or {THIRDPARTY!r} as key, got {covered!r:.80}")
    if not callable(rule):
        raise ValueError(f"RULES: expected a function for {covered!r:.80}, got {rule!r:.80}")
    for caller in _TRIALS:
        rows = rule(caller)
        name = f"{getattr(rule, '__name__', rule)}, for an {caller.login} user"
        if not isinstance(rows, Rows):
            raise ValueError(f"{name}: expected Rows, got {rows!r:.80}")
        if rows is Rows.ALL or rows is Rows.NONE:
            continue
        try:
            spell(rows.condition, covered if is_model else None)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        marks = rows.condition.count("?")
        if marks != len(rows.values):
            raise ValueError(
                f"{name}: expected one value for each ? in {rows.condition!r}, got {len(rows.values)} for {marks}"
            )
    return RowRule(covered, rule)


# While a file cannot be loaded ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClosedRule:
    """Replaces a file of rules that can't be loaded: only administrators see rows that it might cover.

    :param module: the module of the file, whose models it covers; empty: no module
    :param words: the names in its text
    """

    module: str
    words: frozenset[str]

    def covers(self, model: Any) -> bool:
        """Return whether the file may have covered a model."""
        if THIRDPARTY in self.words and meta_of(model).thirdparty:
            return True
        lineage = [each for each in model.__mro__ if issubclass(each, Model) and each is not Model]
        return any(each.__name__ in self.words or _module_of(each) == self.module for each in lineage)

    #: with it, administrators see all rows, so that they can repair the file
    rule = staticmethod(for_administrators)


def _module_of(model: type[Model]) -> str:
    """Return the name of the module folder of a model; for a model of `core`, a name that no folder has."""
    parts = model.__module__.split(".")
    return parts[1] if parts[0] == "modules" and len(parts) > 1 else "core."


def words_of(text: str) -> frozenset[str]:
    """Return the names in a file of rules, which may not be valid Python; comments are skipped if it is."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(re.findall(r"\w+", text))
    names = [
        getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None)
        if not isinstance(node, ast.alias)
        else node.name
        for node in nodes
    ]
    return frozenset(name for name in names if isinstance(name, str))
