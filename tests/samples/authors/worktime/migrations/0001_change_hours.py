"""Change the tables to match models.py."""

from core import ExactField


def migrate(tables):
    # worktime_entry.hours: the column has 2 decimal places, but the model declares 4
    # Fails if values don't fit, and reports how many; lossy=True rounds or cuts them
    tables.change("worktime_entry", "hours", ExactField(6, 4))  # was ExactField(4, 2)
