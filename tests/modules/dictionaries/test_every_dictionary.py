"""Every dictionary of release 16, and ours: its path, its parameters, its right, and what it holds."""

import pytest

from core.contract.catalogue import catalogue

LIST = "sqlfilters sortfield sortorder limit page"
ORDERS = {"orders.read"}
SALES = {"proposals.read", "orders.read", "invoices.read"}
#: path → the parameters besides those of each list, and the rights of which one is needed
REFERENCE = {
    "availability": ("active", ORDERS),
    "civilities": ("module active", set()),
    "contact_types": ("type module active", set()),
    "countries": ("filter lang", set()),
    "currencies": ("multicurrency active", set()),
    "event_types": ("type module active", set()),
    "expensereport_types": ("module active", set()),
    "legal_form": ("country active", set()),
    "ordering_methods": ("active", ORDERS),
    "ordering_origins": ("active", ORDERS),
    "payment_terms": ("active", SALES),
    "payment_types": ("active", SALES),
    "shipping_methods": ("active", set()),
    "socialnetworks": ("active", set()),
    "staff": ("active", set()),
    "states": ("country filter", set()),
    "ticket_categories": ("active", set()),
    "ticket_severities": ("active", set()),
    "ticket_types": ("active", set()),
    "towns": ("zipcode town active", set()),
    "units": ("active", set()),
    "vat_rates": ("country active", set()),
}
ONE = ("countries/byCode/{code}", "countries/byISO/{iso}", "countries/{id}", "states/byCode/{code}", "states/{id}")
#: how many entries a fresh installation has, and one that clients know by heart: identifier and code
HELD = {
    "civilities": (5, 4, "MTRE"), "company_types": (12, 100, "TE_OTHER"), "contact_prospect_levels": (4, 4, "PL_HIGH"),
    "contact_prospect_statuses": (5, -1, "ST_NO"), "currencies": (150, 45, "EUR"), "event_types": (12, 11, "AC_INT"),
    "expensereport_types": (25, 10, "EX_IND"), "hrm_departments": (14, 12, "CUSTOMSERV"),
    "hrm_functions": (9, 6, "PROJMANAG"), "incoterms": (12, 12, "DPU"), "lead_statuses": (7, 5, "PENDING"),
    "legal_form": (299, 299, 7611), "ordering_methods": (5, 3, "OrderByEMail"), "product_natures": (2, 2, 1),
    "proposal_statuses": (5, 4, "PR_FAC"), "prospect_levels": (4, 1, "PL_NONE"), "prospect_statuses": (5, 3, "ST_DONE"),
    "regions": (294, 294, 23209), "resource_types": (2, 1, "RES_ROOMS"), "socialnetworks": (33, 5, "facebook"),
    "staff": (7, 3, "EF11-50"), "states": (1690, 369, "69"), "ticket_categories": (1, 1, "OTHER"),
    "ticket_resolutions": (3, 2, "CANCELED"), "ticket_severities": (4, 4, "BLOCKING"), "ticket_types": (7, 4, "PROBLEM"),
    "transport_modes": (8, 6, "OLE"), "shipping_methods": (14, 5, "UPS"), "units": (36, 28, "P"),
    "payment_types": (16, 6, "CB"), "contact_types": (55, 11, "BILLING"), "availability": (12, 2, "AV_1W"),
    "ordering_origins": (12, 9, "SRC_PARTNER"),
}  # fmt: skip


def path(name):
    return f"/setup/dictionary/{name}"


@pytest.mark.usefixtures("server")
def test_each_is_served_with_its_parameters_and_its_right():
    served = {each.template: each for each in catalogue().operations if each.verb == "GET"}
    for name, (parameters, rights) in REFERENCE.items():
        operation = served[path(name)]
        assert {*f"{LIST} {parameters} lang".split()} <= {each.name for each in operation.inputs}, name
        asked = operation.permission.alternatives if operation.permission else []
        assert {right for each in asked for right in each} == rights, name
    assert {path(name) for name in ONE} <= served.keys()


