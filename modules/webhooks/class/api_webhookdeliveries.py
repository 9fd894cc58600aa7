"""Deliveries of webhooks over HTTP."""

from typing import Annotated, Any

from core import Api, ListQuery

from ..deliveries import deliveries
from ..models import Delivery

DeliveryRecord = Annotated[dict[str, Any], Delivery]


class WebhookDeliveries(Api):
    """Events that were sent to webhooks, or wait for them.

    They are kept as long as events, by default 30 days.
    """

    group = "Tools"
    records = deliveries

    def index(self, query: ListQuery, webhook: int | None = None) -> list[DeliveryRecord]:
        """List deliveries.

        :param webhook: only those of this webhook, by ID
        :permission: webhooks.read
        """
        return deliveries.page(query, {"webhook": webhook} if webhook is not None else {})

    def get(self, id: int) -> DeliveryRecord:
        """Read a delivery.

        :permission: webhooks.read
        """
        return deliveries.read(id)

    def repeat(self, id: int) -> DeliveryRecord:
        """Repeat a delivery.

        :url: POST {id}/repeat
        :raises Refused: the event is no longer kept, or it was a test
        :permission: webhooks.write
        """
        deliveries.repeat(id)
        return deliveries.read(id)
