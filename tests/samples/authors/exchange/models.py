"""Exchange rates: what one unit of the company's currency is worth in others, and since when."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Annotated, Any, TypedDict

from peewee import AutoField, CharField, DateTimeField, IntegerField, fn

from core import ExactField, Model, NotFound, Records, settings, transaction, utc_now, wrong_fields

from ..setup.constants import constant

#: from this age on a rate is said to be stale
STALE = timedelta(hours=1)
#: rates older than this are thinned out to one a day
KEPT = timedelta(days=30)


def currency() -> str:
    """The company's currency."""
    return constant("MAIN_MONNAIE")


class RateAnswers(TypedDict, total=False):
    """What a record of a rate holds besides its fields."""

    stale: Annotated[bool, "whether no fetch has confirmed it within the last hour"]


class Rate(Model):
    """What one unit of the company's currency is worth in another, from an instant on."""

    id = AutoField()
    base = CharField(max_length=3, help_text="the company's currency")
    currency = CharField(max_length=3, help_text="ISO 4217 code of the other one")
    rate = ExactField(digits=20, scale=8, help_text="units of it for one of the company's")
    since = DateTimeField(help_text="when it was first fetched")
    seen = DateTimeField(help_text="when a fetch confirmed it last")
    # Of two fetches at the same time one fails here, and is tried again
    replaces = IntegerField(default=0, help_text="the rate before; 0: it is the first")

    class Meta:
        table_name = "exchange_rate"
        required = ("currency", "rate")
        managed = ("id", "base", "since", "seen", "replaces")
        unaudited = ("seen",)
        answers = RateAnswers
        indexes = ((("base", "currency", "replaces"), True), (("base", "currency", "since"), False))
        example = {"currency": "USD", "rate": "1.08320000"}


class Rates(Records[Rate]):
    """Exchange rates."""

    model = Rate
    service = "exchangerates"
    noun = "Rate"
    cleaners = {"currency": str.upper}

    def prepare(self, values: dict[str, Any], before: Rate | None) -> None:
        """A rate is positive, and of another currency than the company's."""
        if as_kept(values.get("rate", Decimal(1))) <= 0:
            raise wrong_fields([("rate", "rate must be more than 0")])
        code = values.get("currency", "XXX")
        if not (len(code) == 3 and code.isascii() and code.isalpha()) or code == currency():
            raise wrong_fields([("currency", f"{code} is not a currency other than the company's")])

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Say which are stale."""
        limit = (utc_now() - STALE).replace(tzinfo=UTC).timestamp()
        for record in records:
            record["stale"] = record["seen"] < limit

    def newest(self, at: datetime | None = None) -> dict[str, Rate]:
        """The rate of each currency that holds now, or held at an instant."""
        held = Rate.base == currency()
        if at:
            held &= Rate.since <= at
        numbers = Rate.select(fn.MAX(Rate.id)).where(held).group_by(Rate.currency)
        return {row.currency: row for row in Rate.select().where(Rate.id.in_(numbers))}

    def latest(self) -> list[dict[str, Any]]:
        """The records of the rates that hold now."""
        return self.every({"id": [row.id for row in self.newest().values()]})

    def set_by_hand(self, body: dict[str, Any]) -> int:
        """Keep a rate that a person has sent; answers its identifier."""
        values, _ = self.accept(body)
        now, last = utc_now(), self.newest().get(values["currency"])
        return self.create(body, base=currency(), since=now, seen=now, replaces=last.id if last else 0)

    def take(self, fetched: dict[str, Any]) -> list[str]:
        """Keep those that differ from the last ones, and confirm the others; answers the currencies that changed."""
        accepted = self.accept_many([{"currency": code, "rate": rate} for code, rate in fetched.items()])
        now, changed, same = utc_now(), [], []
        with transaction():
            newest = self.newest()
            for values, _ in accepted:
                last = newest.get(values["currency"])
                if last and last.rate == as_kept(values["rate"]):
                    same.append(last.id)
                else:
                    self.create(values, base=currency(), since=now, seen=now, replaces=last.id if last else 0)
                    changed.append(values["currency"])
            Rate.update(seen=now).where(Rate.id.in_(same)).execute()
        return changed

    def thin_out(self) -> int:
        """Of rates older than 30 days keep the last of each day; answers how many are gone."""
        kept, gone = set(), []
        old = Rate.select().where(Rate.since < utc_now() - KEPT).order_by(Rate.id.desc())
        for row in old.iterator():
            day = (row.base, row.currency, row.since.replace(tzinfo=UTC).astimezone(settings().zone).date())
            if day in kept:
                gone.append(row.id)
            kept.add(day)
        for start in range(0, len(gone), 500):
            Rate.delete().where(Rate.id.in_(gone[start : start + 500])).execute()
        return len(gone)

    def convert(self, amount: Decimal, source: str, target: str, at: datetime | None, digits: int) -> dict[str, Any]:
        """An amount in another currency, exactly, then rounded half away from zero."""
        newest, used = self.newest(at), []
        exact = Fraction(amount)
        for code, divide in ((source, True), (target, False)):
            if code == currency():
                continue
            if code not in newest:
                raise NotFound(f"there is no rate of {code}" + (f" at {at}" if at else ""))
            used.append(newest[code])
            exact = exact / Fraction(newest[code].rate) if divide else exact * Fraction(newest[code].rate)
        result = round_half_up(exact, digits)
        limit = (at or utc_now()) - STALE
        return {
            "from": source,
            "to": target,
            "amount": amount,
            "result": result,
            "rounding": say_rounding(exact, result, digits),
            "since": max((row.since for row in used), default=None),
            "stale": any(row.seen < limit for row in used),
        }


def as_kept(rate: Decimal) -> Decimal:
    """With 8 digits, as the database keeps it; what a body says may have more."""
    return rate.quantize(Decimal("1E-8"), ROUND_HALF_UP)


def round_half_up(exact: Fraction, digits: int) -> Decimal:
    """Half away from zero, without ever being a float."""
    scaled = abs(exact) * 10**digits
    whole = int(scaled + Fraction(1, 2))
    return Decimal(whole if exact >= 0 else -whole).scaleb(-digits)


def say_rounding(exact: Fraction, result: Decimal, digits: int) -> str:
    """What rounding has done to an amount."""
    if exact == Fraction(result):
        return "exact, nothing was rounded"
    way = "up" if Fraction(result) > exact else "down"
    return f"rounded {way} to {digits} digits behind the point, half away from zero"


rates = Rates()
