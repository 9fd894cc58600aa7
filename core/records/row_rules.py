"""The row rules: which rows a caller sees, applied inside every statement, below the handlers.

A module's ``rows.py`` holds a table ``RULES``: under a model stands the function that says which of its rows a caller
sees, under ``"thirdparty"`` the one for all models whose ``Meta.thirdparty`` leads to a third party. The loader hands
them over with each catalogue. Of a model that several of them cover, a caller sees the rows on which all agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from ..access.callers import ANONYMOUS, Caller, current_caller
from ..common.in_force import InForce
from ..storage.database import dialect_name
from ..storage.model import Model, meta_of
from .row_conditions import spell

Condition = tuple[str, tuple[Any, ...]]

#: what a rule stands under that covers all models whose `Meta` says to whom a row belongs
THIRDPARTY = "thirdparty"

NOTHING: Condition = ("1 = 0", ())
ALL: Condition = ("1 = 1", ())

#: how many conditions of a rule are kept as the database spells them
_KEPT = 64


class Rows:
    """The rows a caller sees: ``Rows("{author} = ? OR {state} = ?", caller.id, 2)``.

    :param condition: portable SQL that never changes, ``{field}`` for a field of the model, ``?`` for each value
    :param values: the values, in this order
    """

    __slots__ = ("condition", "values")

    def __init__(self, condition: str, *values: Any) -> None:
        self.condition = condition
        self.values = values


#: a rule's answer for those who see every row, and for those who see none
ALL_ROWS = Rows("")
NO_ROWS = Rows("")

Rule = Callable[[Caller], Rows]


@dataclass(frozen=True)
class RowRule:
    """A rule as a module states it.

    :param covered: a model (those derived from it are covered, too), or `THIRDPARTY`
    """

    covered: type[Model] | str
    rule: Rule

    def covers(self, model: Any) -> bool:
        """Whether it is asked for the rows of a model."""
        if isinstance(self.covered, str):
            return bool(meta_of(model).thirdparty)
        # By name: a request that began before a reload holds the class that was there then
        name = self.covered.__module__, self.covered.__qualname__
        return any((each.__module__, each.__qualname__) == name for each in model.__mro__)


def for_administrators(caller: Caller) -> Rows:
    """The rule where nobody can say who else sees a row."""
    return ALL_ROWS if caller.oversees and caller.socid is None else NO_ROWS


class Covering(Protocol):
    """A rule, and which models it is asked for."""

    @property
    def rule(self) -> Rule:
        """What says which rows a caller sees."""

    def covers(self, model: Any) -> bool:
        """Whether it is asked for the rows of a model."""


def condition_of(rows: Rows, model: Any) -> Condition:
    """What an author says of the rows of a model, as the table `t`, for the database in force."""
    if rows is ALL_ROWS or rows is NO_ROWS:
        return ALL if rows is ALL_ROWS else NOTHING
    return spell(rows.condition, model), rows.values


class _Guard:
    """A rule as it is asked for one model.

    :param way: what ``{thirdparty}`` stands for
    """

    __slots__ = ("_model", "_spelled", "_way", "rule")

    def __init__(self, rule: Rule, model: Any, way: str) -> None:
        self.rule = rule
        self._model = model
        self._way = way
        self._spelled: dict[tuple[str, str], str] = {}

    def spelled(self, rows: Rows) -> Condition:
        """The condition of an answer of the rule, for the database in force."""
        if rows is NO_ROWS:
            return NOTHING
        key = dialect_name(), rows.condition
        sql = self._spelled.get(key)
        if sql is None:
            if len(self._spelled) >= _KEPT:
                self._spelled.clear()
            sql = self._spelled[key] = spell(rows.condition, self._model, self._way)
        return sql, rows.values


class _Rules:
    """The rules of one catalogue, with what was worked out of them for each model."""

    def __init__(self, rules: Iterable[Covering]) -> None:
        self.rules = tuple(rules)
        self.guards: dict[Any, tuple[_Guard, ...]] = {}

    def find(self, model: Any) -> tuple[_Guard, ...]:
        covering = [each for each in self.rules if each.covers(model)]
        found = [_Guard(each.rule, model, self._way(each, model)) for each in covering]
        if meta_of(model).thirdparty and not any(self._way(each, model) for each in covering):
            # The module that knows who sees which third parties is missing: that opens nothing
            found.append(_Guard(for_administrators, model, ""))
        self.guards[model] = tuple(found)
        return self.guards[model]

    def _way(self, rule: Covering, model: Any) -> str:
        """What ``{thirdparty}`` stands for in a rule of all models that say to whom their rows belong."""
        is_general = isinstance(rule, RowRule) and rule.covered == THIRDPARTY
        return str(meta_of(model).thirdparty) if is_general else ""


_rules = InForce(_Rules(()))


def use_rules(rules: Iterable[Covering]) -> None:
    """Put the row rules of a catalogue in force."""
    _rules.value = _Rules(rules)


def row_rule(model: Any) -> Condition | None:
    """What the rows of a model, as the table `t`, must meet for the current caller; None: the caller sees all.

    :param model: a `Model`
    """
    caller = current_caller()
    if caller is None:
        return None
    rules = _rules.value
    guards = rules.guards.get(model)
    if guards is None:
        guards = rules.find(model)
    if not guards:
        return None
    if caller is ANONYMOUS:
        return NOTHING
    found = None
    for guard in guards:
        rows = guard.rule(caller)
        if rows is not ALL_ROWS:
            condition = guard.spelled(rows)
            found = condition if found is None else all_of((found, condition))
    return found


def all_of(conditions: Iterable[Condition]) -> Condition:
    """The condition that all of some hold."""
    sql: list[str] = []
    params: list[Any] = []
    for text, values in conditions:
        sql.append(f"({text})")
        params += values
    return " AND ".join(sql) or ALL[0], tuple(params)


def sees_all(model: type[Model]) -> bool:
    """Whether no row of a model is hidden from the caller."""
    return row_rule(model) is None
