"""An installation of an older release: what its records name stays the same, and what it lacks is brought."""

from __future__ import annotations

import importlib
from decimal import Decimal
from typing import Any

import pytest

from core import bump
from core.storage.database import database, ensure_connected
from core.testing import Client, Served
from core.wsgi import build

#: identifier, code and whether it was offered, as that release shipped them
METHODS = (
    (1, "CATCH", 1), (2, "TRANS", 1), (3, "COLSUI", 1), (4, "LETTREMAX", 0), (9, "UPS", 0), (10, "KIALA", 0),
    (11, "GLS", 0), (12, "CHRONO", 0), (14, "FEDEX", 0), (15, "TNT", 0), (16, "DHLEXP", 0),
)  # fmt: skip
#: of France and Switzerland
RATES = {11: (1, "20"), 12: (1, "10"), 13: (1, "5.5"), 14: (1, "2.1"), 15: (1, "0"), 61: (6, "8.1"), 64: (6, "0")}
ROLES = {6: ("propal", "internal", "SALESREPFOLL"), 7: ("propal", "external", "BILLING")}

MIGRATION = "DELETE FROM comptoir_migration WHERE module = 'dictionaries' AND name = '0002_identifiers_of_release_16'"


def models() -> Any:
    """The models, as the server in force has loaded them."""
    return importlib.import_module("modules.dictionaries.models")


def made_old(served: Served) -> None:
    """Put the database into the state of that release, with what an administrator has done by SQL."""
    ensure_connected()
    known = models()
    for model in (known.ShippingMethod, known.VatRate, known.ContactRole):
        model.delete().execute()
    known.ShippingMethod.insert_many(
        [{"id": id, "code": code, "label": f"{code} {id}", "active": active} for id, code, active in METHODS]
        # one of their own where release 16 has another one, and one that changes nothing
        + [{"id": 5, "code": "BIKE", "label": "By bicycle"}, {"id": 77, "code": "BOAT", "label": "By boat"}]
    ).execute()
    # one that they have taken away
    known.ShippingMethod.delete().where(known.ShippingMethod.code == "GLS").execute()
    rates = [{"id": id, "country_id": country, "rate": Decimal(rate)} for id, (country, rate) in RATES.items()]
    known.VatRate.insert_many([*rates, {"id": 16, "country_id": 1, "rate": Decimal("7")}]).execute()
    known.VatRate.update(note="As ever", active=0).where(known.VatRate.id == 12).execute()
    known.ContactRole.insert_many(
        [
            {"id": id, "element": role[0], "source": role[1], "code": role[2], "label": "Ours"}
            for id, role in ROLES.items()
        ]
    ).execute()
    database.execute_sql(MIGRATION)
    bump()


def again(served: Served) -> None:
    """The server of this release is started over the database."""
    served.close()
    served.server = build(served.settings)


def every(admin: Client, name: str, **query: Any) -> list[dict[str, Any]]:
    """All entries of a dictionary."""
    return [
        row
        for active in (1, 0)
        for row in admin.get(f"/setup/dictionary/{name}", active=active, limit=0, sortfield="rowid", **query)
    ]


@pytest.fixture
def old(kind: str, serve: Any) -> Served:
    served: Served = serve(kind=kind)
    made_old(served)
    return served


def test_records_name_the_shipping_method_that_they_named(old: Served) -> None:
    admin = old.client()
    owner = admin.ask("POST", "/thirdparties", {"name": "Old"})
    wanted = {1: "CATCH", 4: "LETTREMAX", 9: "UPS", 10: "KIALA", 11: "GLS", 12: "CHRONO", 14: "FEDEX", 15: "TNT",
              16: "DHL", 5: "BIKE", 77: "BOAT"}  # fmt: skip
    body = {"socid": owner, "date": "2026-11-21"}
    made = {
        (service, code): admin.ask("POST", f"/{service}", body | {"shipping_method_id": method})
        for method, code in wanted.items()
        for service in ("proposals", "orders")
    }
    admin.ask("PUT", f"/thirdparties/{owner}", {"shipping_method_id": 12})
    again(old)
    admin = old.client()
    known = {row["id"]: row["code"] for row in every(admin, "shipping_methods")}
    # as release 16 has them
    assert {code: id for id, code in known.items()} == {
        "CATCH": 1, "TRANS": 2, "COLSUI": 3, "LETTREMAX": 4, "UPS": 5, "KIALA": 6, "CHRONO": 8, "INPERSON": 9,
        "FEDEX": 10, "TNT": 11, "DHL": 12, "DPD": 13, "MAINFREIGHT": 14, "BOAT": 77, "BIKE": 10000,
    }  # fmt: skip
    for (service, code), id in made.items():
        method = admin.get(f"/{service}/{id}")["shipping_method_id"]
        # what was taken away by hand stays away, and its number means nobody else
        assert (known.get(method), method) == ((code, method) if code != "GLS" else (None, 7))
    assert known[admin.get(f"/thirdparties/{owner}")["shipping_method_id"]] == "CHRONO"
    # what an administrator has made of them stays
    assert {row["label"] for row in every(admin, "shipping_methods") if row["code"] in ("UPS", "BIKE", "COLSUI")} == {
        "UPS 9", "By bicycle", "COLSUI 3",
    }  # fmt: skip


def test_what_is_lacking_is_brought_and_what_was_changed_stays(old: Served) -> None:
    again(old)
    admin = old.client()
    rates = {(row["country_id"], row["code"], row["rate"]): row for row in every(admin, "vat_rates", country=1)}
    assert {key[2]: row["id"] for key, row in rates.items() if not key[1]} == {
        "0.0000": 11, "20.0000": 12, "10.0000": 13, "5.5000": 14, "2.1000": 15, "7.0000": 10000,
    }  # fmt: skip
    assert (rates[1, "", "10.0000"]["active"], rates[1, "", "10.0000"]["note"]) == (0, "As ever")
    assert rates[1, "85NPROM", "8.5000"]["id"] == 18
    swiss = {row["rate"]: row["id"] for row in every(admin, "vat_rates", country=6)}
    # 2.6 and 3.8 were taken away by hand, 2.5, 3.7 and 7.7 were never there
    assert swiss == {"0.0000": 61, "3.7000": 62, "2.5000": 63, "7.7000": 64, "8.1000": 9002}
    roles = {
        row["rowid"]: (row["type"], row["source"], row["code"], row["label"]) for row in every(admin, "contact_types")
    }
    assert roles[6] == ("propal", "internal", "SALESREPFOLL", "Ours")
    assert roles[55][:3] == ("conferenceorbooth", "external", "RESPONSIBLE")
    # 55 in release 16, less the ten that were taken away by hand
    assert len(roles) == 45 and 8 not in roles
    # and it is done once
    again(old)
    assert {row["rate"]: row["id"] for row in every(old.client(), "vat_rates", country=6)} == swiss


def test_an_installation_that_has_never_read_them_is_filled_with_all(kind: str, serve: Any) -> None:
    served = serve(kind=kind)
    ensure_connected()
    database.execute_sql(MIGRATION)
    again(served)
    admin = served.client()
    assert len(every(admin, "shipping_methods")) == 14
    assert len(every(admin, "contact_types")) == 55
