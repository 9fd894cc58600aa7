"""The states of documents as the specification has them: what each state allows, where it leads, and why it refuses.

Each row of a table is an operation, each cell the effect on a document in a state:

- `> state`: it succeeds and leads there
- `ok`: it succeeds
- `listed`: the state allows it, but it needs more than a document in this state
- `-`: the state decides it only in part
- the reason of the refusal
"""

from typing import NamedTuple

DAY = "2026-11-21"
PAYMENT = {"datepaye": 1795219200, "paymentid": 2, "closepaidinvoices": "no"}
ABANDON = {"close_code": "badcustomer", "close_note": "n"}
#: what is sent, where it is not empty
BODIES = {
    "POST close as signed": {"status": 2},
    "POST close as refused": {"status": 3},
    "POST settopaid with code": ABANDON,
    "POST payments": PAYMENT,
    "POST line": {"desc": "More", "qty": 1},
    "POST lines": {"desc": "More", "qty": 1},
    "PUT lines/{lineid}": {"qty": 1},
    "PATCH lines/{lineid}": {"qty": 1},
}
LINES = ("POST lines", "PUT lines/{lineid}", "PATCH lines/{lineid}", "DELETE lines/{lineid}")


class State(NamedTuple):
    """A state, its number, and the operations that lead there from a draft."""

    name: str
    number: int
    way: tuple[str, ...]


class Kind:
    """A kind of document.

    :param states: its states, the draft first
    :param table: a row for each operation, a cell for each state
    """

    def __init__(self, service, states, table):
        self.service = service
        self.states = {name: State(name, number, way) for name, (number, *way) in states.items()}
        rows = [[cell.strip() for cell in line.split("|")] for line in table]
        rows += [[each, "ok", *["not_draft"] * (len(states) - 1)] for each in LINES]
        self.cells = {(row, state): cell for row, *cells in rows for state, cell in zip(states, cells, strict=True)}

    def end(self, row, state):
        """The state that a row leads to from a state, if it leads to one."""
        cell = self.cells[row, state]
        return self.states[cell.removeprefix("> ")] if cell.startswith("> ") else None

    def succeeding(self, state):
        """The rows that succeed in a state."""
        return [row for (row, each), cell in self.cells.items() if each == state and (cell == "ok" or cell[0] == ">")]

    def refused(self, state):
        """The rows that are refused in a state, with their reasons."""
        cells = {row: cell for (row, each), cell in self.cells.items() if each == state}
        return {row: cell for row, cell in cells.items() if cell not in ("ok", "listed", "-") and cell[0] != ">"}

    def listed(self, state):
        """The operations that an error lists as allowed in a state."""
        kept = {*self.refused(state)} | {
            row for (row, each), cell in self.cells.items() if (each, cell) == (state, "-")
        }
        return sorted({self.operation(row) for row, each in self.cells if each == state and row not in kept})

    def operation(self, row):
        """An operation as the OpenAPI document has it."""
        verb, *path = row.split(" ")[:2]
        return " ".join([verb, *path]) if "/" in row[:6] else f"{verb} /" + "/".join([self.service, "{id}", *path])


