"""The server that stands for the recorded installation."""

from tests.modules.replayed.identifiers import Identifiers


class Installation:
    """The server that stands for the recorded one, and what is known of both."""

    def __init__(self, served):
        self.served = served
        self.admin = served.client()
        self.identifiers = Identifiers()
        self.clients = {
            "": self.admin, "nobody": served.client(None), "wrong": served.client("wrong"),
        }  # fmt: skip

    def ours(self, kind, recorded):
        """The identifier that stands for a recorded one."""
        return int(self.identifiers.ours(kind, recorded))

    def make(self, service, recorded, **body):
        """Create a record, which stands for a recorded one."""
        identifier = self.admin.ask("POST", f"/{service}", body)
        self.identifiers.bind(service, recorded, identifier)
        return identifier

    def act(self, service, recorded, action, **body):
        """An action on the record that stands for a recorded one."""
        return self.admin.ask("POST", f"/{service}/{self.ours(service, recorded)}/{action}", body or None)

    def name(self, service, recorded, reference):
        """Its reference stands for a recorded one."""
        record = self.admin.get(f"/{service}/{self.ours(service, recorded)}")
        self.identifiers.bind("references", reference, record["ref"])
