"""Third parties over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from core import Account, Crud, ListQuery, Partial
from core.for_natives import Removed, removed

from ...dictionaries.category_links import in_category
from ...setup.email_lookup import read_by_email
from ...setup.responses import ACTION, action_result
from ..merge import merge
from ..models import Discount, Thirdparty
from ..thirdparties import MODES, thirdparties

ThirdpartyRecord = Annotated[dict[str, Any], Thirdparty]
UserRecord = Annotated[dict[str, Any], Account, Partial]
DiscountRecord = Annotated[dict[str, Any], Discount]


class ThirdParties(Crud):
    """Customers, prospects and suppliers: companies and people you do business with.

    Without `thirdparties.all`, a user sees only those they represent. An external user sees only their own third party.

    :rights: all
    """

    group = "People"

    records = thirdparties
    noun, nouns = "third party", "third parties"
    refusals = {"put patch": "a barcode is already used", "delete": "something uses it, such as a contact"}

    def index(self, query: ListQuery, mode: int = 0, category: int = 0, lang: str = "") -> list[ThirdpartyRecord]:
        """List third parties.

        :param mode: {@values 0 all, 1 customers, 2 prospects, 3 neither, 4 suppliers} {@min 0} {@max 4}
        :param category: customer category (mode 4: supplier); excludes subcategories {@min 0} {@max 2147483647}
        :param lang: default: English {@max 6}
        """
        kind = "supplier" if mode == 4 else "customer"
        return thirdparties.in_language(lang).page(query, {**MODES.get(mode, {}), **in_category(kind, category)})

    def get(self, id: int, lang: str = "") -> ThirdpartyRecord:
        """Read a third party.

        :param lang: default: English {@max 6}
        """
        return thirdparties.in_language(lang).read(id)

    def get_by_email(self, email: str) -> ThirdpartyRecord:
        """Read a third party by email.

        :url: GET email/{email}
        :param email: {@type email}
        :raises Conflict: several have it
        :permission: read
        """
        return read_by_email(thirdparties, email)

    def get_by_barcode(self, barcode: str) -> ThirdpartyRecord:
        """Read a third party by barcode.

        :url: GET barcode/{barcode}
        :permission: read
        """
        return thirdparties.read(barcode, "barcode")

    def post(self, request_data: ThirdpartyRecord) -> int:
        """Create a third party.

        Set `code_client` or `code_fournisseur` to `auto` for the next free code. `commercial_id` is the representative.

        :raises Refused: a code or barcode is used, or you are an external user
        """
        return thirdparties.create(request_data)

    def merge(self, id: int, idtodelete: int) -> ThirdpartyRecord:
        """Merge one third party into another.

        Moves references and files, joins the notes and fills empty fields. Then deletes the other third party.

        :url: PUT {id}/merge/{idtodelete}
        :param id: third party that remains
        :raises Unauthorized: only administrators move external users
        :raises Refused: a module rejects it
        :permission: write and delete
        """
        merge(id, idtodelete)
        return thirdparties.read(id)

    def get_representatives(self, id: int, mode: int = 0) -> list[UserRecord] | list[Annotated[int, Account.id]]:
        """List the representatives of a third party.

        Without `users.read`, you see only IDs and names.

        :url: GET {id}/representatives
        :param mode: {@values 0 users, 1 only their IDs} {@min 0} {@max 1}
        :permission: read
        """
        found = thirdparties.representatives(id)
        return [user["id"] for user in found] if mode else found

    def add_representative(self, id: int, user_id: int) -> Annotated[ThirdpartyRecord | list[UserRecord], ACTION]:
        """Add a representative to a third party.

        The user then sees the third party.

        :url: POST {id}/representatives/{user_id}
        :raises Refused: already a representative, or an external user
        :after: thirdparties ?id={id}: Add a representative
        :unconditional:
        :permission: write
        """
        thirdparties.represent(id, user_id)
        return action_result(lambda: thirdparties.read(id), lambda: thirdparties.representatives(id))

    def remove_representative(self, id: int, user_id: int) -> Removed:
        """Remove a representative from a third party.

        :url: DELETE {id}/representatives/{user_id}
        :unconditional:
        :permission: write
        """
        thirdparties.release(id, user_id)
        return removed("Representative removed")

    def fixedamountdiscounts(
        self,
        id: int,
        filter: Literal["none", "available", "used"] = "none",
        sortfield: str = "f.type",
        sortorder: str = "ASC",
    ) -> list[DiscountRecord]:
        """List the discounts of a third party.

        They come from credit notes, deposits and overpayments.

        :url: GET {id}/fixedamountdiscounts
        :param filter: none: all, available: unused, used: used
        :param sortfield: comma-separated fields; `f.` is the invoice
        :param sortorder: ASC or DESC for each field
        :permission: read
        """
        return thirdparties.discounts(id, filter, sortfield=sortfield, sortorder=sortorder)
