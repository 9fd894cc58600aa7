"""Third parties over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from core import Account, Crud, ListQuery, Removed, removed

from ...answers.responses import ACTION, action_result
from ...dictionaries.category_links import in_category
from ..merge import merge
from ..models import Discount, Thirdparty
from ..thirdparties import MODES, thirdparties

ThirdpartyRecord = Annotated[dict[str, Any], Thirdparty]
UserRecord = Annotated[dict[str, Any], Account]
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
        :param category: customer category ID (mode 4: supplier); excludes subcategories {@min 0} {@max 2147483647}
        :param lang: language of texts; default: English {@max 6}
        """
        kind = "supplier" if mode == 4 else "customer"
        return thirdparties.speaking(lang).page(query, {**MODES.get(mode, {}), **in_category(kind, category)})

    def get(self, id: int, lang: str = "") -> ThirdpartyRecord:
        """Read a third party.

        :param lang: language of texts; default: English {@max 6}
        """
        return thirdparties.speaking(lang).read(id)

    def get_by_email(self, email: str) -> ThirdpartyRecord:
        """Read a third party by email.

        :url: GET email/{email}
        :param email: email address {@type email}
        :raises Conflict: the caller may see several third parties with it
        :permission: read
        """
        return thirdparties.read(email, "email")

    def get_by_barcode(self, barcode: str) -> ThirdpartyRecord:
        """Read a third party by barcode.

        :url: GET barcode/{barcode}
        :param barcode: third party barcode
        :permission: read
        """
        return thirdparties.read(barcode, "barcode")

    def post(self, request_data: ThirdpartyRecord) -> int:
        """Create a third party.

        `code_client` or `code_fournisseur` `auto` takes the next code. `commercial_id` is the user who represents the
        third party. Returns the third party's ID.

        :raises Refused: a code or barcode is already used, or the caller is an external user
        """
        return thirdparties.create(request_data)

    def merge(self, id: int, idtodelete: int) -> ThirdpartyRecord:
        """Merge one third party into another.

        Moves all references and files to the remaining third party, then deletes the other. The remaining one takes
        over values it lacks, and the notes are joined.

        :url: PUT {id}/merge/{idtodelete}
        :param id: third party that remains
        :param idtodelete: third party to delete
        :raises BadRequest: they are the same
        :raises Unauthorized: external users would move, and the caller is not an administrator
        :raises Refused: a module rejected the merge
        :permission: write and delete
        """
        merge(id, idtodelete)
        return thirdparties.read(id)

    def get_representatives(self, id: int, mode: int = 0) -> list[UserRecord] | list[Annotated[int, Account.id]]:
        """List the representatives of a third party.

        Without `users.read`, you see only their IDs and names.

        :url: GET {id}/representatives
        :param id: third party ID
        :param mode: {@values 0 users, 1 only their IDs} {@min 0} {@max 1}
        :permission: read
        """
        found = thirdparties.representatives(id)
        return [user["id"] for user in found] if mode else found

    def add_representative(self, id: int, user_id: int) -> Annotated[ThirdpartyRecord | list[UserRecord], ACTION]:
        """Add a representative to a third party.

        The user then sees the third party.

        :url: POST {id}/representatives/{user_id}
        :param id: third party ID
        :param user_id: user ID
        :raises NotFound: there is no such third party or user, or the caller may not see it
        :raises Refused: the user represents it already, or is an external user
        :unconditional: `If-Match` is ignored
        :permission: write
        """
        thirdparties.represent(id, user_id)
        return action_result(lambda: thirdparties.read(id), lambda: thirdparties.representatives(id))

    def remove_representative(self, id: int, user_id: int) -> Removed:
        """Remove a representative from a third party.

        :url: DELETE {id}/representatives/{user_id}
        :param id: third party ID
        :param user_id: user ID
        :raises NotFound: there is no such third party, or the user does not represent it
        :unconditional: `If-Match` is ignored
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
        :param id: third party ID
        :param filter: none: all, available: unused, used: used
        :param sortfield: comma-separated fields; `f.type` and `f.ref` are the invoice's
        :param sortorder: ASC or DESC for each field
        :raises BadRequest: there is no such field
        :permission: read
        """
        return thirdparties.discounts(id, filter, sortfield=sortfield, sortorder=sortorder)
