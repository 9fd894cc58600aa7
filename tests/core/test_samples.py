"""The sample module of the guide, over HTTP."""

from tests.served import Served


def test_a_card_is_issued_and_read(sample_server: Served) -> None:
    client = sample_server.client()
    card = client.ask("POST", "/loyaltycards", {"number": "7"})
    assert client.get(f"/loyaltycards/{card}") == {"id": card, "number": "7", "points": 0}
