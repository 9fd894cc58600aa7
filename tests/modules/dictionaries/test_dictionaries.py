"""Dictionaries: what they hold, how they are listed, and how other modules look them up."""

import importlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.for_natives import bump
from core.storage.database import close, database, ensure_connected


def path(name):
    return f"/setup/dictionary/{name}"


def module(name):
    """A file of the module, as the active server has loaded it."""
    return importlib.import_module(f"modules.dictionaries.{name}")


# What they hold in release 16 ----------------------------------------------------------------------------------------


def test_payment_terms(admin):
    assert admin.get(path("payment_terms"), limit=2) == [
        {
            "id": 1, "code": "RECEP", "sortorder": 1, "label": "Due upon receipt", "descr": "Due upon receipt",
            "type_cdr": 0, "nbjour": 1, "decalage": None, "module": None,
        },
        {
            "id": 2, "code": "30D", "sortorder": 2, "label": "30 days", "descr": "Due in 30 days",
            "type_cdr": 0, "nbjour": 30, "decalage": None, "module": None,
        },
    ]  # fmt: skip
    rows = [row for active in (1, 0) for row in admin.get(path("payment_terms"), active=active)]
    assert [(row["id"], row["code"], row["type_cdr"], row["nbjour"]) for row in rows] == [
        (1, "RECEP", 0, 1), (2, "30D", 0, 30), (3, "30DENDMONTH", 1, 30), (4, "60D", 0, 60), (5, "60DENDMONTH", 1, 60),
        (6, "PT_ORDER", 0, 1), (7, "PT_DELIVERY", 0, 1), (8, "PT_5050", 0, 1), (9, "10D", 0, 10),
        (10, "10DENDMONTH", 1, 10), (11, "14D", 0, 14), (12, "14DENDMONTH", 1, 14), (13, "DEP30PCTDEL", 0, 1),
    ]  # fmt: skip


def test_units_and_shipping_methods(admin):
    rows = admin.get(path("units"), limit=0)
    names = ("rowid", "code", "short_label", "active", "scale", "unit_type")
    assert [tuple(row[name] for name in names) for row in rows[:2]] == [
        (1, "T", "T", 1, 3, "weight"),
        (2, "KG", "kg", 1, 0, "weight"),
    ]
    assert list(rows[0]) == ["rowid", "code", "label", "short_label", "active", "scale", "unit_type"]
    seconds = {row["code"]: row["scale"] for row in rows if row["unit_type"] == "time"}
    assert (seconds["MI"], seconds["H"], seconds["D"], seconds["W"]) == (60, 60 * 60, 24 * 60 * 60, 7 * 24 * 60 * 60)
    kinds = {row["unit_type"] for row in rows}
    assert kinds == {"weight", "size", "surface", "volume", "qty", "time"}
    codes = [row["code"] for row in admin.get(path("shipping_methods"))]
    assert {"CATCH", "TRANS"} <= set(codes) and codes == sorted(codes)


def test_vat_rates(admin):
    assert [row["rate"] for row in admin.get(path("vat_rates"), country=1, sortfield="rate", sortorder="DESC")] == [
        "20.0000", "10.0000", "5.5000", "2.1000", "0.0000",
    ]  # fmt: skip
    spain = {row["rate"]: row for row in admin.get(path("vat_rates"), country=4)}
    local = {rate: (row["localtax1"], row["localtax1_type"]) for rate, row in spain.items()}
    assert local == {
        "21.0000": ("5.2", "3"), "10.0000": ("1.4", "3"), "4.0000": ("0.5", "3"), "0.0000": ("0", "3"),
    }  # fmt: skip
    assert {(row["localtax2"], row["localtax2_type"]) for row in spain.values()} == {("-19:-15:-9", "5")}
    by_column = admin.get(path("vat_rates"), sqlfilters="(t.fk_pays:=:6) and (t.taux:=:'8.1')")
    assert [(row["country_id"], row["rate"], row["code"]) for row in by_column] == [(6, "8.1000", "")]
    # the members of the European Union whose rates release 16 does not bring, and those it brings
    countries = {row["country_id"] for active in (1, 0) for row in admin.get(path("vat_rates"), active=active, limit=0)}
    assert len(countries) == 71


# Countries ------------------------------------------------------------------------------------------------------------

FRANCE = {"id": 1, "code": "FR", "code_iso": "FRA", "label": "France", "active": 1}


def test_countries(admin):
    assert admin.get(path("countries"), limit=2, sqlfilters="(t.code:=:'FR')") == [FRANCE]
    rows = admin.get(path("countries"), limit=0)
    assert len(rows) == 249
    assert [row["code"] for row in rows] == sorted({row["code"] for row in rows})
    assert len({row["code_iso"] for row in rows}) == 249
    assert all(len(row["code_iso"]) == 3 and row["label"] for row in rows)
    known = {row["code"]: row["id"] for row in rows}
    some = {"DE": 5, "GB": 7, "US": 11, "CA": 14, "AT": 41, "GR": 102, "RS": 198, "ZW": 240, "ME": 244, "MF": 246}
    assert {code: known[code] for code in some} == some


