"""No text of a filter reaches the SQL: attacks that are known, and any text at all."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.common.errors import BadRequest
from core.storage.sqlfilters import And, Criterion, Not, parse, render
from tests.attacks.corpus import FILTERS, VALUES
from tests.core.storage.filters import COLUMNS, POSTGRESQL, SQLITE, found, refusal, sql

#: on a column of text, which reads any value that isn't refused before
OF_TEXT = (
    "(t.nom:like:'%a%a%a%a%a%a%a%a%a')",
    "(t.nom:=:%27 or 1=1)",
    "(t.nom:=;:1)",
    "(t.nom:=:'a\0b')",
    "(t.nom:=:a\0b)",
)


@pytest.mark.parametrize("text", [*FILTERS, *OF_TEXT], ids=lambda text: text[:40])
def test_attacks_are_refused(text):
    refusal(text)


@pytest.mark.parametrize("value", [*VALUES, "1 -- x"])
def test_attacks_inside_a_value_are_data(database, value):
    quoted = value.replace("'", "''")
    for text in (f"(t.nom:=:'{quoted}')", f"t.nom:=:'{quoted}'", f"(t.nom:=:{value})" if value.isalnum() else ""):
        if text:
            assert sql(text) == ('(t."nom" = ?)', (value,))
            assert sql(text, POSTGRESQL) == ('(t."nom" = %s)', (value,))
            assert found(database, text) == []


ALLOWED = re.compile(
    r"""(?:t\."(?:rowid|nom|ref|fk_statut|datec)"|ef\."colour"|CAST\(|\ AS\ TEXT\)|IS\ NULL|IS\ NOT\ NULL|NOT\ LIKE|LIKE
    |NOT\ IN|IN|NOT|AND|OR|ESCAPE\ '\\'|<=|>=|<>|[=<>?(),\ ])*""",
    re.VERBOSE,
)
PIECES = [
    *("(", ")", ":", "'", ",", " ", "''", "\\", "%", "and", " or ", "not ", "=", "like", "in", "is", "NULL", "notin"),
    *("t.nom", "rowid", "ef.colour", "1", "2030-01-01", "x", "(nom:=:'a')", "(rowid:in:1,2)", "(datec:is:NULL)", "--"),
]


def check_any(text):
    try:
        node = parse(text)
        rendered, parameters = render(node, COLUMNS, SQLITE)
    except BadRequest as error:
        assert error.errors == [("sqlfilters", error.message)]
        return
    assert ALLOWED.fullmatch(rendered)
    assert rendered.count("?") == len(parameters)
    assert rendered.startswith("(")
    assert rendered.endswith(")")
    other, again = render(node, COLUMNS, POSTGRESQL)
    assert other.count("%s") == other.count("%") == len(again)


@given(st.text())
@example("(" * 10_000)
@example("(t.nom:=:'" + "' " * 4000)
@example(" " * 10_000)
@example("(" + " " * 9000)
def test_any_text(text):
    check_any(text)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=30).map("".join))
def test_any_pieces(text):
    check_any(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200))
@example("'")
@example("') or ('")
@example("\\")
@example(" ' ) ")
def test_any_quoted_value_is_bound_as_it_is(value):
    written = "'" + value.replace("'", "''") + "'"
    assert sql(f"(t.nom:=:{written})") == ('(t."nom" = ?)', (value,))
    assert sql(f"t.nom:=:{written}") == ('(t."nom" = ?)', (value,))
    assert sql(f"(t.nom:in:{written},{written})") == ('(t."nom" IN (?, ?))', (value, value))


CRITERIA = st.sampled_from(
    ["(nom:=:'Alpha')", "(nom:<>:'Alpha')", "(datec:is:NULL)", "(rowid:in:1,2)", "(ref:like:'PR%')"]
)
FILTERS = st.recursive(
    CRITERIA,
    lambda inner: (
        inner.map("not ({})".format)
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(" + ") and (".join(parts) + ")")
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(" + ") or (".join(parts) + ")")
    ),
    max_leaves=12,
)


def plainly(node):
    """The tree written out as it stands, to compare with."""
    if isinstance(node, Criterion):
        return render(node, COLUMNS, SQLITE)
    if isinstance(node, Not):
        text, parameters = plainly(node.part)
        return f"(NOT {text})", parameters
    parts = [plainly(part) for part in node.parts]
    joint = " AND " if isinstance(node, And) else " OR "
    return f"({joint.join(text for text, _ in parts)})", sum((values for _, values in parts), ())


@given(FILTERS)
def test_moving_not_down_keeps_the_meaning(database, text):
    where, parameters = plainly(parse(text))
    rows = database.execute(f"SELECT t.rowid FROM t WHERE {where} ORDER BY t.rowid", parameters)
    assert found(database, text) == [row[0] for row in rows]
