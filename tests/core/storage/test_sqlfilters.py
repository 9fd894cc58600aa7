"""The filter language: what is understood, what it means, what is refused."""

import pytest

from core.storage.sqlfilters import And, Criterion, Not, Or, Value, parse
from tests.core.storage.filters import MARIADB, POSTGRESQL, found, refusal, sql


def criterion(text):
    node = parse(text)
    assert isinstance(node, Criterion)
    return node


def bound(text):
    _, parameters = sql(text)
    assert len(parameters) == 1
    return parameters[0]


def test_tree():
    pattern = Criterion("t.ref", "like", (Value("PR%", True),), 2)
    one = Criterion("t.fk_statut", "=", (Value("1", False),), 26)
    two = Criterion("t.fk_statut", "=", (Value("2", False),), 47)
    assert parse("(t.ref:like:'PR%') and ((t.fk_statut:=:1) or (t.fk_statut:=:2))") == And((pattern, Or((one, two))))


def test_and_binds_tighter_than_or():
    node = parse("(a:=:1) or (b:=:2) AND (c:=:3) Or (d:=:4)")
    assert isinstance(node, Or)
    assert [type(part) for part in node.parts] == [Criterion, And, Criterion]


def test_not_binds_tightest():
    node = parse("not(a:=:1) and NOT ((b:=:2) or not (c:=:3))")
    assert isinstance(node, And)
    assert isinstance(node.parts[0], Not)
    assert isinstance(node.parts[1], Not)
    assert isinstance(node.parts[1].part, Or)


def test_redundant_parentheses_and_spaces():
    node = criterion(" ( (\n( \tt.NOM : Not  Like : 'x' ) ) ) ")
    assert (node.field, node.operator, node.values) == ("t.nom", "notlike", (Value("x", True),))
    assert isinstance(parse("(a:=:1)and(b:=:2)or(c:=:3)"), Or)
    assert isinstance(parse("(not (not (a:=:1)))"), Not)


def test_bare_criterion():
    assert criterion("t.ref:=:'x'").values == (Value("x", True),)
    assert criterion(" rowid:in:(1, 2) ").values == (Value("1", False), Value("2", False))
    assert criterion("ref:in:'a','b'").values == (Value("a", True), Value("b", True))
    assert criterion("t.datec:>:2030-01-01 10:10:10").values == (Value("2030-01-01 10:10:10", False),)
    refusal("t.ref:=:'x' and (t.nom:=:'y')")
    refusal("t.ref:=:'x' or t.nom:=:'y'")
    refusal("t.ref:=:'x') or (t.nom:=:'y'")


def test_fields():
    assert criterion("(Nom:=:1)").field == "t.nom"
    assert criterion("(EF.Colour:=:1)").field == "ef.colour"
    assert criterion("(te.x:=:1)").field == "te.x"
    assert criterion("(not:=:1)").field == "t.not"
    assert criterion("(or:=:1)").field == "t.or"
    assert criterion("(1:=:1)").field == "t.1"


def test_null():
    assert sql("(nom:is:NULL)") == ('(t."nom" IS NULL)', ())
    assert sql("(rowid:is not: null )") == ('(t."rowid" IS NOT NULL)', ())
    assert sql("(nom:isnot:'NULL')") == ('(t."nom" IS NOT NULL)', ())
    assert bound("(nom:=:'NULL')") == "NULL"
    assert "use 'is' or 'isnot'" in refusal("(nom:=:NULL)")
    assert "use 'is' or 'isnot'" in refusal("(nom:in:1,null)")
    assert "expected NULL after 'is', got \"1\"" in refusal("(nom:is:1)")


