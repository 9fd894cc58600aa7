"""Categories over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, ListQuery

from ...answers.deeds import Removed, removed
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


class Categories(Api):
    """Categories of products, suppliers, customers, contacts and users. Those of one kind are a tree.

    A record is put into a category here or below the record. A list of records in a category holds what the caller may
    see, and leaves out what is in categories below it.
    """

    records = categories

    def index(self, query: ListQuery, type: str = "") -> list[CategoryRecord]:
        """List categories.

        :param type: only those of a kind, by its word or number {@values product of products, supplier of suppliers,
            customer of customers, contact of contacts, user of users}
        :raises BadRequest: there is no such kind
        :permission: read
        """
        return categories.page(query, {"type": type_of(type)} if type else {})

    def get(self, id: int) -> CategoryRecord:
        """Read one category.

        :param id: row identifier of the category
        :raises NotFound: there is no such category
        :permission: read
        """
        return categories.read(id)

    def post(self, request_data: CategoryRecord) -> int:
        """Create a category; answers its identifier.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: there is no such parent
        :raises Refused: the parent is of another type, or has a category of this label
        :permission: write
        """
        return categories.create(request_data)

    def put(self, id: int, request_data: CategoryRecord) -> CategoryRecord:
        """Change a category: the fields that are sent; `array_options`, when sent, replaces all extra fields.

        `fk_parent` moves the category with all that lies below it. Its type stays.

        :param id: row identifier of the category
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such category or parent
        :raises Refused: the parent is of another type, is the category or lies below it, or has one of this label
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        categories.change(id, request_data)
        return categories.read(id)

    def patch(self, id: int, request_data: CategoryRecord) -> CategoryRecord:
        """Change a category: the fields that are sent, extra fields one by one. As PUT otherwise.

        :param id: row identifier of the category
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such category or parent
        :raises Refused: the parent is of another type, is the category or lies below it, or has one of this label
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        categories.change(id, request_data, merge_extras=True)
        return categories.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a category; its records stay, and are no longer in it.

        :param id: row identifier of the category
        :raises NotFound: there is no such category
        :raises Refused: other categories lie below it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: delete
        """
        categories.delete(id)
        return removed("Category deleted")

    def get_objects(self, query: ListQuery, id: int, type: str = "", onlyids: bool = False) -> Objects:
        """List the records in a category. Needs the right to read such records besides.

        :url: GET {id}/objects
        :param id: row identifier of the category
        :param type: what is expected in it; empty: whatever is {@values product products, supplier suppliers,
            customer customers, contact contacts, user users}
        :param onlyids: answer identifiers in place of records
        :raises NotFound: there is no such category
        :raises Refused: the category is of another type
        :permission: read
        """
        return records_in(id, query, type, ids_only=onlyids)

    def of_object(self, query: ListQuery, type: str, id: int) -> list[CategoryRecord]:
        """List the categories of a record.

        :url: GET object/{type}/{id}
        :param type: a kind, by its word or number {@example customer}
            {@values product of products, supplier of suppliers, customer of customers, contact of contacts,
            user of users}
        :param id: row identifier of the record
        :raises NotFound: there is no such record, or the caller may not see it
        :permission: read
        """
        return categories_of(type, id, query)

    def post_object(self, id: int, type: str, object_id: int) -> CategoryRecord:
        """Put a record into a category; answers the category. Needs the right to change such records besides.

        :url: POST {id}/objects/{type}/{object_id}
        :param id: row identifier of the category
        :param type: a kind, by its word or number {@example customer}
            {@values product of products, supplier of suppliers, customer of customers, contact of contacts,
            user of users}
        :param object_id: row identifier of the record
        :raises NotFound: there is no such record or category, or the caller may not see it
        :raises Refused: the record is in it already, or the category is of another type
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: read
        """
        link(type, object_id, id)
        return categories.read(id)

    def post_object_by_ref(self, id: int, type: str, object_ref: str) -> CategoryRecord:
        """Put a record into a category by its reference. As by its identifier otherwise.

        :url: POST {id}/objects/{type}/ref/{object_ref}
        :param id: row identifier of the category
        :param type: product (by `ref`), supplier (by `code_fournisseur`), customer (by `code_client`) or user (by
            `login`) {@example customer}
        :param object_ref: reference of the record
        :raises BadRequest: a contact has no reference
        :raises NotFound: there is no such record or category, or the caller may not see it
        :raises Refused: the record is in it already, or the category is of another type
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: read
        """
        link(type, record_named(type, object_ref), id)
        return categories.read(id)

    def delete_object(self, id: int, type: str, object_id: int) -> Removed:
        """Take a record out of a category. Needs the right to change such records besides.

        :url: DELETE {id}/objects/{type}/{object_id}
        :param id: row identifier of the category
        :param type: a kind, by its word or number {@example customer}
            {@values product of products, supplier of suppliers, customer of customers, contact of contacts,
            user of users}
        :param object_id: row identifier of the record
        :raises NotFound: there is no such record or category, or the record is not in it
        :raises Refused: the category is of another type
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: read
        """
        unlink(type, object_id, id)
        return removed("Object removed from the category")

    def delete_object_by_ref(self, id: int, type: str, object_ref: str) -> Removed:
        """Take a record out of a category by its reference. As by its identifier otherwise.

        :url: DELETE {id}/objects/{type}/ref/{object_ref}
        :param id: row identifier of the category
        :param type: product (by `ref`), supplier (by `code_fournisseur`), customer (by `code_client`) or user (by
            `login`) {@example customer}
        :param object_ref: reference of the record
        :raises BadRequest: a contact has no reference
        :raises NotFound: there is no such record or category, or the record is not in it
        :raises Refused: the category is of another type
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: read
        """
        unlink(type, record_named(type, object_ref), id)
        return removed("Object removed from the category")
