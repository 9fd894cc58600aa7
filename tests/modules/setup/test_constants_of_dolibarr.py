"""Constants in the profile of Dolibarr, which stores any."""


def test_a_constant_that_no_module_declares_is_stored_with_a_warning(old):
    answer = old.simulate_put("/setup/conf/PRODUIT_SOUSPRODUITS", json={"value": "1"})
    assert answer.json == 1
    assert (
        "no module declares the constant PRODUIT_SOUSPRODUITS; it is stored, but has no effect"
        in answer.headers["Warning"]
    )
    assert old.get("/setup/conf/PRODUIT_SOUSPRODUITS") == "1"
    old.ask("DELETE", "/setup/conf/PRODUIT_SOUSPRODUITS")


def test_a_declared_constant_is_checked(old):
    old.ask("PUT", "/setup/conf/MAIN_MAX_DECIMALS_TOT", {"value": "9"}, status=400)
    old.ask("PUT", "/setup/conf/lower", {"value": "9"}, status=400)