def test_dialects():
    text = "(nom:like:'a%') and (rowid:notlike:1%) and (rowid:in:1,2)"
    postgresql, parameters = sql(text, POSTGRESQL)
    assert postgresql == (
        '((NOT CAST(t."rowid" AS TEXT) COLLATE "C" ILIKE %s) AND (t."nom" COLLATE "C" ILIKE %s) '
        'AND (t."rowid" IN (%s, %s)))'
    )
    assert parameters == ("1%", "a%", 1, 2)
    # In Unicode, other characters than these have the same lower case as an `i`, `k` or `é`
    for pattern in ("FI", "fk", "é"):
        assert sql(f"(nom:like:'{pattern}')", POSTGRESQL)[0] == '(t."nom" ILIKE %s)'
    mariadb, _ = sql(text, MARIADB)
    assert '(NOT LOWER(CAST(t."rowid" AS CHAR) COLLATE' in mariadb
    assert "%" not in mariadb.replace("%s", "")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("''", ""),
        ("'x'", "x"),
        ("' x '", " x "),
        ("'(PROV8)'", "(PROV8)"),
        ("'a:b:c'", "a:b:c"),
        ("'a\\'", "a\\"),
        ("'O''Brien'", "O'Brien"),
        ("'O'Brien'", "O'Brien"),
        ("''''", "'"),
        ("'a, 'b', c'", "a, 'b', c"),
        ("'x') and (nom:=:'y'", None),
        ("'x'') and (nom:=:''y'", "x') and (nom:=:'y"),
        ("'x' ", "x"),
        (" x y ", "x y"),
        ("a@b.example", "a@b.example"),
        ("2030-01-01 10:10:10", "2030-01-01 10:10:10"),
        ("-1.5", "-1.5"),
        ("'é\n;--'", "é\n;--"),
    ],
)
def test_values(written, value):
    if value is None:
        assert isinstance(parse(f"(nom:=:{written})"), And)
    else:
        assert bound(f"(nom:=:{written})") == value


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("1,2,3", ("1", "2", "3")),
        (" ( 1 , 2 ) ", ("1", "2")),
        ("'A','B'", ("A", "B")),
        ("('A', 'B')", ("A", "B")),
        ("'a,b','(c)'", ("a,b", "(c)")),
        ("'O'Brien','O''Hara'", ("O'Brien", "O'Hara")),
        ("'',x", ("", "x")),
    ],
)
def test_lists(written, values):
    assert sql(f"(nom:in:{written})")[1] == values


def test_reading():
    assert bound("(rowid:=:'12')") == 12
    assert bound("(datec:>:2030-01-01)") == "2030-01-01 00:00:00"
    assert refusal("(t.datec:>:abc)") == 'Bad filter at position 2: `t.datec`: expected a date, got "abc"'
    assert '`t.rowid`: expected a whole number, got "x"' in refusal("(nom:=:1) or (rowid:in:1,x)")
    assert bound("(rowid:like:x)") == "x"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("(t.ref:like:'PR%') and ((t.fk_statut:=:1) or (t.fk_statut:=:2))", [1, 3]),
        ("(nom:like:'alpha')", [1]),
        ("(nom:like:'100\\% sure')", [4]),
        ("(nom:notlike:'100%')", [1, 2]),
        ("(ref:like:'back\\\\slash')", [5]),
        ("(rowid:like:'1%')", [1]),
        ("(ref:=:'(PROV2)')", [2]),
        ("(ref:=:'a:b')", [4]),
        ("(nom:=:'O'Brien')", [2]),
        ("(nom:=:'O''Brien')", [2]),
        ("(rowid:in:1,3,9)", [1, 3]),
        ("(ref:in:('(PROV2)','a:b'))", [2, 4]),
        ("(rowid:not in:1,3)", [2, 4, 5]),
        ("(rowid:NOTIN:1,3)", [2, 4, 5]),
        ("(rowid:<:3)", [1, 2]),
        ("(rowid: <= :3)", [1, 2, 3]),
        ("(rowid:> =:4)", [4, 5]),
        ("(rowid:>:4)", [5]),
        ("(rowid:!=:2)", [1, 3, 4, 5]),
        ("(rowid:Not Like:1%)", [2, 3, 4, 5]),
        ("(nom:is:NULL)", [3]),
        ("(datec:isnot:NULL)", [1, 2, 4]),
        ("(datec:>=:2025-06-01 12:00:00)", [2, 4]),
        ("(nom:<>:'Alpha')", [2, 4, 5]),
        ("not (nom:=:'Alpha')", [2, 4, 5]),
        ("not (nom:=:'Alpha') or (nom:is:NULL)", [2, 3, 4, 5]),
        ("not (not (nom:=:'Alpha'))", [1]),
        ("not ((nom:=:'Alpha') or (rowid:>:3))", [2]),
        ("not ((nom:=:'Alpha') and (rowid:>:3))", [1, 2, 3, 4, 5]),
        ("(rowid:=:1) or (rowid:=:2) and (rowid:=:3)", [1]),
        ("((rowid:=:1) or (rowid:=:2)) and (rowid:=:2)", [2]),
        ("(ef.colour:=:red) and (rowid:!=:1)", [4]),
    ],
)
def test_meaning(database, text, rows):
    assert found(database, text) == rows


def test_or_does_not_widen_the_rule_before_it(database):
    assert found(database, "(rowid:>:0) or (rowid:<:9)", "t.rowid = 2") == [2]
    assert found(database, "not (rowid:=:9)", "t.rowid = 2") == [2]


@pytest.mark.parametrize(
    "shape", ["(rowid:=:9) or ({})", "(rowid:=:1) and ({})", "not ((rowid:=:9) or {})", "not ({})"]
)
def test_deepest_filters_run(database, shape):
    """SQLite's parser before 3.46 fails on more than 100 open symbols."""
    text = "(rowid:=:1)"
    for _ in range(49):
        text = shape.format(text)
    assert found(database, text) in ([1], [2, 3, 4, 5])


