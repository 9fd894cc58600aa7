"""Subscriptions over HTTP."""

from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict

from core import Api, ListQuery, Transition

from ..models import Invoiced, Subscription, Thirdparty, invoiced, subscriptions

SubscriptionRecord = Annotated[dict[str, Any], Subscription]
InvoicedRecord = Annotated[dict[str, Any], Invoiced]


class Sum(TypedDict):
    """What a third party pays each month."""

    socid: Annotated[int, Subscription.socid, "third party"]
    thirdparty_name: Annotated[str, Thirdparty.name, "its name"]
    subscriptions: Annotated[int, "how many are active"]
    total_ht: Annotated[Decimal, "per month, before taxes"]
    total_ttc: Annotated[Decimal, "per month, taxes included"]


class Subscriptions(Api):
    """What third parties pay each month; a draft of an invoice is made of it on its day.

    A subscription is suspended, and not invoiced, while its third party is closed, or until it is resumed by hand.

    :rights: suspend
    """

    records = subscriptions
    transitions = (Transition("active", "suspend", "suspended"), Transition("suspended", "resume", "active"))

    def index(
        self, query: ListQuery, socid: int | None = None, state: Literal["active", "suspended"] | None = None
    ) -> list[SubscriptionRecord]:
        """List subscriptions.

        :param socid: only those of this third party
        :param state: only those in this state
        :permission: read
        """
        asked = {"socid": socid, "state": state}
        return subscriptions.page(query, where={name: value for name, value in asked.items() if value is not None})

    def get(self, id: int) -> SubscriptionRecord:
        """Read one subscription.

        :param id: row identifier
        :raises NotFound: there is none with this identifier
        :permission: read
        """
        return subscriptions.read(id)

    def get_sums(self) -> list[Sum]:
        """What each third party pays each month, of active subscriptions.

        :permission: read
        """
        return subscriptions.sums()

    def invoices(self, id: int) -> list[InvoicedRecord]:
        """List the months of a subscription that have been invoiced.

        :url: GET {id}/invoices
        :param id: row identifier
        :permission: read
        """
        subscriptions.read(id)
        return invoiced.every({"subscription": id})

    def post(self, request_data: SubscriptionRecord) -> int:
        """Create a subscription; answers its identifier.

        :permission: write
        """
        return subscriptions.create(request_data)

    def put(self, id: int, request_data: SubscriptionRecord) -> SubscriptionRecord:
        """Change the fields that are sent.

        :param id: row identifier
        :permission: write
        """
        subscriptions.change(id, request_data)
        return subscriptions.answer(id)

    def delete(self, id: int) -> int:
        """Delete a subscription that has never been invoiced; answers 1.

        :param id: row identifier
        :raises Refused: it has been invoiced
        :permission: delete
        """
        subscriptions.delete(id)
        return 1

    def suspend(self, id: int) -> SubscriptionRecord:
        """Suspend a subscription until it is resumed.

        :url: POST {id}/suspend
        :param id: row identifier
        :permission: suspend
        """
        subscriptions.change(id, {}, held=True)
        return subscriptions.answer(id)

    def resume(self, id: int) -> SubscriptionRecord:
        """Resume a subscription; it goes on where its third party is open.

        :url: POST {id}/resume
        :param id: row identifier
        :permission: suspend
        """
        subscriptions.change(id, {}, held=False)
        return subscriptions.answer(id)
