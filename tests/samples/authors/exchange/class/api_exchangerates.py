"""Exchange rates over HTTP."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from core import Accepted, Api, ListQuery

from ..jobs import fetch_now
from ..models import Rate, rates

RateRecord = Annotated[dict[str, Any], Rate]


class PublicRate(TypedDict):
    """What one unit of the company's currency is worth."""

    base: Annotated[str, "the company's currency"]
    currency: Annotated[str, "ISO 4217 code"]
    rate: Annotated[str, "units of it for one of the company's"]
    since: Annotated[int, datetime]
    stale: Annotated[bool, "whether no fetch has confirmed it within the last hour"]


Conversion = TypedDict(
    "Conversion",
    {
        "from": Annotated[str, "the currency of the amount"],
        "to": Annotated[str, "the other one"],
        "amount": Decimal,
        "result": Annotated[Decimal, "in the other one, rounded"],
        "rounding": Annotated[str, "what rounding has done, in words"],
        "since": Annotated[int | None, datetime],
        "stale": Annotated[bool, "whether a rate was not confirmed within the hour before"],
    },
)


class ExchangeRates(Api):
    """What one unit of the company's currency is worth in others, fetched each minute.

    :rights: refresh
    """

    records = rates

    def index(self, query: ListQuery) -> list[RateRecord]:
        """List all rates that are kept, those of former days too.

        :permission: read
        """
        return rates.page(query)

    def get(self, id: int) -> RateRecord:
        """Read one rate.

        :raises NotFound: there is none with this identifier
        :permission: read
        """
        return rates.read(id)

    def latest(self) -> list[RateRecord]:
        """The rates that hold now.

        :permission: read
        """
        return rates.latest()

    def public(self) -> list[PublicRate]:
        """The rates that hold now, for everybody.

        :access: public
        :cache: public, max-age=60
        """
        return [{name: record[name] for name in PublicRate.__annotations__} for record in rates.latest()]

    def convert(self, from_: str, to: str, amount: Decimal, at: datetime | None = None, digits: int = 2) -> Conversion:
        """Say an amount in another currency.

        :param from_: the currency of the amount {@pattern /^[A-Za-z]{3}$/} {@example EUR}
        :param to: the other one {@pattern /^[A-Za-z]{3}$/} {@example USD}
        :param amount: how much {@example 12.50}
        :param at: by the rates of this instant, else by those that hold now
        :param digits: behind the point {@min 0} {@max 8}
        :raises NotFound: there is no such rate
        :permission: read
        """
        return rates.convert(amount, from_.upper(), to.upper(), at, digits)

    def post(self, request_data: RateRecord) -> int:
        """Set a rate by hand, from now on.

        :permission: write
        """
        return rates.set_by_hand(request_data)

    def delete(self, id: int) -> int:
        """Delete a rate.

        :permission: write
        """
        rates.delete(id)
        return 1

    def post_refresh(self) -> Accepted:
        """Fetch the rates now; a job does it, and tells how far it is.

        :permission: refresh
        """
        return Accepted(fetch_now.later())