def test_alternating_depth_runs(database):
    text = "(rowid:=:1)"
    for level in range(48):
        text = f"(rowid:{'<' if level % 2 else '>'}:9) {'and' if level % 3 else 'or'} not ({text})"
    found(database, text)
    wide = " or ".join(["(rowid:=:1)"] * 200)
    assert found(database, wide) == [1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Bad filter at position 1: expected a criterion (field:operator:value), got the end of the filter"),
        (" \n", "Bad filter at position 3: expected a criterion (field:operator:value), got the end of the filter"),
        ("()", 'Bad filter at position 2: expected a criterion (field:operator:value), got ")"'),
        ("rowid=2", 'Bad filter at position 1: expected a criterion (field:operator:value), got "rowid=2"'),
        ("(t.nom:=:1", "Bad filter at position 11: expected ')', got the end of the filter"),
        ("(t.nom:=:1))", "Bad filter at position 12: expected 'and', 'or' or the end of the filter, got \")\""),
        (
            "(t.nom:=:1) (t.nom:=:2)",
            "Bad filter at position 13: expected 'and', 'or' or the end of the filter, got \"(\"",
        ),
        ("(t.nom:=:1) and", "Bad filter at position 16: expected '(', got the end of the filter"),
        ("(t.nom:=:1) and t.nom:=:2", "Bad filter at position 17: expected '(', got \"t\""),
        ("(t.nom)", "Bad filter at position 7: expected ':', got \")\""),
        ("(t.nom:=)", "Bad filter at position 9: expected ':', got \")\""),
        ("(t.nom:=:)", 'Bad filter at position 10: expected a value, got ")"'),
        ("(t.nom:in:())", 'Bad filter at position 12: expected a value, got ")"'),
        ("(t.nom:in:1,)", 'Bad filter at position 13: expected a value, got ")"'),
        ("(t.nom:=:'x)", "Bad filter at position 10: the closing quote of this value is missing"),
        ("(t.nom:=:O'Brien)", "Bad filter at position 11: expected ')', got \"'\""),
        ("(t.nom:=:a;b)", 'Bad filter at position 10: expected quotes around this value, got "a;b"'),
        ("(t.x:=:1)", "Bad filter at position 2: unknown field 't.x'"),
        ("(t.nom:=:1) or (pass:=:1)", "Bad filter at position 17: unknown field 't.pass'"),
        (
            "(t.nom:like:'a\\')",
            "Bad filter at position 13: the pattern ends with a single backslash; double it",
        ),
        ("(t.nom:=:'a\0')", "Bad filter at position 12: the character '\\x00' is not allowed"),
        ("(t.nom:=:'\ud800')", "Bad filter at position 11: the character '\\ud800' is not allowed"),
    ],
)
def test_messages(text, message):
    assert refusal(text) == message


def test_unknown_operator():
    assert refusal("(t.ref:  foo :1)").startswith("Bad filter at position 10: expected an operator (=, <,")
    assert refusal("(t.ref:foo:1)").endswith(', got "foo"')
    assert len(refusal(f"(t.ref:{'x' * 5000}:1)")) < 250


def test_pattern_backslashes():
    assert bound("(nom:like:'a\\\\')") == "a\\\\"
    refusal("(nom:notlike:'a\\\\\\')")
    assert bound("(nom:=:'a\\')") == "a\\"


def test_limits():
    """Those of a request are in tests/test_limits.py; here is what would be deep or long."""
    assert "expected a filter of at most 10000 characters" in refusal("(nom:=:'" + "x" * 100_000 + "')")
    assert bound("(" * 50 + "nom:=:1" + ")" * 50) == "1"
    assert "more than 50 levels deep" in refusal("(" * 10_000)
    refusal("(" * 10_000 + "nom:=:1" + ")" * 10_000)
    refusal("not (" * 2000)
    refusal("not " * 2500)
    assert bound("(nom:like:'" + "%a" * 8 + "\\%')") == "%a" * 8 + "\\%"


def test_secret_field_answers_as_an_unknown_one():
    """Even where the value or the operator would not fit the secret column."""
    for rest in (":like:'a%'", ":=:abc", ":is:NULL", ":in:1,2"):
        secret = refusal(f"(t.pass_crypted{rest})")
        assert secret.replace("pass_crypted", "nothing_here") == refusal(f"(t.nothing_here{rest})")
    for field in ("t.user.api_key", "t.__class__", "..", "t.", ".nom", "x.nom"):
        assert "unknown field" in refusal(f"({field}:=:1)")
