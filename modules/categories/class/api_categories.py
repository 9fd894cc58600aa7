"""Categories over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Crud, ListQuery
from core.for_natives import Removed, removed

from ...products.models import Product
from ...thirdparties.models import Contact, Thirdparty
from ...users.models import User
from ..categories import categories, type_of
from ..links import categories_of, link, record_named, records_in, unlink
from ..models import Category

CategoryRecord = Annotated[dict[str, Any], Category]
ProductRecord = Annotated[dict[str, Any], Product]
ThirdpartyRecord = Annotated[dict[str, Any], Thirdparty]
ContactRecord = Annotated[dict[str, Any], Contact]
UserRecord = Annotated[dict[str, Any], User]
Objects = (
    list[ProductRecord]
    | list[ThirdpartyRecord]
    | list[ContactRecord]
    | list[UserRecord]
    | list[Annotated[int, Category.id]]
)


class Categories(Crud):
    """Categories of products, suppliers, customers, contacts and users.

    The categories of each type form a tree. A category's records exclude those of its subcategories, and those you may
    not read.
    """

    group = "Administration"

    records = categories
    refusals = {
        "post": "the parent has another type, or has a category of this label",
        "put patch": "the parent has another type, is the category or one of its subcategories, or has a category of "
        "this label",
        "delete": "it has subcategories",
    }

    def index(self, query: ListQuery, type: str = "") -> list[CategoryRecord]:
        """List categories.

        :param type: word or number {@values product products, supplier suppliers, customer customers, contact contacts,
            user users}
        """
        return categories.page(query, {"type": type_of(type)} if type else {})

    def post(self, request_data: CategoryRecord) -> int:
        """Create a category.

        :raises NotFound: there is no such parent
        """
        return categories.create(request_data)

    def put(self, id: int, request_data: CategoryRecord) -> CategoryRecord:
        """Update a category.

        `array_options` replaces all extra fields. `fk_parent` moves the category with its subcategories. The type can't
        change.
        """
        categories.change(id, request_data)
        return categories.read(id)

    def patch(self, id: int, request_data: CategoryRecord) -> CategoryRecord:
        """Change some fields of a category.

        `fk_parent` moves the category with its subcategories. The type can't change.
        """
        categories.change(id, request_data, merge_extras=True)
        return categories.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a category.

        Its records stay.
        """
        categories.delete(id)
        return removed("Category deleted")

    def get_objects(self, query: ListQuery, id: int, type: str = "", onlyids: bool = False) -> Objects:
        """List the records in a category.

        Needs the permission to read such records.

        :url: GET {id}/objects
        :param type: default: any {@values product products, supplier suppliers, customer customers, contact contacts,
            user users}
        :param onlyids: return IDs instead of records
        :raises Refused: the category has another type
        :permission: read
        """
        return records_in(id, query, type, ids_only=onlyids)

    def of_object(self, query: ListQuery, type: str, id: int) -> list[CategoryRecord]:
        """List the categories of a record.

        :url: GET object/{type}/{id}
        :param type: word or number {@example customer} {@values product products, supplier suppliers, customer
            customers, contact contacts, user users}
        :permission: read
        """
        return categories_of(type, id, query)

    def post_object(self, id: int, type: str, object_id: int) -> CategoryRecord:
        """Add a record to a category.

        Needs the permission to change such records.

        :url: POST {id}/objects/{type}/{object_id}
        :param type: word or number {@example customer} {@values product products, supplier suppliers, customer
            customers, contact contacts, user users}
        :raises Refused: already in it, or the category has another type
        :permission: read
        """
        link(type, object_id, id)
        return categories.read(id)

    def post_object_by_ref(self, id: int, type: str, object_ref: str) -> CategoryRecord:
        """Add a record to a category by reference.

        Needs the permission to change such records.

        :url: POST {id}/objects/{type}/ref/{object_ref}
        :param type: product (`ref`), supplier (`code_fournisseur`), customer (`code_client`) or user (`login`)
            {@example customer}
        :raises Refused: already in it, or the category has another type
        :permission: read
        """
        link(type, record_named(type, object_ref), id)
        return categories.read(id)

    def delete_object(self, id: int, type: str, object_id: int) -> Removed:
        """Remove a record from a category.

        Needs the permission to change such records.

        :url: DELETE {id}/objects/{type}/{object_id}
        :param type: word or number {@example customer} {@values product products, supplier suppliers, customer
            customers, contact contacts, user users}
        :raises Refused: the category has another type
        :permission: read
        """
        unlink(type, object_id, id)
        return removed("Object removed from the category")

    def delete_object_by_ref(self, id: int, type: str, object_ref: str) -> Removed:
        """Remove a record from a category by reference.

        Needs the permission to change such records.

        :url: DELETE {id}/objects/{type}/ref/{object_ref}
        :param type: product (`ref`), supplier (`code_fournisseur`), customer (`code_client`) or user (`login`)
            {@example customer}
        :raises Refused: the category has another type
        :permission: read
        """
        unlink(type, record_named(type, object_ref), id)
        return removed("Object removed from the category")
