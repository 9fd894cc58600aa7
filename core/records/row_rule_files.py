"""What a module's ``rows.py`` gives: rules, tried before they are asked; one that closes while it cannot be loaded."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from ..access.callers import Caller
from ..storage.model import Model, meta_of
from .row_rules import ALL_ROWS, NO_ROWS, THIRDPARTY, RowRule, Rows, Rule, for_administrators, spell

#: callers that nobody is: a rule answers for each of them before it is asked for the first time
_TRIALS = (
    Caller(1, "internal", rights=frozenset()),
    Caller(1, "external", socid=1, rights=frozenset()),
    Caller(1, "administrator", admin=True, rights=frozenset()),
)


def read_rules(table: Any) -> list[RowRule]:
    """The rules of a table `RULES`.

    :raises ValueError: one of them cannot be used; says which, and why
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
            raise ValueError(f"{name}: expected Rows, ALL_ROWS or NO_ROWS, got {rows!r:.80}")
        if rows is ALL_ROWS or rows is NO_ROWS:
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
    """What stands for a file of rules that cannot be loaded: what it might cover is seen by administrators alone.

    :param module: the module that it lies in, whose models it covers; empty: none of them
    :param words: what its text names
    """

    module: str
    words: frozenset[str]

    def covers(self, model: Any) -> bool:
        """Whether the file may have covered a model."""
        if THIRDPARTY in self.words and meta_of(model).thirdparty:
            return True
        lineage = [each for each in model.__mro__ if issubclass(each, Model) and each is not Model]
        return any(each.__name__ in self.words or _module_of(each) == self.module for each in lineage)

    @property
    def rule(self) -> Rule:
        """Who may mend the file has to see what is there."""
        return for_administrators


def _module_of(model: type[Model]) -> str:
    """The module folder that a model lies in; a name that no folder has for one of `core`."""
    parts = model.__module__.split(".")
    return parts[1] if parts[0] == "modules" and len(parts) > 1 else "core."


def words_of(text: str) -> frozenset[str]:
    """The names in a file of rules, which need not be Python; without those in comments where it is."""
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
