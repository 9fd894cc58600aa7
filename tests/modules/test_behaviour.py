"""What `modules/BEHAVIOUR.md` says and code can tell: points of the profile, operators, limits, moves, the page's links."""

from __future__ import annotations

import importlib
import re
from dataclasses import fields
from pathlib import Path

import pytest

from core import settings
from core.common.errors import STANDARD_TEXTS
from core.common.json_texts import DEPTH
from core.common.profiles import PROFILE_NAMES, Profile, profile_named
from core.storage import filter_parser
from core.storage.fields import ExactField
from core.storage.sqlfilters import LOOKED_INTO, OPERATORS
from core.testing import Client, Served

PAGE = (Path(__file__).parents[2] / "modules/BEHAVIOUR.md").read_text()

SERVICES = {"proposals": "proposals.proposals", "orders": "orders.orders", "invoices": "invoices.invoices"}


def section(name: str) -> str:
    return PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]


def rows(name: str) -> list[list[str]]:
    """The rows of a section's tables, without their heads."""
    lines = re.findall(r"^\| (.*) \|$", section(name), re.M)
    return [[cell.strip() for cell in line.split(" | ")] for line in lines]


def numbers(text: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\d|\d", text)]


def test_the_contents_lead_to_the_sections() -> None:
    heads = re.findall(r"^## (.+)$", PAGE, re.M)
    anchors = [re.sub(r"[^a-z0-9 -]", "", head.lower()).replace(" ", "-") for head in heads]
    links = re.findall(r"\]\(#([a-z0-9-]+)\)", PAGE)
    assert links[: len(anchors)] == anchors
    assert set(links) <= set(anchors)


@pytest.mark.usefixtures("sample_server")
def test_the_table_of_points_names_every_point_of_the_profile() -> None:
    profiles = [profile_named(name) for name in PROFILE_NAMES]
    named = {cells[0].strip("`"): cells for cells in rows("The two profiles")[1:]}
    own = [each.name for each in fields(Profile) if each.name != "points"]
    assert sorted(named) == sorted([*own, *profiles[0].points])
    assert named["name"][2:] == [f"`{name}`" for name in PROFILE_NAMES]
    assert profiles[0].validity_days is None
    assert str(profiles[1].validity_days) in named["validity_days"][3]
    for cell, profile in zip(named["new_product_status"][2:], profiles, strict=True):
        assert cell.startswith(f"{profile.new_product_status},")
    for cell, profile in zip(named["repeated_action"][2:], profiles, strict=True):
        assert cell.startswith(str(profile.repeated_action.status))


def test_the_table_of_operators_is_the_one_that_filters_know() -> None:
    listed = {cells[0].strip("`"): cells[1] for cells in rows("Filters")[1:]}
    assert listed == {name: operator.takes for name, operator in OPERATORS.items()}


def test_the_limits_are_those_of_the_code() -> None:
    filters = section("Filters").split("Limits:")[1]
    assert numbers(filters) == [
        filter_parser.MAX_LENGTH, filter_parser.MAX_CRITERIA, filter_parser.MAX_DEPTH, filter_parser.MAX_VALUES,
        filter_parser.MAX_WILDCARDS, filter_parser.MAX_PATTERN, LOOKED_INTO,
    ]  # fmt: skip
    assert f"{ExactField().limit():,}" in section("Values")
    assert f"{DEPTH} levels" in section("Calling")


@pytest.mark.usefixtures("sample_server")
def test_the_limits_of_modules_are_those_of_the_code() -> None:
    attempts, tokens, passwords, totals = (
        importlib.import_module(f"modules.{name}")
        for name in ("login.attempts", "login.tokens", "users.passwords", "commercial.totals")
    )
    login = section("Keys, login, rights")
    assert f"the {tokens.KEPT} newest" in login
    assert f"After {attempts.FAILURES} failures in {attempts.WINDOW // 60} minutes" in login
    assert f"{passwords.SHORTEST} characters or more" in login
    amounts, places = section("Amounts and VAT"), totals.Rounding()
    for constant, value in (("TOT", places.total), ("UNIT", places.unit), ("STOCK", places.stock)):
        assert re.search(rf"{value}(?: places)? \(`MAIN_MAX_DECIMALS_{constant}`\)", amounts), constant


def test_every_status_that_is_listed_is_one_of_ours() -> None:
    listed = {int(number) for cells in rows("Errors")[1:] for number in cells[0].split()}
    assert listed <= set(STANDARD_TEXTS)


def test_what_calls_answer(sample_server: Served) -> None:
    """A sample of the sentences, as calls."""
    client: Client = sample_server.client()
    assert settings().profile.name == "specification"
    assert client.refused("GET", "/orders/0", status=400).endswith("Order ID is mandatory")
    client.get("/orders/abc", status=400)
    client.get("/orders", page=-1)
    client.get("/orders", limit=-1, status=400)
    client.get("/orders", limitt=1)
    client.get("/orders", properties="nothing", status=200)
    client.ask("POST", "/orders", {"socid": 777, "date": "2026-11-21"}, status=404)
    client.get("/documents", modulepart="nothing", id=1, status=400)
    client.get("/documents/download", modulepart="order", original_file="../x", status=400)
    customer = client.ask("POST", "/thirdparties", {"name": "Told", "client": 1, "phone": "01.02 03"})
    assert client.get(f"/thirdparties/{customer}")["phone"] == "010203"
    client.ask("POST", "/orders", {"socid": customer, "date": "20261121"}, status=400)
    client.ask("GET", "/invoices?status=unpayed", status=400)
    for sent, day in (("2026-11-21", 1795219200), ("2026-11-21T23:30:00-05:00", 1795219200)):
        order = client.ask("POST", "/orders", {"socid": customer, "date": sent})
        assert client.get(f"/orders/{order}")["date"] == day
