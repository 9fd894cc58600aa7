"""Company, constants and modules."""

import pytest

from modules.setup.constants import set_constant


def test_status_is_for_any_valid_key(server):
    success = server.user().get("/status")["success"]
    assert (success["code"], success["dolibarr_version"], success["access_locked"]) == (200, "16.0.3", "0")
    assert success["comptoir_version"][0].isdigit()
    server.client(None).get("/status", status=401)
    server.client("nosuch").get("/status", status=401)


def test_the_company_is_changed_and_read(admin):
    fields = {
        "name": "Comptoir & Cie", "address": "1 rue Haute", "zip": "69001", "town": "Lyon", "phone": "+33 4",
        "email": "a@example.org", "url": "https://example.org", "idprof1": "123", "tva_intra": "FR1", "capital": "10",
        "country_id": 1, "country_code": "FR", "country": "France", "currency_code": "EUR",
    }  # fmt: skip
    company = admin.ask("PUT", "/setup/company", fields)
    assert {key: company[key] for key in fields} == fields
    assert admin.ask("PUT", "/setup/company", {"town": None})["town"] is None
    assert admin.get("/setup/company")["zip"] == "69001"
    assert admin.get("/setup/conf/MAIN_INFO_SOCIETE_NOM") == "Comptoir & Cie"
    assert admin.get("/setup/conf/MAIN_INFO_SOCIETE_COUNTRY") == "1:FR:France"
    answer = admin.simulate_put("/setup/company", json={"nosuch": 1})
    assert "nosuch" in answer.headers["warning"]


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({"country_id": 5}, "5:DE:Germany"),
        ({"country_id": "7"}, "7:GB:United Kingdom"),
        ({"country_code": "ch"}, "6:CH:Switzerland"),
        ({"country_code": "BEL"}, "2:BE:Belgium"),
        ({"country": "italy"}, "3:IT:Italy"),
        ({"country": "Vereinigte Staaten"}, "11:US:United States"),
        ({"country_id": None, "country_code": "", "country": "France"}, "1:FR:France"),
        ({"country_id": "5", "country_code": "DE", "country": "Germany"}, "5:DE:Germany"),
    ],
)
def test_any_field_of_the_country_sets_all_three(admin, sent, stored):
    company = admin.ask("PUT", "/setup/company", sent)
    number, code, name = stored.split(":")
    assert (str(company["country_id"]), company["country_code"], company["country"]) == (number, code, name)
    assert admin.get("/setup/conf/MAIN_INFO_SOCIETE_COUNTRY") == stored


def test_a_country_that_is_none_changes_nothing(admin):
    before = admin.ask("PUT", "/setup/company", {"country_code": "FR", "town": "Lyon"})
    for sent, named in (
        ({"country_id": 5, "country_code": "FR"}, ["country_id", "country_code"]),
        ({"country_code": "DE", "country": "France"}, ["country_code", "country"]),
        ({"country_id": 999999}, ["country_id"]),
        ({"country_code": "QQ"}, ["country_code"]),
        ({"country": "Atlantis"}, ["country"]),
    ):
        answer = admin.simulate_put("/setup/company", json={"town": "Bonn", **sent})
        assert answer.status_code == 400
        assert [each["field"] for each in answer.json["error"]["errors"]] == named
    assert admin.get("/setup/company") == before
    assert admin.ask("PUT", "/setup/company", before) == before
    assert admin.ask("PUT", "/setup/company", {"country": None})["country_id"] is None


@pytest.mark.parametrize(
    "body", [{"name": ["x"]}, {"name": True}, {"name": "x" * 4001}, {"country_id": "x"}, {"country_code": "F:R"}]
)
def test_what_does_not_fit_the_company(admin, body):
    admin.refused("PUT", "/setup/company", body, status=400)


