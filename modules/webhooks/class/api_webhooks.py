"""Webhooks over HTTP."""

from typing import Annotated, Any, TypedDict

from core import Crud

from ..models import Webhook
from ..testing import Tested, send_test
from ..webhooks import webhooks

WebhookRecord = Annotated[dict[str, Any], Webhook]


class Secret(TypedDict):
    """The secret of a webhook."""

    secret: Annotated[str, "the new secret; it isn't shown again"]


class Webhooks(Crud):
    """Addresses that the server sends events to.

    A webhook has the permissions of its owner: it gets the events of records that the owner may read, as the owner
    reads them. A request is repeated until the receiver returns a status from 200 to 299, for
    three days.
    """

    group = "Tools"
    records = webhooks

    def post(self, request_data: WebhookRecord) -> int:
        """Create a webhook.

        Returns the webhook's ID. If you send no `secret`, the server makes one; `POST {id}/secret` returns a new one.
        """
        return webhooks.create(request_data)

    def secret(self, id: int) -> Secret:
        """Make a new secret.

        For 24 hours, requests have two signatures, with the new secret and with the former one.

        :url: POST {id}/secret
        :cache: no-store
        :permission: write
        """
        return {"secret": webhooks.change_secret(id)}

    def test(self, id: int) -> Tested:
        """Send a test event.

        The event `webhooks.test` is sent now, once. The response has the status that the receiver returned, and `error`
        is empty if the test succeeded. The test is listed in `GET /webhookdeliveries`.

        :url: POST {id}/test
        :idempotency: none
        :permission: write
        """
        return send_test(id)
