"""Members of an API class: what isn't a method hides the method that it overrides, and an attribute's name makes the route."""

import functools
from pathlib import Path

import click.testing
import pytest

from core.__main__ import main
from core.contract.routes import derive_path
from core.loading.importing import LoadError
from core.loading.services import service_of
from tests.core.loading.services import STORE

BOXES = """
import functools
from core import Crud
from ..models import boxes

class Boxes(Crud):
    '''Boxes.

    :access: protected
    '''
    records = boxes
    delete = None
    put = property(lambda self: None)
    history = batch = None

    @staticmethod
    def patch(id: int) -> str:
        '''Nothing.'''
        return "static"
"""


def unframed(function):
    """Decorate a method without `functools.wraps`."""

    def inner(self, id: int):
        return function(self, id)

    return inner


class Base:
    def index(self):
        """List.

        :url: GET all
        """

    def get(self, id: int):
        pass

    def post(self, request_data: dict):
        pass

    def put(self, id: int, request_data: dict):
        pass


class Odd(Base):
    get_colour = unframed(lambda self, id: id)
    get_shade = unframed(lambda self, id: id)
    get_ping = lambda self: "pong"  # noqa: E731 - the point of the test
    newest = Base.post
    index = None
    get = functools.partialmethod(Base.put, request_data={})
    put = functools.cache(lambda self: 1)

    class post:
        pass


def routes_of(api_class):
    served = service_of(api_class, "odd", "odd", Path(__file__))
    return [(each.verb, each.template) for each in served.operations], served.unserved


def test_the_name_of_the_attribute_makes_the_route():
    found, unserved = routes_of(Odd)
    assert sorted(found) == [
        ("GET", "/odd/colour/{id}"),
        ("GET", "/odd/ping"),
        ("GET", "/odd/shade/{id}"),
        ("POST", "/odd/newest"),
    ]
    assert dict(unserved) == {"get": "partialmethod", "put": "_lru_cache_wrapper"}


def test_a_subclass_that_gives_a_method_back_serves_it():
    class Again(Odd):
        get = Base.get

    assert ("GET", "/odd/{id}") in routes_of(Again)[0]


def test_an_alias_on_the_same_path_is_refused_with_the_class_and_both_names():
    class Alias:
        def index(self):
            pass

        get = index

    with pytest.raises(
        LoadError, match=r"Alias\.get: GET /odd is served by both odd\.index and odd\.get; .*`:url:`"
    ) as raised:
        routes_of(Alias)
    assert raised.value.line


@pytest.mark.usefixtures("without_natives")
def test_what_the_author_removed_is_not_served(serve, folder, write):
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    served = serve(modules=str(folder))
    client = served.client()
    number = client.ask("POST", "/boxes", {"name": "a"})
    for verb in ("DELETE", "PUT", "PATCH"):
        assert client.ask(verb, f"/boxes/{number}", {"name": "b"}, status=405)["error"]["reason"] == "wrong_method"
    client.get(f"/boxes/{number}/history", status=404)
    client.ask("POST", "/boxes/batch", {"entries": []}, status=405)
    assert client.get(f"/boxes/{number}")["name"] == "a"
    shown = click.testing.CliRunner().invoke(main, ["check", str(folder / "store")]).output
    assert "put isn't served: expected a plain method, got a property" in shown
    assert "patch isn't served: expected a plain method, got a staticmethod" in shown
    assert "DELETE" not in shown and "PUT" not in shown


@pytest.mark.parametrize(
    ("name", "route"),
    [
        ("get", "GET "),
        ("GET", "GET "),
        ("getLines", "GET lines"),
        ("get_lines", "GET lines"),
        ("GetIndex", "GET "),
        ("delete_all", "DELETE all"),
        ("deleteAll", "DELETE all"),
        ("deleted", "GET deleted"),
        ("headlines", "GET headlines"),
        ("head", "GET head"),
        ("options", "GET options"),
        ("optionset", "GET optionset"),
        ("postal_codes", "GET postal_codes"),
        ("patches", "GET patches"),
        ("getaway", "GET getaway"),
        ("get2fa", "GET get2fa"),
        ("putter", "GET putter"),
        ("header", "GET header"),
        ("post_", "POST "),
    ],
)
def test_a_verb_is_a_word_at_the_start_of_the_name(name, route):
    assert " ".join(derive_path(name, [], [])) == route


@pytest.mark.usefixtures("without_natives")
def test_check_names_a_method_that_only_begins_like_a_verb(folder, write):
    text = "class Trash:\n    ''':access: public'''\n    def deleted(self):\n        '''List.{url}'''\n    def get_all(self): pass\n"
    write("trash/class/api_trash.py", text.format(url=""))
    run = functools.partial(click.testing.CliRunner().invoke, main, ["check", str(folder / "trash")])
    assert (
        "api_trash.py:3: deleted is GET /trash/deleted, although it begins like a verb; add `:url: GET deleted`"
        in run().output
    )
    write("trash/class/api_trash.py", text.format(url="\n\n        :url: GET deleted\n        "))
    assert "begins like" not in run().output
