"""Subscriptions: what a third party pays each month, and the drafts of invoices that were made of it."""

from calendar import monthrange
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, TypedDict

from peewee import AutoField, BooleanField, CharField, DateField, SmallIntegerField

from core import BadRequest, ExactField, Model, RecordField, Records, Refused, today, transaction

from ..invoices.invoices import invoices
from ..invoices.models import Invoice
from ..thirdparties.models import Thirdparty
from ..thirdparties.thirdparties import thirdparties

#: suspended: by hand, or because the third party is closed
STATES = (("active", "active"), ("suspended", "suspended"))


class SubscriptionAnswers(TypedDict, total=False):
    """What a record of a subscription holds besides its fields."""

    thirdparty_name: Annotated[str, Thirdparty.name, "of the third party that pays"]


class Subscription(Model):
    """What a third party pays each month."""

    id = AutoField()
    socid = RecordField(Thirdparty, "Third party", column_name="fk_soc")
    title = CharField(max_length=255, help_text="what is sold; the text of the invoice's line")
    price = ExactField(digits=24, scale=8, help_text="per month, before taxes, in the company's currency")
    tva_tx = ExactField(digits=7, scale=4, default=Decimal(0), help_text="VAT, percent")
    discount = ExactField(digits=7, scale=4, default=Decimal(0), help_text="percent off the price")
    first_day = DateField()
    last_day = DateField(null=True, help_text="empty: until further notice")
    day = SmallIntegerField(default=1, help_text="of the month on which it is invoiced, or its last one")
    held = BooleanField(default=False, help_text="suspended by hand, until it is resumed by hand")
    state = CharField(max_length=16, default="active", choices=STATES)
    next_day = DateField(null=True, index=True, help_text="day of the next invoice; empty: there is none")

    class Meta:
        table_name = "subscriptions_subscription"
        required = ("socid", "title", "price", "first_day")
        managed = ("id", "held", "state", "next_day")
        create_only = ("socid",)
        thirdparty = "socid"
        answers = SubscriptionAnswers
        example = {"socid": 1, "title": "Care", "price": "49.90", "tva_tx": 20, "first_day": "2026-12-01", "day": 1}


class Invoiced(Model):
    """That a month of a subscription has been invoiced. It outlives the draft, so that none is made twice."""

    id = AutoField()
    subscription = RecordField(Subscription, "Subscription")
    month = DateField(help_text="its first day")
    invoice = RecordField(Invoice, "Invoice", null=True, help_text="empty: it was deleted")

    class Meta:
        table_name = "subscriptions_invoiced"
        thirdparty = "subscription.socid"
        part_of = ("subscription",)
        # The database keeps the promise, too
        indexes = ((("subscription", "month"), True),)


invoiced = Records(Invoiced, noun="Month")


def on_or_after(start: date, day: int) -> date:
    """The first day from `start` on which something of this day of the month is invoiced."""
    length = monthrange(start.year, start.month)[1]
    found = start.replace(day=min(day, length))
    return found if found >= start else on_or_after(start.replace(day=1) + timedelta(length), day)


def cents(amount: Decimal) -> Decimal:
    """An amount as an invoice's line has it."""
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


