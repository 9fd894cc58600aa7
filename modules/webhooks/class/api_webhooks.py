"""Webhooks over HTTP."""

from typing import Annotated, TypedDict

from core import Crud

from ..testing import Tested, send_test
from ..webhooks import webhooks


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

        The event `webhooks.test` is sent now, once. The response has the status that the receiver returned.

        :url: POST {id}/test
        :idempotency: none
        :permission: write
        """
        return send_test(id)
