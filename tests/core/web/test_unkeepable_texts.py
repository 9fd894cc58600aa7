"""Characters that no file can hold, and numbers that nobody can write out: refused wherever they come in."""

import base64
import json
from urllib.parse import quote

import pytest

NOT_KEPT = {
    "\x00": "U+0000",
    "\x01": "U+0001",
    "\x0b": "U+000B",
    "\x1f": "U+001F",
    "\ufffe": "U+FFFE",
    "\uffff": "U+FFFF",
}
KEPT = "tab\tfeed\nreturn\rnext"


def refused(client, verb, path, content, kind="application/json"):
    """The error of a call that is answered 400."""
    body = json.dumps(content) if kind == "application/json" and not isinstance(content, (str, bytes)) else content
    answer = client.simulate_request(verb, path, body=body, headers={"Content-Type": kind} if content else {})
    assert answer.status_code == 400, f"{verb} {path} -> {answer.status_code} {answer.text[:300]}"
    return answer.json["error"]


@pytest.mark.parametrize("character", [*NOT_KEPT, "\ud800"])
def test_a_body_of_json_names_field_and_character(admin, character):
    code = NOT_KEPT.get(character, "U+D800")
    reason = f"expected text without the character {code}"
    sent = [
        ("POST", "/thirdparties", {"name": f"A{character}"}, "name"),
        ("POST", "/thirdparties", {"name": "A", "array_options": {"options_x": character}}, "array_options.options_x"),
        ("POST", "/products", {"ref": "A", "label": f"{character} at its beginning"}, "label"),
        ("POST", "/proposals", {"socid": 1, "lines": [{"desc": "x"}, {"desc": character}]}, "lines[1].desc"),
        ("POST", "/users/1/keys", {"label": character}, "label"),
        ("PUT", "/setup/company", {"name": character}, "name"),
        ("PUT", "/setup/conf/MAIN_BANK_NAME", {"value": character}, "value"),
        ("POST", "/setup/extrafields/societe/x", {"type": "varchar", "label": character}, "label"),
        (
            "POST",
            "/documents/upload",
            {"modulepart": "product", "ref": "A", "filename": f"{character}.txt"},
            "filename",
        ),
        ("POST", "/login", {"login": character, "password": "x" * 12}, "login"),
    ]
    for verb, path, body, field in sent:
        error = refused(admin, verb, path, body)
        assert error["errors"][0] == {"field": field, "message": reason}, path
        assert code in error["message"]


@pytest.mark.parametrize("character", NOT_KEPT)
def test_so_do_forms_multipart_bodies_queries_and_paths(admin, character):
    code, sent = NOT_KEPT[character], quote(character)
    form = refused(admin, "POST", "/thirdparties", f"name=A{sent}", "application/x-www-form-urlencoded")
    assert form["errors"] == [{"field": "name", "message": f"expected text without the character {code}"}]
    part = f'--B\r\nContent-Disposition: form-data; name="name"\r\n\r\nA{character}\r\n--B--\r\n'.encode()
    assert refused(admin, "POST", "/thirdparties", part, "multipart/form-data; boundary=B")["errors"] == form["errors"]
    error = refused(admin, "GET", f"/thirdparties?sqlfilters=(t.name:=:'{sent}')", None)
    assert (error["errors"][0]["field"], code in error["message"]) == ("sqlfilters", True)
    error = refused(admin, "GET", f"/products/ref/x{sent}", None)
    assert (error["errors"][0]["field"], code in error["message"]) == ("ref", True)


def test_the_name_of_a_file_in_a_multipart_body(admin):
    head = '--B\r\nContent-Disposition: form-data; name="file"; filename="a\ufffe.txt"\r\n\r\nx\r\n--B--\r\n'
    error = refused(admin, "POST", "/documents/upload", head.encode(), "multipart/form-data; boundary=B")
    assert error["errors"] == [{"field": "file", "message": "expected text without the character U+FFFE"}]


@pytest.mark.parametrize("text", ["\\u0000", "\\ud800", "\\u0001", "9" * 5000])
def test_a_cursor_that_somebody_has_made_up(admin, text):
    admin.ask("POST", "/thirdparties", {"name": "Listed"})
    content = f'[[["t.nom",false],["t.rowid",false]],["{text}","{text}"]]'.encode()
    cursor = base64.urlsafe_b64encode(content).decode().rstrip("=")
    assert "X-Next-Cursor" in admin.refused(
        "GET", "/thirdparties", status=400, params={"sortfield": "t.nom", "after": cursor}
    )


