"""The operations that every kind of document has. A kind derives from `DocumentApi` (without prices: from
`PlainDocumentApi`) and adds its own.

`{noun}` in a docstring is what the kind calls a record, `{states}` its table of states and moves in words, `{service}`
the name of its service, a permission of one word is a right of the kind's own service, and `"model"` and `"line"` in an
annotation are the attributes of the class.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from core import Api, ListQuery, Model, Part, Transition

from ..answers.deeds import DELETION, Success, removed, success
from ..thirdparties.contacts import of_thirdparties
from .document.lines_body import Added, add_lines
from .documents import Documents
from .outstanding import Mode, Outstanding, outstanding
from .plain_documents import PlainDocuments
from .shapes import RoleRow

DocumentRecord = Annotated[dict[str, Any], "model", Part("lines", "line")]
LineRecord = Annotated[dict[str, Any], "line"]


class PlainDocumentApi(Api):
    """A kind of document, with or without prices.

    :cvar noun: what one of them is called, such as ``order``
    :cvar documents: the kind; it says which records and lines the operations take and answer
    """

    noun: ClassVar[str] = "document"
    model: ClassVar[type[Model]]
    line: ClassVar[type[Model]]
    transitions: ClassVar[list[Transition]]
    wording: ClassVar[dict[str, str]]
    documents: ClassVar[PlainDocuments[Any]]

    def __init_subclass__(cls, **more: Any) -> None:
        """Take the models of the kind."""
        super().__init_subclass__(**more)
        if "documents" in vars(cls):
            if cls.documents.service != cls.__name__.lower().removesuffix("api").replace("_", ""):
                raise TypeError(f"{cls.__name__}: expected the service of its documents, got {cls.documents.service!r}")
            cls.records = cls.documents
            cls.model, cls.line = cls.documents.model, cls.documents.lines.model
            cls.transitions = cls.documents.states.transitions()
            cls.wording = {"states": cls.documents.states.explained(), "service": cls.documents.service}

    def index(self, query: ListQuery, thirdparty_ids: str = "") -> list[DocumentRecord]:
        """List {noun}s with their lines.

        :param thirdparty_ids: only those of these third parties, such as 1,2,3 {@pattern /^[0-9,]*$/}
        :after: thirdparties: Their {noun}s
        :permission: read
        """
        return self.documents.page(query, of_thirdparties(thirdparty_ids))

    def get(self, id: int, contact_list: int = 1) -> DocumentRecord:
        """Read {a_noun} with its lines.

        :param id: row identifier of the {noun}
        :param contact_list: contacts in `contacts_ids` {@values 1 identifiers, 0 objects, -1 none} {@min -1} {@max 1}
        :raises NotFound: there is no such {noun}, or the caller may not see it
        :permission: read
        """
        return self.documents.read(id, contact_list=contact_list)

    def get_by_ref(self, ref: str, contact_list: int = 1) -> DocumentRecord:
        """Read {a_noun} by its reference; a draft's is (PROV<id>).

        :url: GET ref/{ref}
        :param ref: reference of the {noun}
        :param contact_list: contacts in `contacts_ids` {@values 1 identifiers, 0 objects, -1 none} {@min -1} {@max 1}
        :raises NotFound: there is no such {noun}, or the caller may not see it
        :permission: read
        """
        return self.documents.read(ref, "ref", contact_list=contact_list)

    def get_by_ref_ext(self, ref_ext: str, contact_list: int = 1) -> DocumentRecord:
        """Read {a_noun} by its reference in another system.

        :url: GET ref_ext/{ref_ext}
        :param ref_ext: reference of the {noun} in the other system
        :param contact_list: contacts in `contacts_ids` {@values 1 identifiers, 0 objects, -1 none} {@min -1} {@max 1}
        :raises NotFound: there is no such {noun}, or the caller may not see it
        :raises Conflict: the caller may see several {noun}s with it
        :permission: read
        """
        return self.documents.read(ref_ext, "ref_ext", contact_list=contact_list)

    def post(self, request_data: DocumentRecord) -> int:
        """Create {a_noun} as a draft, with the `lines` that are sent; answers its identifier.

        `linked_objects` links it with others: {"commande": 12} or {"commande": [12, 13]}.

        :raises BadRequest: fields are missing or do not fit, of the {noun} or of a line; all of them are named
        :raises NotFound: a third party, product or other record that is named does not exist
        :after: thirdparties: New {noun} for this customer
        :permission: write
        """
        return self.documents.create(request_data)

    def put(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Replace {a_noun}: its own fields; what is not sent goes back to its default, and extra fields are cleared.

        Send all values, or use PATCH. Third party and date stay, and so do the lines, which have operations of their
        own. In the profile dolibarr16 what is not sent stays, too.

        :param id: row identifier of the {noun}
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such {noun}, or a record that is named does not exist
        :raises Refused: its state does not allow it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        self.documents.put(id, request_data)
        return self.documents.read(id)

    def patch(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Change {a_noun}: the fields that are sent, extra fields one by one; all others stay.

        :param id: row identifier of the {noun}
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such {noun}, or a record that is named does not exist
        :raises Refused: its state does not allow it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        self.documents.change(id, request_data, merge_extras=True)
        return self.documents.read(id)

    def delete(self, id: int) -> Success:
        """Delete {a_noun} with its lines.

        :param id: row identifier of the {noun}
        :raises NotFound: there is no such {noun}, or the caller may not see it
        :raises Refused: its state does not allow it, or another record uses it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: delete
        """
        self.documents.delete(id)
        return success(f"{self.documents.noun} deleted")

    # Lines -----------------------------------------------------------------------------------------------------------

    def get_lines(self, id: int, sqlfilters: str = "") -> list[LineRecord]:
        """List the lines of {a_noun}.

        :url: GET {id}/lines
        :param id: row identifier of the {noun}
        :param sqlfilters: conditions such as (d.description:like:'a%'); d is the line, p its product
        :raises NotFound: there is no such {noun}, or the caller may not see it
        :permission: read
        """
        return self.documents.line_editor.list(id, sqlfilters)

    def add_lines(self, id: int, request_data: list[LineRecord] | LineRecord) -> Added:
        """Add a line to {a_noun}, or a list of lines, of which all are added or none.

        A line takes from the product it names what it does not say itself: price, VAT, type, text.

        :url: POST {id}/lines
        :param id: row identifier of the {noun}
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such {noun} or product
        :raises Refused: the {noun} is no draft
        :raises PreconditionFailed: `If-Match` names another state of the record
        :after: {service} draft: Add a line
        :permission: write
        """
        return add_lines(self.documents.line_editor, id, request_data)

    def put_line(self, id: int, lineid: int, request_data: LineRecord) -> DocumentRecord:
        """Change a line of {a_noun}, a draft. What is not sent may be reset, as the kind says; with PATCH it stays.

        :url: PUT {id}/lines/{lineid}
        :param id: row identifier of the {noun}
        :param lineid: row identifier of the line
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such {noun}, or it has no such line
        :raises Refused: the {noun} is no draft
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        self.documents.line_editor.change(id, lineid, request_data)
        return self.documents.read(id)

    def patch_line(self, id: int, lineid: int, request_data: LineRecord) -> DocumentRecord:
        """Change a line of {a_noun}: the fields that are sent; `rang` moves it.

        :url: PATCH {id}/lines/{lineid}
        :param id: row identifier of the {noun}
        :param lineid: row identifier of the line
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such {noun}, or it has no such line
        :raises Refused: the {noun} is no draft
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        self.documents.line_editor.change(id, lineid, request_data, merge=True)
        return self.documents.read(id)

    def delete_line(self, id: int, lineid: int) -> Annotated[Success | DocumentRecord, DELETION]:
        """Delete a line of {a_noun}.

        :url: DELETE {id}/lines/{lineid}
        :param id: row identifier of the {noun}
        :param lineid: row identifier of the line
        :raises NotFound: there is no such {noun}, or it has no such line
        :raises Refused: the {noun} is no draft
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        self.documents.line_editor.remove(id, lineid)
        return removed("Line deleted", lambda: self.documents.read(id))

    # States ----------------------------------------------------------------------------------------------------------

    def validate(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Validate {a_noun}, a draft: it gets its final reference.

        :url: POST {id}/validate
        :param id: row identifier of the {noun}
        :param notrigger: not used
        :raises NotFound: there is no such {noun}, or the caller may not see it
        :raises Refused: it is no draft, or its numbering is not configured
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: validate
        """
        return self._act(id, "validate")

    def settodraft(self, id: int, idwarehouse: int = -1) -> DocumentRecord:
        """Make {a_noun} a draft again; the final reference stays.

        :url: POST {id}/settodraft
        :param id: row identifier of the {noun}
        :param idwarehouse: not used
        :raises NotFound: there is no such {noun}, or the caller may not see it
        :raises Refused: its state does not allow it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        return self._act(id, "settodraft")

    def _act(self, id: int, name: str, end: int | None = None, **values: Any) -> dict[str, Any]:
        """Make a move and answer the record."""
        besides = self.documents.act(id, name, end, **values)
        return self.documents.answer(id, **besides)

    # Contacts --------------------------------------------------------------------------------------------------------

    def get_contacts(self, id: int, type: str = "") -> list[RoleRow]:
        """List the contacts of {a_noun}: those, and users, with a role in it.

        :url: GET {id}/contacts
        :param id: row identifier of the {noun}
        :param type: only those with this role, such as BILLING
        :raises NotFound: there is no such {noun}, or the caller may not see it
        :permission: read
        """
        return self.documents.people.of(id, type)

    def link_contact(self, id: int, contactid: int, type: str) -> DocumentRecord:
        """Give a contact a role in {a_noun}.

        :url: POST {id}/contact/{contactid}/{type}
        :param id: row identifier of the {noun}
        :param contactid: row identifier of the contact
        :param type: the role, such as BILLING, CUSTOMER or SHIPPING
        :raises NotFound: there is no such {noun}, contact or role
        :raises Unchanged: the contact has this role already
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        self.documents.people.give_role(id, contactid, type)
        return self.documents.read(id)

    def unlink_contact(self, id: int, contactid: int, type: str) -> Annotated[Success | DocumentRecord, DELETION]:
        """Take a role in {a_noun} from a contact.

        :url: DELETE {id}/contact/{contactid}/{type}
        :param id: row identifier of the {noun}
        :param contactid: row identifier of the contact
        :param type: the role, such as BILLING, CUSTOMER or SHIPPING
        :raises NotFound: there is no such {noun} or role, or the contact does not have it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        self.documents.people.take_role(id, contactid, type)
        return removed("Contact unlinked", lambda: self.documents.read(id))


class DocumentApi(PlainDocumentApi):
    """A kind of document with prices."""

    documents: ClassVar[Documents[Any]]

    def outstanding(self, id: int, mode: Mode = "customer") -> Outstanding:
        """Read what is open of a third party's {noun}s: how much it comes to, and of which.

        :url: GET ../thirdparties/{id}/outstanding{service}
        :param id: row identifier of the third party
        :param mode: customer: the {noun}s here; supplier: its own, of which none are kept, so that nothing is open
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: thirdparties.read
        """
        return outstanding(self.documents, id, mode)