def test_one_country(admin):
    for rest in ("1", "byCode/FR", "byCode/fr", "byISO/FRA", "byiso/fra"):
        assert admin.get(path(f"countries/{rest}")) == FRANCE
    assert admin.get(path("countries/byCode/DE"), lang="fr_FR")["label"] == "Allemagne"
    assert admin.get(path("countries/5"), lang="de-CH")["label"] == "Deutschland"
    assert admin.get(path("countries/byISO/DEU"), lang="es")["label"] == "Alemania"
    assert admin.get(path("countries/5"))["label"] == "Germany"
    for rest in ("999999", "byCode/ZZ", "byISO/ZZZ"):
        message = admin.refused("GET", path(f"countries/{rest}"), status=404)
        assert message.startswith("Not Found: Country ") and message.endswith(f" {rest.split('/')[-1]} not found")
    admin.get(path("countries/0"), status=400)
    admin.get(path("countries/x"), status=400)


def test_countries_by_their_name_in_a_language(admin):
    assert [row["code"] for row in admin.get(path("countries"), filter="germ")] == ["DE"]
    assert admin.get(path("countries"), filter="ALLEM", lang="fr") == [
        {"id": 5, "code": "DE", "code_iso": "DEU", "label": "Allemagne", "active": 1}
    ]
    assert admin.get(path("countries"), filter="Germany", lang="fr") == []
    assert admin.get(path("countries"), filter="Allemagne", lang="fr", properties="label") == [{"label": "Allemagne"}]
    total = admin.get(path("countries"), filter="guin", limit=1, pagination_data=True)["pagination"]["total"]
    # Equatorial Guinea, Guinea, Guinea-Bissau, Papua New Guinea
    assert total == 4


@pytest.mark.parametrize("lang", ["xx", "french", "../../etc", "f", "1", "%00", "_"])
def test_no_such_language(admin, lang):
    for rest in ("countries", "countries/1"):
        assert "`lang`" in admin.refused("GET", path(rest), status=400, params={"lang": lang})


# Looking up -----------------------------------------------------------------------------------------------------------


# Filling (these activate other databases, so they come last) -------------------------------------------------------


def test_workers_that_fill_at_once(kind, serve):
    serve(kind=kind)
    models, seeds = module("models"), module("seeds")

    def fill(number):
        ensure_connected()
        try:
            seeds.seed(models.Country)
            seeds.seed(models.VatRate)
        finally:
            close()

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(fill, range(8)))
    ensure_connected()
    assert models.Country.select().count() == 249
    assert len(module("entries").entries(models.VatRate)) == models.VatRate.select().count()


def test_one_that_cannot_be_filled_is_looked_up_all_the_same(serve):
    """A record is read though its country's dictionary is empty and the database takes nothing."""
    admin = serve().client()
    identifier = admin.ask("POST", "/thirdparties", {"name": "Early", "country_id": 5})
    ensure_connected()
    module("models").Country.delete().execute()
    bump()
    database.obj.pragma("query_only", 1, permanent=True)
    assert admin.get(f"/thirdparties/{identifier}")["country_code"] == "DE"
    # The table itself is not shown as if it were whole
    assert "is currently read-only" in admin.refused("GET", path("countries"), status=503)
    ensure_connected()
    database.obj.pragma("query_only", 0, permanent=True)
    close()
    assert len(admin.get(path("countries"), limit=0)) == 249


def test_profile_of_release_16(kind, serve):
    admin = serve(kind=kind, profile_name="dolibarr16").client()
    assert admin.get(path("payment_types"), limit=1) == [
        {"id": "6", "code": "CB", "type": "2", "label": "Credit card", "module": None}
    ]
    assert admin.get(path("payment_terms"), limit=1) == [
        {
            "id": "1", "code": "RECEP", "sortorder": "1", "label": "Due upon receipt", "descr": "Due upon receipt",
            "type_cdr": "0", "nbjour": "1", "decalage": None, "module": None,
        }
    ]  # fmt: skip
    assert admin.get(path("countries/1")) == {
        "id": "1", "code": "FR", "code_iso": "FRA", "label": "France", "active": "1",
    }  # fmt: skip
    assert admin.get(path("availability"), limit=1) == [{"rowid": "9", "code": "AV_10W", "label": "10 weeks"}]
    unit = admin.get(path("units"), limit=2)[1]
    assert (unit["rowid"], unit["code"], unit["scale"]) == ("2", "KG", "0")
    assert admin.get(path("payment_types"), sqlfilters="(t.code:=:'nosuch')") == []
    assert len(admin.get(path("countries"), limit=0)) == 249


def test_dolibarr16_has_its_keys(serve):
    """As an installation of release 16 answered."""
    admin = serve(profile_name="dolibarr16").client()
    (doctor, _) = admin.get("/setup/dictionary/civilities?limit=2")
    assert [*doctor] == ["rowid", "code", "label", "module"] and (doctor["rowid"], doctor["code"]) == ("5", "DR")
    (dirham, _) = admin.get("/setup/dictionary/currencies?limit=2")
    assert dirham == {"code_iso": "AED", "label": "United Arab Emirates Dirham", "unicode": None}
