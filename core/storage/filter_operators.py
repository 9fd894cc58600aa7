"""The operators of the filter language: the parser, the SQL and the generated pages use this table."""

from __future__ import annotations

from dataclasses import dataclass

#: what follows an operator
ONE, NULL, LIST, TWO = "one value", "NULL", "a list", "two values"


@dataclass(frozen=True)
class Operator:
    """An operator: its SQL, and the values it takes."""

    #: the SQL after the column; ``{like}``: the database's operator, ``{values}``: a placeholder for each value
    sql: str
    #: one of `ONE`, `NULL`, `LIST` and `TWO`
    takes: str = ONE
    #: whether the value is a pattern, in which ``%`` and ``_`` stand for other characters
    pattern: bool = False
    #: its description
    meaning: str = ""

    @property
    def orders(self) -> bool:
        """Return whether it compares by order."""
        return self.takes == TWO or (self.sql[0] in "<>" and self.sql[:2] != "<>")

    @property
    def listed(self) -> bool:
        """Return whether it takes several values, separated by commas."""
        return self.takes in (LIST, TWO)


#: the operators, by name in lower case and without spaces
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