def test_a_constant_is_set_read_and_removed(admin):
    path = "/setup/conf/SOME_FREE_TEXT"
    assert "Constant SOME_FREE_TEXT not found" in admin.refused("GET", path, status=404)
    for value in ("1", "1", "no", "", "été"):
        assert admin.ask("PUT", path, {"value": value}) == 1
        assert admin.get(path) == value
    assert "SOME_FREE_TEXT" in [each["name"] for each in admin.get("/setup/conf", sqlfilters="(t.name:like:'SOME%')")]
    assert admin.ask("DELETE", path)["success"]["code"] == 200
    admin.get(path, status=404)
    admin.refused("DELETE", path, status=404)


@pytest.mark.parametrize("name", ["lower", "A-B", "A%20B", "1A", "A" * 181])
def test_a_constant_s_name(admin, name):
    admin.refused("PUT", f"/setup/conf/{name}", {"value": "x"}, status=400)


def test_a_constant_needs_a_value(admin):
    admin.refused("PUT", "/setup/conf/SOME_FREE_TEXT", {"value": {"a": 1}}, status=400)
    admin.refused("PUT", "/setup/conf/SOME_FREE_TEXT", {}, status=400)
    admin.refused("PUT", "/setup/conf/SOME_FREE_TEXT", {"value": "x" * 16001}, status=400)


@pytest.mark.parametrize(
    "name",
    [
        "MAIN_API_KEY",
        "SMTP_PASS",
        "MAIN_MAIL_SMTPS_PW",
        "X_PASSWORD",
        "LDAP_PWD",
        "APP_SECRET",
        "OAUTH_TOKEN_X",
        "A_SALT",
        "X_APIKEY",
        "MYAPIKEY",
        "X_PRIVATEKEY",
        "PRIVATE_KEY_PATH",
        "X_AUTH",
        "AUTH_HEADER",
        "X_BEARER",
        "X_PIN",
        "SIM_PIN_2",
    ],
)
def test_secrets_are_never_shown(admin, name):
    # As in a database of Dolibarr: no module declares it
    set_constant(name, "very secret")
    admin.refused("GET", f"/setup/conf/{name}", status=403)
    admin.refused("GET", f"/setup/conf/{name.lower()}", status=403)
    listed = admin.get("/setup/conf", limit=0)
    assert next(each["value"] for each in listed if each["name"] == name) is None
    for params in ({"sqlfilters": "(t.value:like:'v%')"}, {"sortfield": "t.value"}):
        admin.get("/setup/conf", status=400, **params)


@pytest.mark.parametrize("name", ["X_SHIPPING", "MAIN_AUTHOR", "PINS", "X_SPIN", "BEARERS", "X_AUTHORITY", "MAPI"])
def test_words_that_only_contain_those_of_secrets_are_shown(server, admin, name):
    set_constant(name, "yes")
    assert server.user("setup.read").get(f"/setup/conf/{name}") == "yes"


@pytest.mark.parametrize(
    ("value", "is_secret"),
    [
        ("postgresql://ada:pass@db.example/erp", True),
        ("redis://:pass@cache:6379", True),
        ("see https://ada:p%40ss@example.org/x now", True),
        ("https://ada:p@ss@example.org", True),
        ("https://example.org/?mail=a@b.example", False),
        ("https://example.org:8080/users/a@b", False),
        ("https://ada@example.org", False),
        ("mailto:ada@example.org", False),
    ],
)
def test_a_url_with_a_password_is_a_secret(server, admin, value, is_secret):
    admin.ask("PUT", "/setup/conf/DATABASE_FREE_TEXT", {"value": value})
    reader = server.user("setup.read")
    for client in (reader, admin):
        (listed,) = client.get("/setup/conf", sqlfilters="(t.name:=:'DATABASE_FREE_TEXT')")
        assert listed["value"] == (None if is_secret else value)
        if is_secret:
            client.refused("GET", "/setup/conf/DATABASE_FREE_TEXT", status=403)
        else:
            assert client.get("/setup/conf/DATABASE_FREE_TEXT") == value


def test_the_modules_that_are_loaded(admin):
    names = set(admin.get("/setup/modules"))
    # Those that Dolibarr has, not the server's own
    assert {"user", "societe", "facture", "propal", "variants", "api"} <= names
    assert not names & {"login", "setup", "audit", "jobs", "prices", "recurring", "dictionaries", "numbering", "status"}
