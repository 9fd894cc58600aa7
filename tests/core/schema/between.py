"""What happens while a request is answered: tests put something here."""


def happens():
    """Nothing."""
