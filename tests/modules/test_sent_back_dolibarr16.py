"""Equal is equal in the profile `dolibarr16`, too, where columns and extra fields are answered as text."""

import pytest

from core.testing import extra_field
from tests.modules.test_sent_back import KINDS, TYPES, aged, make, other_administrator, sent_back

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("service", KINDS)
def test_a_record_is_read_and_sent_back(old_server, service):
    admin, element = old_server.client(), KINDS[service][0]
    another = other_administrator(admin, old_server, f"other.{service}")
    older = make(admin, service)
    aged(service, older)
    for name, (definition, value) in TYPES.items():
        with extra_field(admin, element, "first", type=name, **definition):
            newer = make(admin, service, array_options={"options_first": value})
            aged(service, newer)
            for identifier in (older, newer):
                for verb in ("PUT", "PATCH"):
                    sent_back(another, service, identifier, verb)
