"""An exception that nobody expected: administrators are told where the author's file raised it, and others nothing."""

import logging

import pytest

FALLING = '''
from core import Api, Model, Records, query

from .helping import fall


class Falling(Api):
    """Falls."""

    def help(self) -> int:
        """In another file.

        :access: protected
        """
        return fall({})

    def rows(self) -> int:
        """In the database."""
        return query("SELECT secret_column FROM nowhere")

    def leave(self) -> int:
        """Ends."""
        raise SystemExit(3)

    def strange(self) -> object:
        """Behind the method."""
        return object()

    def open(self) -> int:
        """Fall for anybody.

        :access: public
        """
        raise ZeroDivisionError("no half")

    def unwritten(self) -> object:
        """Return what JSON lacks.

        :access: public
        """
        return object()

    def half(self) -> int:
        """Fall without a key as well.

        :access: hybrid
        """
        raise ZeroDivisionError("no half")

    def post(self, request_data: dict) -> int:
        """Fall for an entry.

        :access: protected
        """
        raise ZeroDivisionError("no half")
'''
HELPING = """
def fall(points):
    return points["private words"]
"""


@pytest.fixture
def served(serve, folder, write):
    write("falling/class/api_falling.py", FALLING)
    write("falling/class/helping.py", HELPING)
    return serve(modules=str(folder))


def error_of(client, path):
    answer = client.simulate_get(path)
    assert answer.status_code == 500, answer.text
    return dict(answer.json["error"])


def line_of(text, words):
    return 1 + text[: text.index(words)].count("\n")


def test_administrators_alone_are_told(served, folder, caplog):
    admin = served.client()
    number = next(each["id"] for each in admin.get("/users") if each["admin"])
    less = admin.ask("POST", f"/users/{number}/keys", {"label": "less", "rights": ["thirdparties.read"]})["key"]
    clerk = served.user("thirdparties.read")
    caplog.set_level(logging.ERROR, "comptoir")
    own, helping = "falling/class/api_falling.py", "falling/class/helping.py"
    for path, file, line, message in (
        ("/falling/help", helping, line_of(HELPING, "return"), "KeyError: 'private words'"),
        ("/falling/rows", own, line_of(FALLING, "return query("), "nowhere"),
        ("/falling/leave", own, line_of(FALLING, "raise SystemExit"), "RuntimeError: the method called sys.exit()"),
    ):
        caplog.clear()
        told = error_of(admin, path)
        raised = told.pop("raised")
        assert (raised["file"], raised["line"]) == (file, line), path
        assert message in raised["message"]
        assert "Traceback" in caplog.text
        for other in (clerk, served.client(less)):
            kept = error_of(other, path)
            words = {"message": "Internal Server Error", "reason": "server_error"}
            assert kept == {"code": 500, "request_id": kept["request_id"]} | words
        assert told.keys() == kept.keys()
    # No line of a module had part in it: the method is told
    caplog.clear()
    raised = error_of(admin, "/falling/strange")["raised"]
    place = line_of(FALLING, "def strange")
    said = f"{own}:{place}: Falling.strange returned a value that can't be sent as JSON: object can't be converted to JSON; return plain data"
    assert (raised["file"], raised["line"]) == (own, place)
    assert said in raised["message"]
    assert said in caplog.text


@pytest.mark.parametrize("path", ["open", "unwritten", "half"])
def test_administrators_are_told_where_a_key_is_not_needed(served, path):
    raised = error_of(served.client(), f"/falling/{path}")["raised"]
    assert raised["file"] == "falling/class/api_falling.py"
    for other in (served.client(None), served.user("thirdparties.read")):
        assert "raised" not in error_of(other, f"/falling/{path}")


def test_a_public_method_stays_open_with_any_key(served):
    for key in ("wrong-key-0123456789", "", "x" * 600):
        assert "raised" not in error_of(served.client(key), "/falling/open")
        assert served.client(key).get("/health/live")


def test_of_a_batch_each_entry_tells_it(served):
    sent = {"entries": [{"method": "POST", "body": {}}], "atomic": False}
    [found] = served.client().ask("POST", "/falling/batch", sent)["results"]
    assert found["error"]["raised"]["message"] == "ZeroDivisionError: no half"
    [found] = served.user("falling.write").ask("POST", "/falling/batch", sent)["results"]
    assert found == {
        "status": 500,
        "error": {"code": 500, "message": "Internal Server Error", "reason": "server_error"},
    }
