"""Third parties over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from core import Account, Api, ListQuery

from ...answers.deeds import ACTION, Removed, acted, removed
from ...dictionaries.category_links import in_category
from ..merge import merge
from ..models import Discount, Thirdparty
from ..thirdparties import MODES, thirdparties

ThirdpartyRecord = Annotated[dict[str, Any], Thirdparty]
UserRecord = Annotated[dict[str, Any], Account]
DiscountRecord = Annotated[dict[str, Any], Discount]


class Thirdparties(Api):
    """Companies and people one does business with: customers, prospects, suppliers.

    A user sees every third party only with the right `thirdparties.all`; without it those the user represents. An
    external user sees the one it belongs to.

    :rights: all
    """

    records = thirdparties

    def index(self, query: ListQuery, mode: int = 0, category: int = 0, lang: str = "") -> list[ThirdpartyRecord]:
        """List third parties.

        :param mode: {@values 0 all, 1 customers, 2 prospects, 3 neither, 4 suppliers} {@min 0} {@max 4}
        :param category: only those in this category of customers, with mode 4 of suppliers; categories below it are
            left out {@min 0} {@max 2147483647}
        :param lang: language of what records say in words, such as fr or fr_FR; empty: English {@max 6}
        :permission: thirdparties.read
        """
        kind = "supplier" if mode == 4 else "customer"
        return thirdparties.speaking(lang).page(query, {**MODES.get(mode, {}), **in_category(kind, category)})

    def get(self, id: int, lang: str = "") -> ThirdpartyRecord:
        """Read one third party.

        :param id: row identifier of the third party
        :param lang: language of what the record says in words, such as fr or fr_FR; empty: English {@max 6}
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: thirdparties.read
        """
        return thirdparties.speaking(lang).read(id)

    def get_by_email(self, email: str) -> ThirdpartyRecord:
        """Read a third party by its e-mail address.

        :url: GET email/{email}
        :param email: e-mail address of the third party {@type email}
        :raises NotFound: there is no such third party, or the caller may not see it
        :raises Conflict: the caller may see several third parties with it
        :permission: thirdparties.read
        """
        return thirdparties.read(email, "email")

    def get_by_barcode(self, barcode: str) -> ThirdpartyRecord:
        """Read a third party by its barcode.

        :url: GET barcode/{barcode}
        :param barcode: barcode of the third party
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: thirdparties.read
        """
        return thirdparties.read(barcode, "barcode")

    def post(self, request_data: ThirdpartyRecord) -> int:
        """Create a third party; answers its identifier.

        `code_client` and `code_fournisseur` take `auto` for the next code; `commercial_id` names a user who represents
        the third party.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: a record that is named does not exist
        :raises Refused: a code or barcode is already used, or the caller is an external user
        :permission: thirdparties.write
        """
        return thirdparties.create(request_data)

    def put(self, id: int, request_data: ThirdpartyRecord) -> ThirdpartyRecord:
        """Change a third party: the fields that are sent; `array_options`, when sent, replaces all extra fields.

        :param id: row identifier of the third party
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such third party, or the caller may not see it
        :raises Refused: a barcode is already used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: thirdparties.write
        """
        thirdparties.change(id, request_data)
        return thirdparties.read(id)

    def patch(self, id: int, request_data: ThirdpartyRecord) -> ThirdpartyRecord:
        """Change a third party: the fields that are sent, extra fields one by one.

        :param id: row identifier of the third party
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such third party, or the caller may not see it
        :raises Refused: a barcode is already used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: thirdparties.write
        """
        thirdparties.change(id, request_data, merge_extras=True)
        return thirdparties.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a third party that nothing uses.

        :param id: row identifier of the third party
        :raises NotFound: there is no such third party, or the caller may not see it
        :raises Refused: something uses it, such as a contact
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: thirdparties.delete
        """
        thirdparties.delete(id)
        return removed("Thirdparty deleted")

    def merge(self, id: int, idtodelete: int) -> ThirdpartyRecord:
        """Move everything of one third party to another and delete it; answers the one that remains.

        Contacts, documents, users, files and whatever else names it name the other one afterwards. What that leaves
        empty it takes over; notes are joined. Where both have what there can be only one of, such as a code, that of
        the one that remains counts.

        :url: PUT {id}/merge/{idtodelete}
        :param id: row identifier of the third party that remains
        :param idtodelete: row identifier of the one that is deleted
        :raises BadRequest: they are the same
        :raises NotFound: there is no such third party, or the caller may not see it
        :raises Unauthorized: external users would move, and the caller is not an administrator
        :raises Refused: a module refuses
        :raises PreconditionFailed: `If-Match` names another state of the one that remains
        :permission: write and delete
        """
        merge(id, idtodelete)
        return thirdparties.read(id)

    def get_representatives(self, id: int, mode: int = 0) -> list[UserRecord] | list[Annotated[int, Account.id]]:
        """List the representatives of a third party; without the right `users.read` their identifiers and names alone.

        :url: GET {id}/representatives
        :param id: row identifier of the third party
        :param mode: {@values 0 users, 1 their identifiers alone} {@min 0} {@max 1}
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: thirdparties.read
        """
        found = thirdparties.representatives(id)
        return [user["id"] for user in found] if mode else found

    def add_representative(self, id: int, user_id: int) -> Annotated[ThirdpartyRecord | list[UserRecord], ACTION]:
        """Let a user represent a third party.

        :url: POST {id}/representatives/{user_id}
        :param id: row identifier of the third party
        :param user_id: row identifier of the user
        :raises NotFound: there is no such third party or user, or the caller may not see it
        :raises Refused: the user represents it already, or is an external user
        :permission: thirdparties.write
        """
        thirdparties.represent(id, user_id)
        return acted(lambda: thirdparties.read(id), lambda: thirdparties.representatives(id))

    def remove_representative(self, id: int, user_id: int) -> Removed:
        """Stop a user from representing a third party.

        :url: DELETE {id}/representatives/{user_id}
        :param id: row identifier of the third party
        :param user_id: row identifier of the user
        :raises NotFound: there is no such third party, or the user does not represent it
        :permission: thirdparties.write
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
        """List the discounts of a third party: what it was granted by credit notes, deposits and excess payments.

        :url: GET {id}/fixedamountdiscounts
        :param id: row identifier of the third party
        :param filter: none: all, available: those it may still use, used: those it has used
        :param sortfield: fields separated by commas; f.type and f.ref are those of the invoice it came from
        :param sortorder: ASC or DESC, of each field
        :raises BadRequest: there is no such field
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: thirdparties.read
        """
        return thirdparties.discounts(id, filter, sortfield=sortfield, sortorder=sortorder)
