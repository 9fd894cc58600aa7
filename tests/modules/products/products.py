"""What the tests of products say to the server."""

import itertools

#: every field that POST and PUT keep, a value to send and what is read back
KEPT = {
    "ref_ext": ("EXT-1", "EXT-1"),
    "label": ("Näme & <b>Co</b> 'x'", "Näme & <b>Co</b> 'x'"),
    "description": ("line 1\nline <i>2</i>", "line 1\nline <i>2</i>"),
    "type": ("1", 1),
    "status": (0, 0),
    "status_buy": (1, 1),
    "status_batch": (2, 2),
    "price": ("9.87654321", "9.87654000"),
    "price_min": (1.5, "1.50000000"),
    "price_base_type": ("TTC", "TTC"),
    "cost_price": ("9999999999.12345678", "9999999999.12345678"),
    "tva_tx": ("5.5", "5.5000"),
    "default_vat_code": ("ABC", "ABC"),
    "localtax1_tx": (5.2, "5.2000"),
    "localtax2_tx": ("-15", "-15.0000"),
    "localtax1_type": ("1", "1"),
    "localtax2_type": (5, "5"),
    "barcode": (" 4006381333931 ", "4006381333931"),
    "barcode_type": (2, 2),
    "weight": ("0.1", "0.10000000"),
    "weight_units": (-3, -3),
    "length": (2, "2.00000000"),
    "length_units": (-2, -2),
    "width": ("3.25", "3.25000000"),
    "width_units": (-1, -1),
    "height": ("", None),
    "height_units": (0, 0),
    "surface": (4, "4.00000000"),
    "surface_units": (-4, -4),
    "volume": (5, "5.00000000"),
    "volume_units": (-6, -6),
    "net_measure": (6, "6.00000000"),
    "net_measure_units": (99, 99),
    "customcode": ("8306", "8306"),
    "country_id": (1, 1),
    "state_id": (12, 12),
    "duration_value": ("3", 3),
    "duration_unit": ("m", "m"),
    "url": ("https://example.com/?a=1&b=2", "https://example.com/?a=1&b=2"),
    "seuil_stock_alerte": ("2.5", "2.50000000"),
    "desiredstock": (10, "10.00000000"),
    "fk_default_warehouse": (3, 3),
    "finished": (1, 1),
    "lifetime": (365, 365),
    "qc_frequency": (30, 30),
    "fk_unit": (2, 2),
    "accountancy_code_sell": ("701", "701"),
    "accountancy_code_sell_intra": ("702", "702"),
    "accountancy_code_sell_export": ("703", "703"),
    "accountancy_code_buy": ("601", "601"),
    "accountancy_code_buy_intra": ("602", "602"),
    "accountancy_code_buy_export": ("603", "603"),
    "note_public": ("public", "public"),
    "note_private": ("private", "private"),
    "mandatory_period": (1, 1),
}
numbers = itertools.count(1)


def make(client, ref="", /, **fields):
    body = {"ref": ref or f"R{next(numbers)}", "label": "Something", **fields}
    identifier = client.ask("POST", "/products", body)
    assert isinstance(identifier, int)
    return identifier


def refs(rows):
    return [row["ref"] for row in rows]


def wrong_fields(client, body, verb="POST", path="/products"):
    error = client.ask(verb, path, body, status=400)["error"]
    return {each["field"]: each["message"] for each in error["errors"]}
