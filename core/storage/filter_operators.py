"""The operators of the filter language, as data: parser, SQL and the pages that list operators read this table.

A further operator is a line here, if its SQL is the column followed by some words and the values.
"""

from __future__ import annotations

from dataclasses import dataclass

#: what an operator takes behind it
ONE, NULL, LIST, TWO = "one value", "NULL", "a list", "two values"


@dataclass(frozen=True)
class Operator:
    """How one operator is written in SQL, and what it takes."""

    #: the SQL after the column; ``{like}``: the database's operator, ``{values}``: a placeholder for each value
    sql: str
    #: one of `ONE`, `NULL`, `LIST` and `TWO`
    takes: str = ONE
    #: whether the value is a pattern, in which ``%`` and ``_`` stand for other characters
    pattern: bool = False
    #: what it is, for people
    meaning: str = ""

    @property
    def orders(self) -> bool:
        """Whether it asks which of two values is the less."""
        return self.takes == TWO or (self.sql[0] in "<>" and self.sql[:2] != "<>")

    @property
    def listed(self) -> bool:
        """Whether it takes several values, separated by commas."""
        return self.takes in (LIST, TWO)


#: operator in small letters and without spaces → what it is
OPERATORS = {
    "=": Operator("= {values}", meaning="equal"),
    "<": Operator("< {values}", meaning="less"),
    ">": Operator("> {values}", meaning="greater"),
    "<=": Operator("<= {values}", meaning="less than or equal to"),
    ">=": Operator(">= {values}", meaning="greater than or equal to"),
    "<>": Operator("<> {values}", meaning="not equal"),
    "!=": Operator("<> {values}", meaning="not equal"),
    "like": Operator("{like} {values}", pattern=True, meaning="matches the pattern"),
    "notlike": Operator("NOT {like} {values}", pattern=True, meaning="doesn't match the pattern"),
    "between": Operator("BETWEEN {values}", TWO, meaning="between two values, inclusive"),
    "in": Operator("IN ({values})", LIST, meaning="in the list"),
    "notin": Operator("NOT IN ({values})", LIST, meaning="not in the list"),
    "is": Operator("IS NULL", NULL, meaning="empty"),
    "isnot": Operator("IS NOT NULL", NULL, meaning="not empty"),
}
