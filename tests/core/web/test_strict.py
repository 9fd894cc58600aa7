"""Operations that refuse what they do not know, and all others, which ignore it and say so."""

import pytest

DOORS = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Door:
    """A door.

    :param until: when it closes
    """

    who: str
    until: str = ""


class Doors:
    """Open doors.

    :access: public
    """

    def post(self, door: Door, times: int = 1) -> str:
        """Open one.

        :strict: a misspelt end would be none
        """
        return f"{door.who} until {door.until or 'for ever'}"

    def post_one(self, who: list[str]) -> int:
        """Open one for several.

        :strict:
        """
        return len(who)

    def post_lock(self, id: int) -> int:
        """Lock one.

        :url: POST {id}/lock
        :strict:
        """
        return id

    def index(self, who: str = "", limit: int = 5) -> str:
        """Ask who may.

        :strict:
        """
        return who

    def post_loose(self, who: str, until: str = "") -> str:
        """Open one, whatever else is said."""
        return who

    def get_loose(self, who: str = "") -> str:
        """Ask, whatever else is said."""
        return who
'''

ALL = '''
class Gates:
    """Open gates.

    :access: public
    :strict:
    """

    def index(self, who: str = "") -> str:
        """Ask who may."""
        return who
'''


@pytest.fixture
def doors(serve, folder, write, without_natives):
    write("doors/class/api_doors.py", DOORS)
    write("doors/class/api_gates.py", ALL)
    return serve(modules=str(folder), profile_name="dolibarr16").client(None)


def test_what_a_strict_operation_does_not_know_is_refused(doors):
    assert doors.ask("POST", "/doors", {"who": "ada", "until": "noon"}) == "ada until noon"
    said = doors.refused("POST", "/doors", {"who": "ada", "untill": "noon"}, status=400)
    assert said == "Bad Request: `untill` is unknown. Did you mean `until`? Known names: who, until, times"
    said = doors.refused("POST", "/doors", {"who": "ada"}, status=400, params={"untill": "noon"})
    assert said == "Bad Request: `untill` is unknown. Did you mean `until`? Known names: who, until, times"
    assert doors.ask("POST", "/doors", {"who": "ada"}, params={"until": "noon"}) == "ada until noon"
    assert doors.get("/doors", who="ada") == "ada"
    assert "Known names: who, limit" in doors.get("/doors", whom="ada", status=400)["error"]["message"]
    assert "Known names: who" in doors.get("/gates", whom="ada", status=400)["error"]["message"]
    for body, status in ((["a", "b"], 200), ({"who": ["a"]}, 200), ({"whom": ["a"]}, 400), ({"who": [], "x": 1}, 400)):
        doors.ask("POST", "/doors/one", body, status=status)
    assert doors.ask("POST", "/doors/7/lock", {}) == doors.ask("POST", "/doors/7/lock") == 7
    said = doors.refused("POST", "/doors/7/lock", {"until": "noon"}, status=400)
    assert said == "Bad Request: `until` is unknown. Known names: none"


def test_the_key_in_the_url_is_known_where_it_counts(doors):
    assert doors.get("/doors", who="ada", DOLAPIKEY="x", api_key="y") == "ada"


def test_what_another_operation_does_not_know_is_ignored_and_named(doors):
    answer = doors.simulate_post("/doors/loose", json={"who": "ada", "untill": "noon"}, params={"tims": "1"})
    assert (answer.status_code, answer.headers["warning"]) == (
        200,
        '299 comptoir "ignored: tims, untill (did you mean until?)"',
    )
    answer = doors.simulate_get("/doors/loose", params={"whom": "ada"})
    assert (answer.status_code, answer.headers["warning"]) == (200, '299 comptoir "ignored: whom (did you mean who?)"')
    assert "warning" not in doors.simulate_get("/doors/loose", params={"who": "ada", "api_key": "x"}).headers


def test_a_body_of_many_unknown_names_makes_no_long_answer(doors):
    body = {"who": "ada"} | {f"unknown{number}": 1 for number in range(900)}
    answer = doors.simulate_post("/doors", json=body)
    assert (answer.status_code, len(answer.json["error"]["errors"])) == (400, 20)
    assert len(answer.content) < 5000


def test_the_explorer_says_what_is_refused(serve, folder, write):
    write("doors/class/api_doors.py", DOORS)
    document = serve(modules=str(folder)).client().get("/explorer/openapi.json")

    def body_of(path, verb="post"):
        schema = document["paths"][path][verb]["requestBody"]["content"]["application/json"]["schema"]
        return document["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema

    assert body_of("/doors")["additionalProperties"] is False
    assert "additionalProperties" not in body_of("/doors/loose")
    for verb, path in (("post", "/users"), ("put", "/users/{id}"), ("patch", "/users/{id}")):
        schema = body_of(path, verb)
        assert schema["additionalProperties"] is False
        assert schema["properties"]["id"]["readOnly"] is True
        assert "readOnly" not in schema["properties"]["login"]
    # Generated clients reject what the server would ignore; its own page says that it is ignored
    assert body_of("/products")["additionalProperties"] is False
