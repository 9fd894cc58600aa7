"""What a constant of this module may be."""

from core import wrong_fields


def before_setup_constant_set(record: dict) -> None:
    """The source is an address of the web."""
    if record["name"] == "EXCHANGE_URL" and not record["value"].startswith(("http://", "https://")):
        raise wrong_fields([("value", "EXCHANGE_URL: expected an address such as https://rates.example/eur.json")])
