"""For which records an operation is offered next: from `RecordField`s, names of variables, and `:after:`."""

import pytest

from core.contract.annotations import AnnotationError, read_annotation
from core.testing import serving
from tests.browser.samples import SHOP
from tests.files import write_files

INDEX = "/explorer/index.json"


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    """Identifier of an operation → the records for which it is offered; the author's module among the natives."""
    folder = tmp_path_factory.mktemp("next")
    write_files(folder / "modules", SHOP)
    with serving(folder, modules=str(folder / "modules")) as served:
        services = served.client().get(INDEX)["services"]
    yield {each["id"]: each["after"] for service in services for each in service["operations"] if "after" in each}


def test_an_authors_records_lead_on(offered):
    found = offered
    assert found["get-bikes"] == [{"of": "thirdparties", "with": "sqlfilters=(t.owner:=:{id})", "noun": "third party"}]
    assert found["post-bikes"] == [{"of": "thirdparties", "with": "owner={id}", "noun": "third party"}]
    assert found["get-rides"] == [{"of": "bikes", "with": "bike_id={id}", "words": "Where it went", "in": ["good"]}]
    assert found["post-rides"] == [{"of": "bikes", "with": "bike={id}", "noun": "bike"}]
    assert found["post-rides-again-bikeid"] == [{"of": "bikes", "with": "bikeid={id}"}]
    # What is the record's own needs no link, and a batch none of its entries'
    assert not {"get-bikes-id", "post-bikes-id-wear", "post-bikes-batch"} & set(found)


def test_natives_say_what_comes_next(offered):
    found = offered
    order = {"of": "proposals", "with": "proposalid={id}", "words": "Create the order", "in": ["signed", "billed"]}
    assert order in found["post-orders-createfromproposal-proposalid"]
    unpaid = {"of": "thirdparties", "with": "thirdparty_ids={id}&status=unpaid", "words": "Unpaid invoices"}
    assert unpaid in found["get-invoices"]
    assert {"of": "thirdparties", "with": "socid={id}", "words": "New order for this customer"} in found["post-orders"]
    assert {each["of"] for each in found["put-documents-builddoc"]} >= {"invoices", "proposals", "orders"}


def test_without_a_label_states_only_limit(offered):
    """What a record can't do in a state isn't offered there, and isn't ranked first elsewhere."""
    limits = {
        "post-orders-id-setuninvoiced": {"of": "orders", "with": "id={id}", "in": ["billed=1"]},
        "post-invoices-id-markAsCreditAvailable": {"of": "invoices", "with": "id={id}", "in": ["validated", "paid"]},
        "delete-proposals-id": {"of": "proposals", "with": "id={id}", "in": ["draft", "validated", "refused"]},
    }
    for operation, limit in limits.items():
        assert offered[operation] == [limit]
    # Without a label, the name of the field for the record stays
    shipment = {"of": "orders", "with": "origin_id={id}", "noun": "order", "in": ["validated", "shipment in process"]}
    assert shipment in offered["post-shipments"]


@pytest.mark.parametrize(
    "text",
    [
        "orders",
        "orders:",
        "orders ?order={id}",
        "orders open ?order={id}",
        "orders|: Words",
        ": Words",
        "orders open ?: Words",
    ],
)
def test_what_cannot_be_read_is_said(text):
    with pytest.raises(AnnotationError, match="expected a service, optional states and values"):
        read_annotation(f"Do.\n\n:after: {text}")


def test_an_after_is_read():
    (found,) = read_annotation("Do.\n\n:after: a|b in hand|open ?f=(t.x:=:{id})&n={ref}: Go: on").after
    assert found.services == ("a", "b")
    assert found.states == ("in hand", "open")
    assert (found.values, found.words) == ("f=(t.x:=:{id})&n={ref}", "Go: on")
    (found,) = read_annotation("Do.\n\n:after: a|b in hand|billed=0").after
    assert (found.services, found.states) == (("a", "b"), ("in hand", "billed=0"))
    assert (found.values, found.words) == ("", "")