def test_tab_line_feed_and_carriage_return_are_kept(admin):
    identifier = admin.ask("POST", "/thirdparties", {"name": "Kept", "note_public": KEPT})
    assert admin.get(f"/thirdparties/{identifier}")["note_public"] == KEPT


def test_a_map_in_the_query_is_read_in_the_same_way(served_maps):
    def ask(text):
        return served_maps.simulate_get("/maps", params={"wanted": text})

    assert ask('{"a": 1}').json == {"a": 1}
    assert "U+0001" in ask('{"a": "\\u0001"}').json["error"]["message"]
    assert "a number is above 1e400" in ask('{"a": 1e99999999999999999999}').json["error"]["message"]
    assert ask("{" * 9).status_code == 400


def test_texts_of_an_authors_own_parameters(served_maps):
    for path in ("/maps/shout?word=%01", "/maps/shout?words=a,%01", "/maps/shout?day=%01"):
        answer = served_maps.simulate_get(path)
        assert answer.status_code == 400, path
    assert "U+0001" in served_maps.simulate_get("/maps/shout?word=a%01").json["error"]["message"]


@pytest.fixture
def served_maps(serve, write, folder):
    """A module whose methods take a map, and texts."""
    write(
        "maps/class/api_maps.py",
        '"""Maps."""\n\nfrom datetime import date\n\n\nclass Maps:\n    """Maps.\n\n    :access: public\n    """\n\n'
        '    def index(self, wanted: dict) -> dict:\n        """Read."""\n        return wanted\n\n'
        '    def shout(self, word: str = "", words: list[str] = [], day: date | None = None) -> str:\n'
        '        """Shout."""\n        return word.upper()\n',
    )
    served = serve(modules=str(folder))
    return served.client(None)


HUGE = ["1e99999999999999999999", "-1e-99999999999999999999", "1e1000000", "1e401", "9" * 101, "9" * 5000]


@pytest.mark.parametrize("number", HUGE)
def test_a_number_that_nobody_can_write_out_is_400_everywhere(admin, served_number, number):
    as_json = f'{{"a": {number}}}'
    for path in (
        "/login",
        "/thirdparties",
        "/proposals",
        f"/proposals/{served_number}/lines",
        "/users",
        "/setup/company",
    ):
        verb = "PUT" if path == "/setup/company" else "POST"
        assert refused(admin, verb, path, as_json)["message"].startswith(
            "Bad Request: the body can't be read as JSON: a number is "
        )
    # As text it is read like any other
    qty = refused(admin, "POST", "/proposals", {"socid": served_number, "lines": [{"qty": number, "subprice": number}]})
    assert {each["field"] for each in qty["errors"]} >= {"lines[0].qty", "lines[0].subprice"}
    form = refused(admin, "POST", "/products", f"ref=A&label=A&price={number}", "application/x-www-form-urlencoded")
    assert form["errors"][0]["field"] == "price"
    for path in (f"/thirdparties?limit={number}", f"/thirdparties?page={number}", f"/thirdparties/{number}"):
        assert admin.simulate_get(path).status_code == 400, path
    for value in (f"(t.rowid:=:{number})", f"(t.datec:<:'{number}')", f"(t.capital:>:{number})"):
        assert admin.simulate_get("/thirdparties", params={"sqlfilters": value}).status_code == 400, value


@pytest.fixture(scope="module")
def served_number(admin):
    """A third party."""
    return admin.ask("POST", "/thirdparties", {"name": "Counted", "client": 1})


@pytest.mark.parametrize("type_name", ["int", "double", "price", "date", "datetime", "boolean", "link"])
def test_numbers_of_extra_fields(admin, extrafield, type_name):
    extrafield("societe", "counted", type=type_name)
    for number in HUGE:
        sent = {"name": "A", "array_options": {"options_counted": number}}
        error = refused(admin, "POST", "/thirdparties", sent)
        assert error["errors"][0]["field"] == "array_options.options_counted", number
        body = {"type": type_name, "label": "x", "default": number}
        assert refused(admin, "POST", "/setup/extrafields/societe/other", body)["errors"][0]["field"] == "default"