PROPOSALS = Kind(
    "proposals",
    {
        "draft": (0,),
        "validated": (1, "POST validate"),
        "signed": (2, "POST validate", "POST close as signed"),
        "refused": (3, "POST validate", "POST close as refused"),
        "billed": (4, "POST validate", "POST close as signed", "POST setinvoiced"),
    },
    (
        "POST validate                                | > validated   | already_validated | not_draft      | not_draft       | not_draft",
        "POST close as signed                         | not_validated | > signed          | already_signed | not_validated   | not_validated",
        "POST close as refused                        | not_validated | > refused         | not_validated  | already_refused | not_validated",
        "POST setinvoiced                             | not_signed    | not_signed        | > billed       | not_signed      | already_billed",
        "POST setuninvoiced                           | not_billed    | not_billed        | already_signed | not_billed      | > signed",
        "POST settodraft                              | already_draft | > draft           | > draft        | > draft         | wrong_state",
        "DELETE                                       | ok            | ok                | wrong_state    | ok              | wrong_state",
        "POST line                                    | ok            | not_draft         | not_draft      | not_draft       | not_draft",
        "POST /orders/createfromproposal/{proposalid} | ok            | ok                | ok             | wrong_state     | ok",
    ),
)  # fmt: skip
ORDERS = Kind(
    "orders",
    {
        "draft": (0,),
        "validated": (1, "POST validate"),
        "shipment in process": (2, "POST validate", "ship"),
        "closed": (3, "POST validate", "POST close"),
        "cancelled": (-1, "POST validate", "POST cancel"),
    },
    (
        "POST validate                            | > validated   | already_validated | not_draft     | not_draft      | not_draft",
        "POST close                               | wrong_state   | > closed          | > closed      | already_closed | wrong_state",
        "POST reopen                              | wrong_state   | already_validated | wrong_state   | > validated    | > validated",
        "POST settodraft                          | already_draft | > draft           | not_validated | not_validated  | not_validated",
        "POST cancel                              | not_validated | > cancelled       | not_validated | not_validated  | already_cancelled",
        "POST setinvoiced                         | wrong_state   | > validated       | wrong_state   | > closed       | wrong_state",
        "DELETE                                   | ok            | ok                | -             | wrong_state    | ok",
        "POST shipment/{warehouse_id}             | wrong_state   | ok                | listed        | wrong_state    | wrong_state",
        "POST /invoices/createfromorder/{orderid} | ok            | ok                | ok            | ok             | wrong_state",
    ),
)  # fmt: skip
INVOICES = Kind(
    "invoices",
    {
        "draft": (0,),
        "validated": (1, "POST validate"),
        "paid": (2, "POST validate", "POST payments", "POST settopaid"),
        "abandoned": (3, "POST validate", "POST settopaid with code"),
    },
    (
        "POST validate                   | > validated   | already_validated | not_draft     | not_draft",
        "POST settopaid                  | not_validated | > paid            | already_paid  | not_validated",
        "POST settopaid with code        | not_validated | > abandoned       | already_paid  | already_abandoned",
        "POST settounpaid                | wrong_state   | already_validated | > validated   | > validated",
        "POST settodraft                 | already_draft | > draft           | not_validated | not_validated",
        "POST payments                   | not_validated | ok                | not_validated | not_validated",
        "DELETE                          | ok            | ok                | -             | ok",
        "POST usediscount/{discountid}   | listed        | -                 | -             | -",
        "POST usecreditnote/{discountid} | -             | listed            | -             | -",
    ),
)  # fmt: skip
SHIPMENTS = Kind(
    "shipments",
    {
        "draft": (0,),
        "validated": (1, "POST validate"),
        "closed": (2, "POST validate", "POST close"),
        "cancelled": (-1, "POST validate", "POST cancel"),
    },
    (
        "POST validate   | > validated   | already_validated | not_draft      | not_draft",
        "POST close      | not_validated | > closed          | already_closed | not_validated",
        "POST reopen     | not_closed    | already_validated | > validated    | not_closed",
        "POST settodraft | already_draft | > draft           | not_validated  | not_validated",
        "POST cancel     | not_validated | > cancelled       | not_validated  | already_cancelled",
        "DELETE          | ok            | wrong_state       | wrong_state    | ok",
    ),
)  # fmt: skip
KINDS = (PROPOSALS, ORDERS, INVOICES, SHIPMENTS)
CASES = [(kind, state) for kind in KINDS for state in kind.states]


class Office:
    """Makes documents in a state, and calls their operations."""

    def __init__(self, client):
        self.client = client
        self.customer = client.ask("POST", "/thirdparties", {"name": "Office Ltd", "client": 1})
        self.place = client.ask("POST", "/warehouses", {"label": "Shelf"})

    def make(self, kind, state):
        """A document in a state."""
        body = {"socid": self.customer, "date": DAY, "lines": [{"desc": "Desk", "qty": 5, "subprice": 10}]}
        if kind is SHIPMENTS:
            order = self.client.ask("POST", "/orders", body)
            line = self.client.ask("POST", f"/orders/{order}/validate")["lines"][0]["id"]
            body = {"origin_id": order, "lines": [{"fk_origin_line": line, "qty": 2, "entrepot_id": self.place}]}
        made = self.client.ask("POST", f"/{kind.service}", body)
        for step in kind.states[state].way:
            if step == "ship":
                shipment = self.client.ask("POST", f"/orders/{made}/shipment/{self.place}")
                self.client.ask("POST", f"/shipments/{shipment}/validate")
            else:
                answer = self.call(kind, made, step)
                assert answer.status_code == 200, answer.text
        assert int(self.read(kind, made)["statut"]) == kind.states[state].number
        return made

    def read(self, kind, identifier):
        return self.client.get(f"/{kind.service}/{identifier}")

    def path(self, kind, identifier, operation):
        """The path of an operation with the ID of the document."""
        path = operation.split(" ")[1]
        for name in ("{id}", "{orderid}", "{proposalid}"):
            path = path.replace(name, str(identifier))
        return path

    def call(self, kind, identifier, row):
        """The response of an operation."""
        operation, body = kind.operation(row), BODIES.get(row)
        path = self.path(kind, identifier, operation).replace("{warehouse_id}", str(self.place))
        if "lines" in row:
            record = self.read(kind, identifier)
            path = path.replace("{lineid}", str(record["lines"][0]["id"]))
            if kind is SHIPMENTS and row == "POST lines":
                order_line = self.client.get(f"/orders/{record['origin_id']}")["lines"][0]["id"]
                body = {"fk_origin_line": order_line, "qty": 1, "entrepot_id": self.place}
        return self.client.simulate_request(row.split(" ")[0], path, **({} if body is None else {"json": body}))
