"""Establishments over HTTP, below the setup."""

from __future__ import annotations

from typing import Annotated, Any

from core import Crud, ListQuery
from core.for_natives import Removed

from ..establishments import establishments
from ..models import Establishment

EstablishmentRecord = Annotated[dict[str, Any], Establishment]


class Establishments(Crud):
    """The company's sites."""

    path = "setup/establishments"
    records = establishments

    def index(self, query: ListQuery) -> list[EstablishmentRecord]:
        """List establishments.

        Establishments are the company's sites.

        :access: protected
        """
        return super().index(query)

    def get(self, id: int) -> EstablishmentRecord:
        """Read an establishment.

        :access: protected
        """
        return super().get(id)

    def delete(self, id: int) -> Removed:
        """Delete an establishment.

        :permission: write
        """
        return super().delete(id)
