"""The server that stands for the recorded installation."""

from __future__ import annotations

from typing import Any

from core.testing import Client, Served
from tests.modules.replayed.identifiers import Identifiers


class Installation:
    """The server that stands for the recorded one, and what is known of both."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.admin = served.client()
        self.identifiers = Identifiers()
        self.clients: dict[str, Client] = {
            "": self.admin, "nobody": served.client(None), "wrong": served.client("wrong"),
        }  # fmt: skip

    def ours(self, kind: str, recorded: int) -> int:
        """The identifier that stands for a recorded one."""
        return int(self.identifiers.ours(kind, recorded))

    def make(self, service: str, recorded: int, **body: Any) -> int:
        """Create a record, which stands for a recorded one."""
        identifier: int = self.admin.ask("POST", f"/{service}", body)
        self.identifiers.bind(service, recorded, identifier)
        return identifier

    def act(self, service: str, recorded: int, action: str, **body: Any) -> Any:
        """An action on the record that stands for a recorded one."""
        return self.admin.ask("POST", f"/{service}/{self.ours(service, recorded)}/{action}", body or None)

    def name(self, service: str, recorded: int, reference: str) -> None:
        """Its reference stands for a recorded one."""
        record = self.admin.get(f"/{service}/{self.ours(service, recorded)}")
        self.identifiers.bind("references", reference, record["ref"])
