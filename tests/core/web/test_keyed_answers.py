"""What an answer says to caches: one that depends on a key is its caller's alone, and a public one is everybody's."""

import pytest

from tests.conftest import SAMPLES

KEYED = ("private, no-cache", "DOLAPIKEY, Authorization")
PUBLIC = ("no-cache, must-revalidate", None)


def said(answer):
    return answer.headers.get("cache-control"), answer.headers.get("vary")


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("GET", "/thirdparties"),
        ("HEAD", "/thirdparties"),
        ("GET", "/thirdparties/99999"),
        ("POST", "/thirdparties"),
        ("PUT", "/setup/conf/MAIN_LANG_DEFAULT"),
        ("GET", "/status"),
    ],
)
def test_what_needs_a_key(sample_server, verb, path):
    for client in (sample_server.client(), sample_server.user(), sample_server.client(None), sample_server.client("x")):
        assert said(client.simulate_request(verb, path)) == KEYED


def test_a_key_that_may_come(serve):
    served = serve(modules=str(SAMPLES / "routing"))
    for client in (served.client(), served.client(None)):
        answer = client.simulate_get("/mymod/either")
        assert (answer.status_code, *said(answer)) == (200, *KEYED)
        assert said(client.simulate_get("/mymod")) == PUBLIC


def test_an_answer_that_is_known_already(sample_server):
    client = sample_server.client()
    identifier = client.ask("POST", "/thirdparties", {"name": "Acme"})
    tag = client.simulate_get(f"/thirdparties/{identifier}").headers["etag"]
    answer = client.simulate_get(f"/thirdparties/{identifier}", headers={"If-None-Match": tag})
    assert (answer.status_code, *said(answer)) == (304, *KEYED)


@pytest.mark.parametrize("path", ["/health/live", "/nosuch", "/explorer/"])
def test_what_needs_none(sample_server, path):
    for client in (sample_server.client(), sample_server.client(None)):
        cache, vary = said(client.simulate_get(path))
        assert "private" not in (cache or "")
        assert "DOLAPIKEY" not in (vary or "")


def test_a_key_that_is_given_is_kept_nowhere(sample_server):
    client = sample_server.client(None)
    answer = client.simulate_post("/login", json={"login": "nobody", "password": "wrong"})
    assert answer.status_code == 403
    made = sample_server.client().ask("POST", "/users", {"login": "cached", "pass": "a long password"})
    assert made
    answer = client.simulate_post("/login", json={"login": "cached", "password": "a long password"})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")


def test_other_words_of_vary_stay(serve):
    served = serve(origins="https://shop.example")
    client = served.client()
    answer = client.simulate_get("/thirdparties", headers={"Origin": "https://shop.example"})
    assert answer.headers["vary"] == "DOLAPIKEY, Authorization, Origin"
    assert client.simulate_get("/health/live").headers["vary"] == "Origin"
    answer = client.simulate_get("/explorer/index.json")
    assert answer.headers["vary"] == "DOLAPIKEY, Authorization, Accept-Encoding, Origin"
    assert answer.headers["cache-control"] == "private, no-cache"
