"""Values that records hold besides their columns, in the default profile; expected values are worked out by hand."""

import pytest

from tests.modules.values import Trade, make


@pytest.fixture(scope="module")
def trade(server):
    return Trade(server.client())


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_a_line_tells_its_price_and_what_its_product_is_like(trade, service):
    # 19.99 less 10 % is 17.991
    assert trade.lines(service, "price") == [("17.99100000",), ("100.00000000",), ("12.50000000",)]
    product = (1, 1, 0, "1.50000000", 0, "2.00000000", -3)
    names = ("product_tosell", "product_tobuy", "product_tobatch", "weight", "weight_units", "volume", "volume_units")
    assert trade.lines(service, *names) == [(None,) * 7, product, (None,) * 7]
    assert trade.client.get(f"/{service}/{trade.ids[service]}/lines")[1]["weight"] == "1.50000000"
    record = trade.read(service)
    assert record["cond_reglement_doc"] == "Due in 30 days"
    assert "linkedObjectsFullLoaded" not in record


def test_an_invoice_of_an_order_tells_when_it_was_to_be_delivered(trade):
    made = trade.client.ask("POST", f"/invoices/createfromorder/{trade.ids['orders']}")
    assert made["delivery_date"] == made["date_livraison"] == 1796000000
    assert "delivery_date" not in trade.client.get(f"/invoices/{made['id']}")


def test_what_is_paid_has_two_names(trade):
    path = f"/invoices/{trade.ids['invoices']}"
    names = ("totalpaid", "sumpayed", "sumcreditnote", "sumdeposit")
    assert {trade.client.get(path)[name] for name in names} == {"0.00000000"}
    trade.client.ask("POST", f"{path}/validate")
    body = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "no", "accountid": 1}
    amounts = {str(trade.ids["invoices"]): {"amount": "12.34", "multicurrency_amount": ""}}
    trade.client.ask("POST", "/invoices/paymentsdistributed", body | {"arrayofamounts": amounts})
    record = trade.client.get(path)
    assert [record[name] for name in names] == ["12.34000000", "12.34000000", "0.00000000", "0.00000000"]


def test_a_third_party_tells_what_dictionaries_know_in_the_asked_language(admin):
    given = {"effectif_id": 2, "forme_juridique_code": 11, "typent_id": 2, "country_id": 1}
    path = f"/thirdparties/{make(admin, 'thirdparties', name='Words', **given)}"
    record = admin.get(path)
    expected = {
        "effectif": "6 - 10", "forme_juridique": "Artisan Commerçant (EI)", "typent_code": "TE_GROUP",
        "country_code": "FR", "status_prospect_label": "Never contacted",
    }  # fmt: skip
    assert {name: record[name] for name in expected} == expected
    assert admin.get(path, lang="fr")["status_prospect_label"] == "Jamais contacté"
    assert admin.get("/thirdparties", lang="fr_FR")[-1]["status_prospect_label"] == "Jamais contacté"
    assert "lang" in admin.refused("GET", path, status=400, params={"lang": "tlh-Q"})
    empty = admin.get(f"/thirdparties/{make(admin, 'thirdparties', name='No words')}")
    assert {empty[name] for name in ("effectif", "forme_juridique", "typent_code", "country_code")} == {None}


def test_a_contact_tells_how_it_is_addressed(admin):
    path = f"/contacts/{make(admin, 'contacts', lastname='Lenoir', civility_id='MME')}"

    def shown(**params):
        record = admin.get(path, **params)
        return [record[name] for name in ("civility_code", "civility", "gender", "statut_commercial")]

    assert shown() == ["MME", "Mrs", "woman", "Never contacted"]
    assert shown(lang="fr") == ["MME", "Madame", "woman", "Jamais contacté"]
    admin.ask("PUT", path, {"civility_id": "MR"})
    assert shown()[:3] == ["MR", "Mr", "man"]
    # What was read may be sent back: empty says nothing
    admin.ask("PUT", path, {"civility_id": "", "civility_code": "DR"})
    assert shown()[:3] == ["DR", "Doctor", None]
    assert (
        admin.ask("PUT", path, {"civility_id": "x" * 7}, status=400)["error"]["errors"][0]["field"] == "civility_code"
    )


def test_the_code_of_a_country_follows_wherever_there_is_one(admin):
    user = make(admin, "users", login="ada", country_id=5)
    group = make(admin, "users/groups", name="Abroad")
    admin.get(f"/users/{user}/setGroup/{group}")
    place = make(admin, "setup/establishments", label="Workshop", country_id=5)
    shown = [
        admin.get(f"/users/{user}"),
        admin.get(f"/users/groups/{group}", load_members=1)["members"][0],
        admin.get(f"/setup/establishments/{place}"),
        admin.get("/setup/establishments")[-1],
        admin.get(f"/contacts/{make(admin, 'contacts', lastname='x', country_id=5)}"),
        admin.get(f"/warehouses/{make(admin, 'warehouses', label='w', country_id=5)}"),
    ]
    customer = make(admin, "thirdparties", name="Abroad", country_id=5)
    account = admin.ask("POST", f"/thirdparties/{customer}/bankaccounts", {"label": "x", "country_id": 5})
    shown.append(admin.get(f"/thirdparties/{customer}/bankaccounts")[0])
    assert account["country_code"] == "DE"
    assert [record["country_code"] for record in shown] == ["DE"] * len(shown)


def test_the_company_tells_its_state_and_its_words(admin):
    admin.ask("PUT", "/setup/company", {"country_code": "FR", "state_id": 1, "forme_juridique_code": "11"})
    record = admin.get("/setup/company")
    assert (record["state_id"], record["forme_juridique"]) == (1, "Artisan Commerçant (EI)")
    assert (record["default_lang"], record["logo"]) == (None, None)
    assert "partnerships" not in record and "specimen" not in record
    assert admin.ask("PUT", "/setup/company", {"state_id": 0})["state_id"] is None
    assert "state" in admin.refused("PUT", "/setup/company", {"state_id": 999999}, status=400)
    admin.ask("PUT", "/setup/conf/MAIN_INFO_SOCIETE_STATE", {"value": "nonsense"})
    assert admin.get("/setup/company")["state_id"] is None


def test_modules_and_kinds_of_records_have_the_names_of_the_reference(admin):
    named = {"api", "banque", "commande", "facture", "product", "propal", "service", "societe", "user"}
    modules = admin.get("/setup/modules")
    assert named <= set(modules) and not {"thirdparties", "orders", "invoices", "core"} & set(modules)
    admin.ask("POST", "/setup/extrafields/thirdparty/colour", {"label": "Colour", "type": "varchar"})
    assert list(admin.get("/setup/extrafields", type="thirdparty")) == ["societe"]
    assert admin.get("/setup/extrafields", type="societe") == admin.get("/setup/extrafields", type="thirdparty")
    assert admin.get("/setup/extrafields/thirdparty/colour") == admin.get("/setup/extrafields/societe/colour")
    assert admin.ask("PUT", "/setup/extrafields/thirdparty/colour", {"label": "Shade"})["label"] == "Shade"
    admin.ask("DELETE", "/setup/extrafields/thirdparty/colour")
    admin.refused("POST", "/setup/extrafields/nothing/colour", {"label": "x", "type": "varchar"}, status=404)
