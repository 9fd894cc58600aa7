"""Pages of other origins: which may call, what they may send and read."""

import pytest

from core.common.setting_checks import origins

SHOP = "https://shop.example"


def asked(client, verb, origin, **headers):
    answer = client.simulate_request(verb, "/status", headers={"Origin": origin, **headers})
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control")} | {
        "vary": answer.headers.get("vary")
    }


def test_a_configured_origin_may_call(serve):
    client = serve(origins=f"{SHOP} https://b.example").client()
    allowed = {"access-control-allow-origin": SHOP, "access-control-expose-headers": "*"}
    assert asked(client, "GET", SHOP) == allowed | {"vary": "DOLAPIKEY, Authorization, Origin"}
    # A wildcard includes the headers of modules, but not Authorization (Fetch, 4.10)
    assert asked(client, "OPTIONS", SHOP, **{"Access-Control-Request-Method": "POST"}) == allowed | {
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": "*, Authorization",
        "access-control-max-age": "600",
        "vary": "Origin",
    }
    for other in (f"{SHOP}.evil.example", "*", "null", SHOP.upper()):
        assert asked(client, "GET", other) == {"vary": "DOLAPIKEY, Authorization, Origin"}


def test_all_origins_may_call_without_credentials(serve):
    client = serve(origins="*").client()
    for origin in (SHOP, "null", "http://localhost:3000"):
        assert asked(client, "GET", origin) == {
            "access-control-allow-origin": "*",
            "access-control-expose-headers": "*",
            "vary": "DOLAPIKEY, Authorization",
        }


def test_without_the_setting_no_origin_may_call(server):
    assert asked(server.client(), "GET", SHOP) == {"vary": "DOLAPIKEY, Authorization"}


@pytest.mark.parametrize(
    "value",
    ["", "*", SHOP, f"{SHOP} http://localhost:3000", "https://[::1]:8443", "http://a.example:443", "https://127.0.0.1"],
)
def test_the_setting_has_origins_as_browsers_send_them(value):
    origins(value)


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("https://Shop.example", SHOP),
        ("HTTPS://shop.example", SHOP),
        ("https://shop.example:443", SHOP),
        ("http://shop.example:80", "http://shop.example"),
        ("https://shop.example:08443", "https://shop.example:8443"),
        ("https://shop.example/", SHOP),
        ("https://shop.example/app?x#y", SHOP),
        ("https://ada@shop.example", SHOP),
        ("https://[0:0::1]", "https://[::1]"),
    ],
)
def test_another_form_of_an_origin_is_refused_with_the_right_one(value, meant):
    with pytest.raises(ValueError, match="expected") as raised:
        origins(f"https://first.example {value}")
    assert str(raised.value).startswith(f"expected {meant}, ")


@pytest.mark.parametrize(
    "value",
    ["null", "shop.example", "ftp://shop.example", "https://", f"* {SHOP}", "https://*.shop.example", "https://a:0",
     "https://a:65536", "https://b\u00fcro.example", f"{SHOP},https://b.example", "file:///x", "https://[::x]"],
)  # fmt: skip
def test_what_is_no_origin_is_refused(value):
    with pytest.raises(ValueError, match="such as"):
        origins(value)
