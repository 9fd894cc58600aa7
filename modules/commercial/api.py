"""The operations that every kind of document has. A kind with prices derives from `DocumentApi`, one without from
`PlainDocumentApi`; each adds its own.

In docstrings, `{noun}` is the word for one record, `{Nouns}` its plural as a label, `{states}` the states and
transitions as text, and `{service}` the name of the service. A permission of one word belongs to the kind's own
service. In annotations, `"model"` and `"line"` are attributes of the class.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from core import Api, File, ListQuery, Model, NotFound, Part, Transition, emit, profile
from core.for_natives import ByProfile

from ..setup.responses import DELETION, Success, removed, success
from ..thirdparties.contacts import of_thirdparties
from .documents import Documents
from .outstanding import Mode, Outstanding, outstanding
from .shapes import RoleRow
from .states import DELETE, DRAFT

DocumentRecord = Annotated[dict[str, Any], "model", Part("lines", "line")]
LineRecord = Annotated[dict[str, Any], "line"]
VALIDATE = "validate"
#: the ID of a line; for a list of lines their IDs, or their number
Added = int | Annotated[list[int] | int, ByProfile("added_lines_by_id")]


def add_lines(documents: Documents[Any], id: int, body: Mapping[str, Any] | list[Any]) -> int | list[int]:
    """Add the line or the lines of a body; returns what `Added` says."""
    if not isinstance(body, list):
        return documents.add_lines(id, [body])[0]
    added = documents.add_lines(id, body)
    return added if profile().added_lines_by_id else len(added)


def find_pdf(documents: Documents[Any], id: int, *, issued: bool = False) -> File:
    """Return the PDF of a document, which the module that generates PDFs adds to the event.

    :param issued: that of its last validation
    :raises NotFound: no module generates PDFs of this kind, or it was never validated
    """
    documents.load(id)
    found: list[File] = []
    emit(documents.service, "pdf_requested", {"id": id, "issued": issued, "files": found})
    if not found:
        raise NotFound(f"{documents.noun} {id} has no {'issued PDF' if issued else 'PDF'}")
    return found[0]


class PlainDocumentApi(Api):
    """A kind of document, with or without prices.

    :cvar noun: the word for one, such as ``order``; by default the kind of `documents`
    :cvar documents: the kind, with the models of its records and lines
    """

    noun: ClassVar[str] = ""
    model: ClassVar[type[Model]]
    line: ClassVar[type[Model]]
    transitions: ClassVar[list[Transition]]
    wording: ClassVar[dict[str, str]]
    documents: ClassVar[Documents[Any]]
    without: ClassVar[Collection[str]] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        """Take the models of the kind."""
        super().__init_subclass__(**more)
        if "documents" in vars(cls):
            if cls.documents.service != cls.__name__.lower().removesuffix("api").replace("_", ""):
                raise TypeError(f"{cls.__name__}: expected the service of its documents, got {cls.documents.service!r}")
            cls.records = cls.documents
            cls.noun = cls.noun or cls.documents.kind
            cls.model, cls.line = cls.documents.model, cls.documents.lines.model
            cls.transitions = cls.documents.states.shown()
            if not cls.documents.keeps_issued:
                cls.without = (*cls.without, "get_issued_pdf")
            cls.wording = {
                "states": cls.documents.states.explained(),
                "service": cls.documents.service,
                "state_names": ",".join(cls.documents.states.names.values()),
                "deletable": "|".join(
                    cls.documents.states.names[each] for each in cls.documents.states.allowing(DELETE)
                ),
                "issued": "|".join(name for state, name in cls.documents.states.names.items() if state != DRAFT),
                "Nouns": f"{cls.noun.capitalize()}s",
            }

    def index(self, query: ListQuery, thirdparty_ids: str = "", status: str = "") -> list[DocumentRecord]:
        """List {noun}s.

        :param thirdparty_ids: only of these third parties {@pattern /^[0-9,]*$/}
        :param status: only this state {@choice {state_names}}
        :after: thirdparties: {Nouns}
        :permission: read
        """
        state = {"statut": self.documents.states.number(status)} if status else {}
        return self.documents.page(query, of_thirdparties(thirdparty_ids) | state)

    def get(self, id: int, contact_list: int = 1) -> DocumentRecord:
        """Read {a_noun}.

        Includes its lines.

        :param contact_list: contacts in `contacts_ids` {@values 1 IDs, 0 objects, -1 none} {@min -1} {@max 1}
        :permission: read
        """
        return self.documents.read(id, contact_list=contact_list)

    def get_by_ref(self, ref: str, contact_list: int = 1) -> DocumentRecord:
        """Read {a_noun} by reference.

        A draft's reference is (PROV<id>).

        :url: GET ref/{ref}
        :param contact_list: contacts in `contacts_ids` {@values 1 IDs, 0 objects, -1 none} {@min -1} {@max 1}
        :permission: read
        """
        return self.documents.read(ref, "ref", contact_list=contact_list)

    def get_by_ref_ext(self, ref_ext: str, contact_list: int = 1) -> DocumentRecord:
        """Read {a_noun} by external reference.

        :url: GET ref_ext/{ref_ext}
        :param contact_list: contacts in `contacts_ids` {@values 1 IDs, 0 objects, -1 none} {@min -1} {@max 1}
        :raises Conflict: several {noun}s have it
        :permission: read
        """
        return self.documents.read(ref_ext, "ref_ext", contact_list=contact_list)

    def post(self, request_data: DocumentRecord) -> int:
        """Create {a_noun}.

        Creates a draft with your `lines`. `linked_objects` links other records, such as `{"commande": [12, 13]}`.
        Returns its ID.

        :raises NotFound: a referenced record does not exist
        :after: thirdparties: New {noun} for this customer
        :permission: write
        """
        return self.documents.create(request_data)

    def put(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Replace {a_noun}.

        Fields you don't send get their defaults; in the profile dolibarr16, they stay. Third party, date and lines
        always stay.

        :raises Refused: its state forbids it
        :permission: write
        """
        self.documents.put(id, request_data)
        return self.documents.read(id)

    def patch(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Change some fields of {a_noun}.

        Extra fields also stay.

        :raises Refused: its state forbids it
        :permission: write
        """
        self.documents.change(id, request_data, merge_extras=True)
        return self.documents.read(id)

    def delete(self, id: int) -> Success:
        """Delete {a_noun}.

        :raises Refused: its state forbids it, or another record uses it
        :after: {service} {deletable}
        :permission: delete
        """
        self.documents.delete(id)
        return success(f"{self.documents.noun} deleted")

    def get_issued_pdf(self, id: int) -> File:
        """Download the PDF of {a_noun} as issued.

        It stays as it was at the last validation.

        :url: GET {id}/pdf/issued
        :raises NotFound: never validated
        :raises 304: the PDF matches `If-None-Match`
        :produces: application/pdf
        :after: {service} {issued}: Download PDF as issued
        :permission: read
        """
        return find_pdf(self.documents, id, issued=True)

    def get_pdf(self, id: int) -> File:
        """Download the PDF of {a_noun}.

        If no PDF is stored, or the {noun} is a draft, generates one without storing it. `Link` leads to the PDF as
        issued.

        :url: GET {id}/pdf
        :raises Refused: the template failed
        :raises 304: the PDF matches `If-None-Match`
        :produces: application/pdf
        :after: {service}: Download PDF
        :permission: read
        """
        return find_pdf(self.documents, id)

    # Lines -----------------------------------------------------------------------------------------------------------

    def get_lines(self, id: int, sqlfilters: str = "") -> list[LineRecord]:
        """List {noun} lines.

        :url: GET {id}/lines
        :param sqlfilters: such as (d.description:like:'a%'); `p.` is the product
        :permission: read
        """
        return self.documents.read_lines(id, sqlfilters)

    def add_lines(self, id: int, request_data: list[LineRecord] | LineRecord) -> Added:
        """Add a line to {a_noun}.

        Send one line or a list: all are added, or none. Missing price, VAT, type and text come from the product.

        :url: POST {id}/lines
        :raises Refused: not a draft
        :after: {service} draft: Add a line
        :permission: write
        """
        return add_lines(self.documents, id, request_data)

    def put_line(self, id: int, lineid: int, request_data: LineRecord) -> DocumentRecord:
        """Replace {a_noun} line.

        Some documents reset fields you don't send.

        :url: PUT {id}/lines/{lineid}
        :raises Refused: not a draft
        :permission: write
        """
        self.documents.change_line(id, lineid, request_data)
        return self.documents.read(id)

    def patch_line(self, id: int, lineid: int, request_data: LineRecord) -> DocumentRecord:
        """Change some fields of {a_noun} line.

        `rang` sets the position.

        :url: PATCH {id}/lines/{lineid}
        :raises Refused: not a draft
        :permission: write
        """
        self.documents.change_line(id, lineid, request_data, merge=True)
        return self.documents.read(id)

    def delete_line(self, id: int, lineid: int) -> Annotated[Success | DocumentRecord, DELETION]:
        """Delete {a_noun} line.

        :url: DELETE {id}/lines/{lineid}
        :raises Refused: not a draft
        :permission: write
        """
        self.documents.remove_line(id, lineid)
        return removed("Line deleted", lambda: self.documents.read(id))

    # States ----------------------------------------------------------------------------------------------------------

    def validate(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Validate {a_noun}.

        Assigns the final reference.

        :url: POST {id}/validate
        :param notrigger: no effect
        :raises Refused: not a draft, or no numbering
        :permission: validate
        """
        return self._act(id, VALIDATE)

    def settodraft(self, id: int, idwarehouse: int = -1) -> DocumentRecord:
        """Set {a_noun} back to draft.

        The final reference stays.

        :url: POST {id}/settodraft
        :param idwarehouse: no effect
        :raises Refused: its state forbids it
        :permission: write
        """
        return self._act(id, "settodraft")

    def _act(self, id: int, name: str, target: int | None = None, **values: Any) -> dict[str, Any]:
        """Make a transition and return the record."""
        shown = self.documents.act(id, name, target, **values)
        return self._acted(id, {"brouillon": 0} if name == VALIDATE else {}, **shown)

    def _acted(self, id: int, unread: Mapping[str, Any] = MappingProxyType({}), **shown: Any) -> dict[str, Any]:
        """Return the record after an action, as the profile shows it there.

        :param unread: what Dolibarr 16 hasn't read in this response, in addition to that in `unread_after_actions`
        :param shown: further keys of this response
        """
        if profile().documents_as_recorded:
            shown = {**self.documents.unread_after_actions, **unread, **shown}
        return self.documents.answer(id, **shown)

    # Contacts --------------------------------------------------------------------------------------------------------

    def get_contacts(self, id: int, type: str = "") -> list[RoleRow]:
        """List the contacts of {a_noun}.

        Includes users with a role.

        :url: GET {id}/contacts
        :param type: only this role, such as BILLING
        :permission: read
        """
        return self.documents.read_contacts(id, type)

    def link_contact(self, id: int, contactid: int, type: str) -> DocumentRecord:
        """Add a contact to {a_noun}.

        :url: POST {id}/contact/{contactid}/{type}
        :param contactid: contact ID; for a role of users, user ID
        :param type: role, such as BILLING; for users SALESREPFOLL
        :raises 304: it has this role already
        :permission: write
        """
        self.documents.add_contact(id, contactid, type)
        return self._acted(id, {"linkedObjectsIds": None, "linkedObjectsFullLoaded": []})

    def unlink_contact(self, id: int, contactid: int, type: str) -> Annotated[Success | DocumentRecord, DELETION]:
        """Remove a contact from {a_noun}.

        :url: DELETE {id}/contact/{contactid}/{type}
        :param contactid: contact ID; for a role of users, user ID
        :param type: role, such as BILLING; for users SALESREPFOLL
        :permission: write
        """
        self.documents.remove_contact(id, contactid, type)
        return removed("Contact unlinked", lambda: self.documents.read(id))


class DocumentApi(PlainDocumentApi):
    """A kind of document with prices."""

    def outstanding(self, id: int, mode: Mode = "customer") -> Outstanding:
        """Read the open {noun} balance of a third party.

        :url: GET ../thirdparties/{id}/outstanding{service}
        :param mode: customer: {noun}s; supplier: always 0
        :permission: thirdparties.read
        """
        return outstanding(self.documents, id, mode)