def test_each_answers_and_refuses(server, admin):
    for each in admin.get("/dictionaries"):
        rows = admin.get(path(each["name"]))
        assert rows or each["name"] == "towns"
        assert admin.get(path(each["name"]), sqlfilters="(t.active:=:7)") == []
        message = admin.refused("GET", path(each["name"]), status=400, params={"sqlfilters": "(t.nosuch:=:1)"})
        assert "nosuch" in message, each["name"]
        admin.refused("GET", path(each["name"]), status=400, params={"lang": "french"})
        server.user().get(path(each["name"]), status=401 if each["right"] else 200)
        # one entry has the right of its list
        one = next((row["id"] if "id" in row else row["rowid"] for row in rows[::-1]), 1)
        server.user().get(path(f"{each['name']}/{one}"), status=401 if each["right"] else 200 if rows else 404)
    assert {each["name"] for each in admin.get("/dictionaries")} >= {*REFERENCE, *HELD}


@pytest.mark.parametrize("name", HELD)
def test_what_each_holds(admin, name):
    number, identifier, code = HELD[name]
    # a page holds a thousand at the most; states have no parameter `active`
    others = {"page": 1} if name == "states" else {"active": 0}
    rows = admin.get(path(name), limit=0) + admin.get(path(name), limit=0, **others)
    key = "id" if "id" in rows[0] else "rowid"
    assert len({row[key] for row in rows}) == len(rows) == number
    assert {row[key]: row.get("code", row.get("code_iso")) for row in rows}[identifier] == code
    if identifier > 0:
        assert admin.get(path(f"{name}/{identifier}"))[key] == identifier
    admin.get(path(f"{name}/999999"), status=404)
    admin.get(path(f"{name}/0"), status=400)


def test_places(admin):
    assert admin.get(path("states"), country=1, limit=1) == [
        {
            "id": 300, "active": 1, "code_departement": "01", "region_code": 84, "cheflieu": "01053", "name": "Ain",
            "rowid": 300, "code": "01", "nom": "Ain", "country_id": 1,
        }
    ]  # fmt: skip
    assert [row["code"] for row in admin.get(path("states"), filter="rhône")] == ["13", "69"]
    assert admin.get(path("states"), filter="%") == admin.get(path("states"), filter="' or 1=1") == []
    assert admin.get(path("states/369")) == admin.get(path("states/byCode/69"))
    assert admin.refused("GET", path("states/byCode/nosuch"), status=404) == "Not Found: State nosuch not found"
    assert admin.refused("GET", path("states/99999"), status=404) == "Not Found: State 99999 not found"
    assert {row["country_id"] for row in admin.get(path("regions"), country=41)} == {41}
    assert {row["country_id"] for row in admin.get(path("legal_form"), country=5)} == {5}
    assert admin.get(path("currencies"), multicurrency=1) == []
    admin.get(path("currencies"), multicurrency=3, status=400)


def test_towns_are_added_by_those_who_need_them(admin):
    for code, town in (("69001", "Lyon"), ("69100", "Villeurbanne"), ("75001", "Paris"), ("10%0", "L'Isle")):
        admin.ask("POST", path("towns"), {"zip": code, "town": town, "fk_country": 1})
    found = {name: [row["town"] for row in admin.get(path("towns"), **query)] for name, query in {
        "zip": {"zipcode": "69"}, "town": {"town": "l'"}, "both": {"zipcode": "69", "town": "vil"}, "wild": {"zipcode": "%"},
        "filter": {"zipcode": "69", "sqlfilters": "(t.town:=:'Lyon') or (t.town:=:'Paris')"},
    }.items()}  # fmt: skip
    assert found == {
        "zip": ["Lyon", "Villeurbanne"], "town": ["L'Isle"], "both": ["Villeurbanne"], "wild": ["L'Isle"],
        "filter": ["Lyon"],
    }  # fmt: skip
    again = {"zip": "69001", "town": "Lyon", "fk_country": 1}
    admin.refused("POST", path("towns"), again, status=405)
