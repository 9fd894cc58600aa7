"""What the tables lack of what models.py says."""

from core import ExactField


def migrate(tables):
    # worktime_entry.hours: the table keeps 2 digits behind the point, models.py says 4, and every hours would read 100 times too small
    # It keeps every value, or refuses and says how many rows stand in the way; lossy=True rounds and cuts
    tables.change("worktime_entry", "hours", ExactField(6, 4))  # was ExactField(4, 2)
