"""What the tests of orders say to the server."""

#: midnight UTC of 2026-11-21 and of 2025-01-15
DAY, EARLIER = 1795219200, 1736899200
LINE = {"desc": "Desk", "qty": 3, "subprice": "19.99", "tva_tx": "20", "remise_percent": 10}
MORE = {"desc": "Chair", "qty": 2, "subprice": 100, "tva_tx": "5.5"}
#: 53.97 + 200.00, 10.80 + 11.00, 64.77 + 211.00
TOTALS = ("253.97000000", "21.80000000", "275.77000000")


def totals(record):
    return tuple(record[name] for name in ("total_ht", "total_tva", "total_ttc"))


def picked(record, names):
    return {name: record[name] for name in names}
