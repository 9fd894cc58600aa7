"""The docstring reader: each annotation, and the traps of docstring-parser."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.access.callers import Permission
from core.contract.annotations import Annotation, AnnotationError, ParameterNote, read_annotation
from tests.core.contract.notes import note

SPEND = """Spend points from a card.

        :url: POST {id}/spend
        :param points: how many to take off {@min 1}
        :raises Refused: the card holds fewer points
        :permission: loyaltycards.write
        """


def test_the_design_s_example_is_read_whole():
    assert read_annotation(SPEND) == Annotation(
        summary="Spend points from a card.",
        urls=(("POST", "{id}/spend"),),
        parameters={"points": ParameterNote("points", "how many to take off", minimum=Decimal(1))},
        raises=(("Refused", "the card holds fewer points"),),
        permission="loyaltycards.write",
    )


@pytest.mark.parametrize("nothing", [None, "", "   \n  \n"])
def test_no_docstring_says_nothing(nothing):
    assert read_annotation(nothing) == Annotation()


def test_limits_of_the_list_method():
    found = read_annotation(
        """List cards, oldest first.

        :param sqlfilters: conditions such as (t.number:like:'4%')
        :param limit: cards per page {@min 1} {@max 1000}
        :param page: page number, from 0 {@min 0}
        """
    ).parameters
    assert list(found) == ["sqlfilters", "limit", "page"]
    assert found["sqlfilters"].text == "conditions such as (t.number:like:'4%')"
    assert (found["limit"].minimum, found["limit"].maximum, found["limit"].text) == (1, 1000, "cards per page")
    assert (found["page"].minimum, found["page"].maximum) == (0, None)


def test_summary_is_the_first_paragraph_on_one_line_and_the_rest_keeps_its_paragraphs():
    found = read_annotation(
        "First line\n    goes on.\n\n    Second\n    paragraph.\n\n\n    Third:\n\n        code\n    "
    )
    assert found.summary == "First line goes on."
    assert found.description == "Second\nparagraph.\n\nThird:\n\n    code"


def test_at_style_is_the_same_as_fields():
    at_style = """Read one.

        @url GET {id}
        @url post /:id/lines/
        @param int $id the row {@min 1}
        @param   string   name   the name
        @param $plain no type
        @param array|null $lines some lines
        @param {int} count how many
        @throws RestException 404 no such row
        @throws 401 not allowed
        @throws RestException
        @throws NotFound gone
        @return array the row
        @status 201
        @access protected
        @package Core
        @author Somebody <somebody@example.org>
        @see Other::thing()
        @class DolibarrApiAccess {@requires user,external}
        """
    fields = """Read one.

        :url: GET {id}
        :url: POST {id}/lines
        :param int id: the row {@min 1}
        :param string name: the name
        :param plain: no type
        :param array|null lines: some lines
        :param int count: how many
        :raises 404: no such row
        :raises 401: not allowed
        :raises RestException:
        :raises NotFound: gone
        :returns: array the row
        :status: 201
        :access: protected
        """
    found = read_annotation(at_style)
    assert found == read_annotation(fields)
    assert found.urls == (("GET", "{id}"), ("POST", "{id}/lines"))
    assert found.parameters["id"] == ParameterNote("id", "the row", "int", Decimal(1))
    assert {name: one.type_name for name, one in found.parameters.items()} == {
        "id": "int",
        "name": "string",
        "plain": None,
        "lines": "array|null",
        "count": "int",
    }
    assert found.raises == (("404", "no such row"), ("401", "not allowed"), ("RestException", ""), ("NotFound", "gone"))
    assert (found.returns, found.status, found.access) == ("array the row", 201, "protected")
    assert found.description == ""


@pytest.mark.parametrize(
    ("line", "name", "type_name", "text"),
    [
        ("@param id the row", "id", None, "the row"),
        ("@param id", "id", None, ""),
        ("@param int id", "id", "int", ""),
        ("@param ?Card $card costs $5", "card", "?card", "costs $5"),
        ("@param array<int, string> $x text", "x", "array<int,string>", "text"),
        ("@param int[] ids text", "ids", "int[]", "text"),
        ("@param string $x: with a colon", "x", "string", "with a colon"),
        (":param Int x: text", "x", "int", "text"),
        (":param dict[str, int] x: text", "x", "dict[str,int]", "text"),
        (":param x: text\n:type x: int", "x", "int", "text"),
        (":Parameter x: text", "x", None, "text"),
    ],
)
def test_name_type_and_text_of_a_parameter(line, name, type_name, text):
    assert read_annotation(line).parameters == {name: ParameterNote(name, text, type_name)}


def test_a_continuation_belongs_to_its_field_also_when_it_starts_with_a_tag():
    found = read_annotation(
        """Summary.

        @param int $a first
            {@min 1}
        {@max 5} last
        :param b: text
          goes on
        @see elsewhere
            and there {@min 4}
        :returns: a
            row
        """
    )
    assert found.parameters["a"] == ParameterNote("a", "first last", "int", Decimal(1), Decimal(5))
    assert found.parameters["b"] == ParameterNote("b", "text goes on")
    assert found.returns == "a row"
    assert found.description == ""


def test_text_after_an_empty_line_is_description_and_not_the_last_field():
    found = read_annotation("Sum.\n\n    :param x: text\n\n    Later text.\n    More.\n\n    :returns: y\n    ")
    assert found.parameters["x"].text == "text"
    assert found.description == "Later text.\nMore."
    assert found.returns == "y"


def test_unknown_fields_are_ignored_with_what_continues_them():
    found = read_annotation("Sum.\n\n    :since: 3.0\n        and on\n    :var int x: y\n    :status: 204\n    ")
    assert found == Annotation(summary="Sum.", status=204)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        (":permision: cards.spend", "permission"),
        (":acess: public", "access"),
        (":parm int id: row", "param"),
        (":urls: GET {id}", "url"),
        (":return_: x", "return"),
        ("@permisson cards.spend", "permission"),
        (":raise_s NotFound: none", "raises"),
    ],
)
def test_a_known_field_written_wrongly_is_refused(line, meant):
    with pytest.raises(AnnotationError, match=f"did you mean '{meant}'"):
        read_annotation(f"Sum.\n\n    {line}\n    ")


@pytest.mark.parametrize(
    "line", [":rtype: int", ":vartype x: int", ":meta private:", ":since: 3.0", ":ivar x: y", "@author me"]
)
def test_fields_of_others_are_passed_over(line):
    assert read_annotation(f"Sum.\n\n    {line}\n    ") == Annotation(summary="Sum.")


def test_a_mark_of_literal_text_is_text():
    found = read_annotation("Sum.\n\n    As in\n\n    ::\n\n        curl /cards\n\n    :status: 204\n    ")
    assert found.description == "As in\n\n::\n\n    curl /cards"
    assert found.status == 204


def test_an_example_stands_in_the_parameters_line():
    assert note("a mode {@min 1} {@example 12}").example == "12"
    assert note("a mode {@min 1} {@example 12}").text == "a mode"


def test_a_line_that_starts_with_a_role_is_text():
    assert read_annotation("Sum.\n\n    See\n    :class:`Card` there.\n    ").description == "See\n:class:`Card` there."
    assert note("filter as in\n        :like:'4%'").text == "filter as in :like:'4%'"


@pytest.mark.parametrize(
    "line",
    [
        ":word",
        ":",
        ": text",
        ":param broken",
        ":param: text",
        "@param",
        ":param 1x: text",
        ":raises: text",
        "@throws",
        ":raises A B: text",
        ":url GET {id}",
        ":url GET: {id}",
        ":type: int",
        ":permission:",
        ":rights: spend,,block",
        "@url",
    ],
)
def test_a_line_that_is_no_field_is_refused_by_name(line):
    with pytest.raises(AnnotationError) as raised:
        read_annotation(f"Sum.\n\n    {line}\n    :returns: x\n    ")
    assert repr(line) in str(raised.value)
    assert "expected" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GET {id}", ("GET", "{id}")),
        ("get /{id}/", ("GET", "{id}")),
        ("Patch :id/lines/:line_id", ("PATCH", "{id}/lines/{line_id}")),
        ("PATCH files/*", ("PATCH", "files/*")),
        ("PUT   a", ("PUT", "a")),
        ("DELETE a:b", ("DELETE", "a:b")),
    ],
)
def test_url(text, expected):
    assert read_annotation(f":url: {text}").urls == (expected,)


@pytest.mark.parametrize("text", ["FETCH {id}", "GET", "{id}", "GET a b", "GET {id", "GET {a b}", "GET {}", ""])
def test_url_that_is_refused(text):
    with pytest.raises(AnnotationError):
        read_annotation(f":url: {text}")


def test_fields_of_the_answer():
    found = read_annotation(
        """Sum.

        :status: 201
        :header: X-One: a: b
        :header: X-Two: 2
        :cache: max-age=60, private
        :expires: 3600
        :access: Hybrid
        :rights: spend, block
        :permission:  cards.read   and
            cards.write
        :deprecated: v1.2 use the other
        :idempotency: secret
        """
    )
    assert found == Annotation(
        summary="Sum.",
        status=201,
        headers=(("X-One", "a: b"), ("X-Two", "2")),
        cache="max-age=60, private",
        expires=3600,
        access="hybrid",
        rights=("spend", "block"),
        permission="cards.read and cards.write",
        deprecated="v1.2 use the other",
        idempotency="secret",
    )


def test_deprecated_without_text_is_not_the_same_as_none():
    assert read_annotation(":deprecated:").deprecated == ""
    assert read_annotation("Sum.").deprecated is None


@pytest.mark.parametrize(
    "line",
    [
        ":access: everybody",
        ":status: ok",
        ":status: 404",
        ":status: 2000",
        ":expires: soon",
        ":expires: -1",
        ":expires: " + "9" * 5000,
        ":header: no value",
        ":header: Content-Type: text/html",
        ":header: content-type: text/html",
        ":body: 0",
        ":body: 16 kB",
        ":body: -1",
        ":header: X-Name: naïve",
        ":cache: é",
        ":permission: a\n:permission: b",
        ":idempotency: sometimes",
        ":idempotency: secret\n:idempotency: apart",
        ":access: public\n@access private",
        ":param x: a\n:param x: b",
    ],
)
def test_value_that_is_refused(line):
    with pytest.raises(AnnotationError, match="expected"):
        read_annotation(line)


FRAGMENTS = (
    ":~::~@~{~}~{@~\n~\n\n~\r\n~ ~    ~\t~\x0b~\x1c~\u2028~/~$~(?i)~`~(~[~]~*~é~\\~?~<~>~int~x~9~404~a|b"
    "~:param ~@param ~@throws ~@url GET ~:url:~:raises 404:~:type x:~:rtype: int~:key:~RestException ~defaults to "
    "~:returns a b:~:yields:~:deprecated:~:status:~:header: A: b~:expires:~:rights:~:cache:"
    "~{@min ~{@max ~{@choice a,b}~{@pattern /~/i}~{@type ~{@from "
)


@given(
    st.one_of(
        st.text(),
        st.lists(st.one_of(st.sampled_from(FRAGMENTS.split("~")), st.text(max_size=2)), max_size=25).map("".join),
    )
)
@example(":param x: {@pattern /(?L)a/}")
@example(":param x: {@pattern /" + "(" * 5000 + ")" * 5000 + "/}")
@example(":param x: {@pattern /a{" + "9" * 5000 + "}/}")
@example(":param a\u2028b:")
@example(":\x1c:")
def test_no_text_raises_anything_but_an_annotation_error(text):
    try:
        found = read_annotation(text)
    except AnnotationError:
        return
    assert "\n" not in found.summary
    assert all(not template.startswith("/") and not template.endswith("/") for _, template in found.urls)


@given(
    st.lists(st.sampled_from(["Sum.", ":param x: t {@min 1}", "    goes on", "@see a", "", "  Text"]), max_size=8),
    st.sampled_from(["    ", "\t", ""]),
)
def test_a_limit_is_never_lost_by_what_stands_around_it(lines, indent):
    text = "\n".join(
        indent + line for line in ["Sum.", "", *(x for x in lines if "param" not in x), "@param $x {@min 1}"]
    )
    assert read_annotation(text).parameters["x"].minimum == 1


@given(
    st.lists(
        st.sampled_from(["cards.read", "cards.write", "users.read", "spend", "and", "or", "\n", ".", ",", "²"]),
        max_size=8,
    )
)
@example([])
def test_no_permission_asks_for_nothing(words):
    for service in ("", "cards"):
        try:
            permission = Permission.parse(" ".join(words), service)
        except ValueError:
            continue
        assert permission.alternatives
        assert all(permission.alternatives)
        assert all(right.isascii() and right.count(".") == 1 for right in permission.rights)
