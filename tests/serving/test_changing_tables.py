"""Tables that change under load: whoever asks gets what is right, or is told to try again."""

from __future__ import annotations

import http.client
import itertools
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from core.testing.databases import drop_database, fresh_database
from tests.serving.conftest import Seen, Start
from tests.serving.running import Answer, Hands, Running

MODELS = """
from peewee import AutoField
from core import ExactField, Model, Records


class Price(Model):
    id = AutoField(column_name="rowid")
    {name} = ExactField(16, {scale}, default=0)

    class Meta:
        table_name = "live_price"


prices = Records(Price, service="tariffs")
"""
API = '''
from core import ListQuery

from ..models import prices


class Tariffs:
    """Prices."""

    records = prices

    def get(self, id: int) -> dict:
        """One.

        :access: public
        """
        return prices.load(id)

    def index(self, query: ListQuery) -> list:
        """Some."""
        return prices.page(query)

    def post(self, request_data: dict) -> int:
        """Another.

        :permission: tariffs.write
        """
        return prices.create(request_data)
'''
SCALE = """
from core import ExactField


def migrate(tables):
    tables.change("live_price", "{name}", ExactField(16, {scale}, default=0))
"""
RENAME = """
def migrate(tables):
    tables.rename("live_price", "price", "amount")
"""
ROWS = 100


class Buyers(Hands):
    """Clients that read and write prices all the time, and see whether each is right."""

    def __init__(self, server: Running) -> None:
        self.server, self.key = server, server.key
        self.statuses: Counter[tuple[str, int]] = Counter()
        self.wrong: list[str] = []
        self.made: dict[int, Decimal] = {}
        self.numbers = itertools.count(1)
        super().__init__(8)

    def _run(self, number: int) -> None:
        while not self._stop.is_set():
            try:
                (self._read, self._write, self._list, self._other)[number % 4]()
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(repr(error))
            if self._stop.wait(0.01):
                return

    def _read(self) -> None:
        row = next(self.numbers) % ROWS + 1
        answer = self.server.ask(f"/tariffs/{row}")
        self._look("GET", answer, (200, 501, 503))
        if answer.status == 200 and value_of(answer.json) != price_of(row):
            self.wrong.append(f"{row}: {answer.body!r}")

    def _list(self) -> None:
        answer = self.server.ask("/tariffs?limit=20", key=self.key)
        self._look("GET list", answer, (200, 501, 503))
        if answer.status == 200:
            self.wrong += [str(each) for each in answer.json if value_of(each) != price_of(int(each["id"]))]

    def _write(self) -> None:
        value = price_of(next(self.numbers))
        # Of the two names one is unknown, and passed over
        answer = self.server.ask("/tariffs", "POST", {"price": str(value), "amount": str(value)}, key=self.key)
        self._look("POST", answer, (200, 501, 503))
        if answer.status == 200:
            self.made[int(answer.json)] = value

    def _other(self) -> None:
        # Of modules that are not concerned
        path = ("/who", "/loyaltycards")[next(self.numbers) % 2]
        self._look("others", self.server.ask(path, key=self.key), (200,))

    def _look(self, verb: str, answer: Answer, allowed: tuple[int, ...]) -> None:
        self.statuses[verb, answer.status] += 1
        if answer.status not in allowed:
            self.wrong.append(f"{verb} {answer.status} {answer.body!r}")


def price_of(row: int) -> Decimal:
    """What the row costs."""
    return Decimal(row) + Decimal("0.25")


def value_of(record: Any) -> Decimal:
    """What is answered as its price."""
    return Decimal(str(record["price"] if "price" in record else record["amount"]))


@pytest.mark.parametrize(
    "kind",
    # MariaDB commits each step by itself: what is right there is right on the others
    [pytest.param("sqlite", marks=pytest.mark.lasting), pytest.param("postgresql", marks=pytest.mark.lasting), "mysql"],
    indirect=True,
)
@pytest.mark.fault(
    "Two workers migrate a scale and a field's name under load",
    "amounts stay correct, 503 and 501 are brief, no write is lost",
)
def test_no_amount_is_wrong_while_its_column_changes(kind: str, start: Start, seen: Seen, tmp_path: Path) -> None:
    url = fresh_database(kind, tmp_path)
    try:
        _change_under_load(start(workers=2, database=url), seen)
    finally:
        drop_database(url)


def _change_under_load(server: Running, seen: Seen) -> None:
    module = "tariffs"
    server.write(f"{module}/class/api_tariffs.py", API)
    server.write(f"{module}/models.py", MODELS.format(name="price", scale=2))
    server.everywhere("/tariffs/1", lambda answer: answer.status == 404)
    for row in range(1, ROWS + 1):
        assert server.ask("/tariffs", "POST", {"price": str(price_of(row))}, key=server.key).json == row
    slowest = 0.0
    with Buyers(server) as buyers:
        time.sleep(0.5)
        for number, (scale, name) in enumerate([(4, "price"), (8, "price"), (3, "price"), (3, "amount")], 1):
            text = RENAME if name == "amount" else SCALE.format(name=name, scale=scale)
            files = [(f"{module}/migrations/000{number}_step.py", text),
                     (f"{module}/models.py", MODELS.format(name=name, scale=scale))]  # fmt: skip
            # Whichever comes first: the server takes them as one
            for file, content in files if number % 2 else files[::-1]:
                server.write(file, content)
                time.sleep(0.2)
            key, digits = name, scale

            def right(answer: Answer, key: str = key, digits: int = digits) -> bool:
                return answer.status == 200 and answer.json.get(key) == f"{price_of(1):.{digits}f}"

            slowest = max(slowest, server.everywhere("/tariffs/1", right, within=20))
            time.sleep(0.3)
    assert buyers.wrong == []
    expected = {row: price_of(row) for row in range(1, ROWS + 1)} | buyers.made
    assert {row: value_of(server.ask(f"/tariffs/{row}").json) for row in expected} == expected
    counted = ", ".join(f"{verb} {status}: {number}" for (verb, status), number in sorted(buyers.statuses.items()))
    seen(f"{counted}; the slowest change reached every worker after {slowest:.1f} s")
    assert buyers.statuses["GET", 200] > 50
    assert buyers.statuses["POST", 200] > 20