class Subscriptions(Records[Subscription]):
    """All subscriptions: what is decided about them stands here."""

    model, service, noun = Subscription, "subscriptions", "Subscription"
    joins = {"s": (Thirdparty, "socid", ("name",))}
    answers = {"thirdparty_name": "s.name"}

    def prepare(self, values: dict[str, Any], before: Subscription | None) -> None:
        """Check what one field cannot say, and set the state and the day of the next invoice."""
        unsaid = {"last_day": None, "day": 1, "discount": 0, "held": False, "next_day": None}
        now = (before.__data__ if before else unsaid) | values
        wrong = [(name, f"{name} must be 0 or more") for name in ("price", "tva_tx") if values.get(name, 0) < 0]
        if not 0 <= now["discount"] <= 100:
            wrong.append(("discount", "discount must be from 0 to 100"))
        if not 1 <= now["day"] <= 31:
            wrong.append(("day", "day must be from 1 to 31"))
        if now["last_day"] and now["last_day"] < now["first_day"]:
            wrong.append(("last_day", "last_day lies before first_day"))
        if wrong:
            raise BadRequest(errors=wrong)
        is_open = thirdparties.load(now["socid"], lock=True).status
        values["state"] = "active" if is_open and not now["held"] else "suspended"
        values["next_day"] = self.next_day(now) if values["state"] == "active" else None

    def next_day(self, now: dict[str, Any]) -> date | None:
        """The day of the next invoice, in the month that is planned; without a plan from today on."""
        planned = now["next_day"]
        day = on_or_after(max(planned.replace(day=1) if planned else today(), now["first_day"]), now["day"])
        return None if now["last_day"] and day > now["last_day"] else day

    def payer(self, id: int) -> Thirdparty:
        """The third party, locked before its subscription is, as whoever closes it does."""
        return thirdparties.load(self.load(id).socid, lock=True)

    def change(self, id: int, body: dict[str, Any], **managed: Any) -> bool:
        """Change the fields that are sent."""
        with transaction():
            self.payer(id)
            return super().change(id, body, **managed)

    def follow(self, thirdparty: int) -> None:
        """Suspend or resume all subscriptions of a third party that was closed or opened."""
        with transaction():
            for row in Subscription.select().where(Subscription.socid == thirdparty):
                values: dict[str, Any] = {}
                self.prepare(values, row)
                if values["state"] != row.state:
                    self.write_unchecked(row.id, **values)
                    self.notify("changed", row.id)

    def due(self) -> list[int]:
        """The subscriptions of which an invoice is to be made by now."""
        rows = Subscription.select(Subscription.id).where(Subscription.next_day <= today())
        return [each.id for each in rows.order_by(Subscription.id)]

    def invoice(self, id: int) -> int | None:
        """Make the draft that is due next of a subscription; None: there is none by now, or this one has been made."""
        with transaction():
            self.payer(id)
            row = self.load(id, lock=True)
            if row.next_day is None or row.next_day > today():
                return None
            month, draft = row.next_day.replace(day=1), None
            if not invoiced.every({"subscription": id, "month": month}):
                line = {"desc": row.title, "product_type": 1, "qty": 1, "subprice": str(row.price)}
                line |= {"tva_tx": str(row.tva_tx), "remise_percent": str(row.discount)}
                draft = invoices.create({"socid": row.socid, "date": row.next_day.isoformat(), "lines": [line]})
                invoiced.insert({"subscription": id, "month": month, "invoice": draft}, {})
            following = month + timedelta(monthrange(month.year, month.month)[1])
            self.write_unchecked(id, next_day=self.next_day(row.__data__ | {"next_day": following}))
            return draft

    def removing(self, row: Subscription) -> None:
        """What was invoiced is kept."""
        if count := len(invoiced.every({"subscription": row.id})):
            raise Refused(f"it has been invoiced (months: {count}): give it a last day instead")

    def sums(self) -> list[dict[str, Any]]:
        """What each third party pays each month, of the active subscriptions that the caller sees."""
        sums: dict[int, dict[str, Any]] = {}
        for each in self.every({"state": "active"}):
            empty = {"socid": each["socid"], "thirdparty_name": each["thirdparty_name"], "subscriptions": 0}
            total = sums.setdefault(each["socid"], empty | {"total_ht": Decimal(0), "total_ttc": Decimal(0)})
            net = cents(Decimal(each["price"]) * (100 - Decimal(each["discount"])) / 100)
            total["subscriptions"] += 1
            total["total_ht"] += net
            total["total_ttc"] += net + cents(net * Decimal(each["tva_tx"]) / 100)
        return list(sums.values())


subscriptions = Subscriptions()
