"""Loyalty cards over HTTP."""

from typing import Annotated, Any

from core import Api, ListQuery

from ..models import Card, cards

CardRecord = Annotated[dict[str, Any], Card]


class LoyaltyCards(Api):
    """Issue loyalty cards and spend the points they hold.

    :rights: spend
    """

    records = cards

    def index(self, query: ListQuery) -> list[CardRecord]:
        """List cards, oldest first.

        :permission: loyaltycards.read
        """
        return cards.page(query)

    def get(self, id: int) -> CardRecord:
        """Read one card.

        :param id: row identifier of the card
        :raises NotFound: no card has this identifier
        :permission: loyaltycards.read
        """
        return cards.read(id)

    def post(self, request_data: CardRecord) -> int:
        """Issue a card.

        :permission: loyaltycards.write
        """
        return cards.create(request_data)

    def spend(self, id: int, points: int) -> CardRecord:
        """Spend points from a card.

        :url: POST {id}/spend
        :param points: how many to take off {@min 1}
        :raises Refused: the card holds fewer points
        :permission: loyaltycards.spend
        """
        cards.spend(id, points)
        return cards.read(id)
