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

    To see all third parties, a user needs `thirdparties.all`; otherwise a user sees those they represent. An external
    user sees only their own third party.

    :rights: all
    """

    group = "People"

    records = thirdparties
    noun, nouns = "third party", "third parties"
    refusals = {"put patch": "a barcode is already used", "delete": "something uses it, such as a contact"}

    def index(self, query: ListQuery, mode: int = 0, category: int = 0, lang: str = "") -> list[ThirdpartyRecord]:
        """List third parties.

        :param mode: {@values 0 all, 1 customers, 2 prospects, 3 neither, 4 suppliers} {@min 0} {@max 4}
        :param category: only those in this category of customers, with mode 4 of suppliers, without subcategories {@min
            0} {@max 2147483647}
        :param lang: language of texts in records, such as fr or fr_FR; empty: English {@max 6}
        """
        kind = "supplier" if mode == 4 else "customer"
        return thirdparties.speaking(lang).page(query, {**MODES.get(mode, {}), **in_category(kind, category)})

    def get(self, id: int, lang: str = "") -> ThirdpartyRecord:
        """Read a third party.

        :param lang: language of texts in the record, such as fr or fr_FR; empty: English {@max 6}
        """
        return thirdparties.speaking(lang).read(id)

    def get_by_email(self, email: str) -> ThirdpartyRecord:
        """Read a third party by email.

        :url: GET email/{email}
        :param email: e-mail address of the third party {@type email}
        :raises Conflict: the caller may see several third parties with it
        :permission: read
        """
        return thirdparties.read(email, "email")

    def get_by_barcode(self, barcode: str) -> ThirdpartyRecord:
        """Read a third party by its barcode.

        :url: GET barcode/{barcode}
        :param barcode: barcode of the third party
        :permission: read
        """
        return thirdparties.read(barcode, "barcode")

    def post(self, request_data: ThirdpartyRecord) -> int:
        """Create a third party.

        Returns the third party's ID. Send `auto` as `code_client` or `code_fournisseur` for the next code.
        `commercial_id` is a user who represents the third party.

        :raises Refused: a code or barcode is already used, or the caller is an external user
        """
        return thirdparties.create(request_data)

    def merge(self, id: int, idtodelete: int) -> ThirdpartyRecord:
        """Merge one third party into another.

        Moves contacts, documents, users, files and all other references to the remaining third party, then deletes the
        other one. The remaining one keeps its own values, takes over those it lacks, and the notes are joined. Returns
        the remaining third party.

        :url: PUT {id}/merge/{idtodelete}
        :param id: ID of the third party that remains
        :param idtodelete: ID of the third party to delete
        :raises BadRequest: they are the same
        :raises Unauthorized: external users would move, and the caller is not an administrator
        :raises Refused: a module rejected the merge
        :permission: write and delete
        """
        merge(id, idtodelete)
        return thirdparties.read(id)

    def get_representatives(self, id: int, mode: int = 0) -> list[UserRecord] | list[Annotated[int, Account.id]]:
        """List the representatives of a third party.

        Without the permission `users.read`, you see only their IDs and names.

        :url: GET {id}/representatives
        :param id: ID of the third party
        :param mode: {@values 0 users, 1 only their IDs} {@min 0} {@max 1}
        :permission: read
        """
        found = thirdparties.representatives(id)
        return [user["id"] for user in found] if mode else found

    def add_representative(self, id: int, user_id: int) -> Annotated[ThirdpartyRecord | list[UserRecord], ACTION]:
        """Add a representative to a third party.

        The user then represents the third party.

        :url: POST {id}/representatives/{user_id}
        :param id: ID of the third party
        :param user_id: ID of the user
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
        :param id: ID of the third party
        :param user_id: ID of the user
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

        Discounts come from credit notes, deposits and overpayments.

        :url: GET {id}/fixedamountdiscounts
        :param id: ID of the third party
        :param filter: none: all, available: unused ones, used: used ones
        :param sortfield: fields separated by commas; f.type and f.ref are those of the invoice it came from
        :param sortorder: ASC or DESC, of each field
        :raises BadRequest: there is no such field
        :permission: read
        """
        return thirdparties.discounts(id, filter, sortfield=sortfield, sortorder=sortorder)
