"""Loyalty cards: the records."""

from peewee import AutoField, CharField, IntegerField

from core import Model, Records, Refused, transaction


class Card(Model):
    """A card that holds points."""

    id = AutoField()
    number = CharField(max_length=20, unique=True, help_text="what is printed on the card")
    points = IntegerField(default=0, help_text="points on the card")

    class Meta:
        table_name = "loyalty_card"
        required = ("number",)
        managed = ("points",)


class Cards(Records[Card]):
    """Loyalty cards."""

    model = Card
    service = "loyaltycards"
    events = ("spent",)
    noun = "Card"

    def spend(self, id: int, points: int) -> None:
        """Take points off a card."""
        with transaction():
            card = self.load(id, lock=True)
            if card.points < points:
                raise Refused(f"the card holds {card.points} points")
            self.change(id, {}, points=card.points - points)
            self.notify("spent", id)


cards = Cards()
