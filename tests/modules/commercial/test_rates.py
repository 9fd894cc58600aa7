"""The rate of a line, with the code that may stand behind it."""

from tests.processor import little_work


def test_blanks_around_a_rate_and_its_code_mean_nothing(admin, customer):
    line = {"qty": 1, "subprice": 10, "tva_tx": "  20   (X1) "}
    made = admin.ask("POST", "/proposals", {"socid": customer, "date": "2026-11-22", "lines": [line]})
    (kept,) = admin.get(f"/proposals/{made}")["lines"]
    assert (kept["tva_tx"], kept["vat_src_code"]) == ("20.0000", "X1")


def test_a_rate_of_blanks_costs_little(admin, customer):
    line = {"qty": 1, "subprice": 10, "tva_tx": " " * 400_000 + "x"}
    with little_work():
        admin.ask("POST", "/proposals", {"socid": customer, "date": "2026-11-22", "lines": [line]}, status=400)
