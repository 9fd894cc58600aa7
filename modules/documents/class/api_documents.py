"""The service /documents: files of records, over HTTP."""

from __future__ import annotations

import base64

from core import Api, File, Upload, wrong_fields

from ..files.index import find_file, list_files, open_file, read_file
from ..files.media_types import media_type
from ..files.record_types import RecordType, record_type_called
from ..files.storage import delete_files
from ..mentions.check import MentionCheck, check_mentions
from ..printing.logo import save_logo
from ..printing.printer import print_paper_at
from ..shapes import BuiltFile, Deleted, FetchedFile, ListedFile
from ..uploads import save_upload


class Documents(Api):
    """Files of records: papers that are printed, files that people send.

    `modulepart` (or `module_part`) names the type of record: `proposal` or `propal`, `order` or `commande`, `invoice`
    or `facture`, `thirdparty`, `contact`, `product`, `user`, and every further service with records. `original_file`
    is `<folder of the record>/<name of the file>`; the folder is called like the record's reference, or like its
    identifier where records have no reference of their own.

    The rights are those of the type: its `read` to list and fetch, its `write` to print, its `delete` to delete.
    """

    def index(
        self,
        modulepart: str = "",
        id: int = 0,
        ref: str = "",
        sortfield: str = "",
        sortorder: str = "asc",
        module_part: str = "",
    ) -> list[ListedFile]:
        """List the files of a record; what was printed of a draft is not among them.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param id: row identifier of the record {@min 0}
        :param ref: reference of the record, instead
        :param sortfield: what to sort by: name, date, size, or a column of the index such as t.rowid; the order in
            which they came when empty {@max 40}
        :param sortorder: asc or desc {@pattern /^(asc|desc|ASC|DESC)$/} {@values asc upwards, desc downwards}
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such type, or the record is not named
        :raises Unauthorized: the type's right `read` is missing
        :raises NotFound: there is no such record, or the caller may not see it
        :after: proposals|orders|invoices|shipments|thirdparties|products ?modulepart={service}&id={id}: Its files
        :access: protected
        """
        record_type = _record_type(modulepart, module_part, "read")
        return list_files(record_type, id, ref, sortfield, descending=sortorder.lower() == "desc", called=modulepart)

    def put_builddoc(
        self, modulepart: str = "", original_file: str = "", doctemplate: str = "", langcode: str = "",
        module_part: str = "",
    ) -> BuiltFile:  # fmt: skip
        """Print the paper (PDF) of a record, keep it, and answer it. Works for drafts, too.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param original_file: `<REF>/<REF>.pdf`; a draft's reference is (PROV<id>)
            {@example PR2611-0001/PR2611-0001.pdf}
        :param doctemplate: template, such as azur; the record's own, or the usual one, when empty
        :param langcode: language, such as fr_FR; the recipient's when empty
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such type or language, or another place for the file is named
        :raises Unauthorized: the type's right `write` is missing
        :raises NotFound: there is no such record or template, or the caller may not see it
        :raises Forbidden: records of this type are not printed
        :raises Refused: the template cannot be loaded, or it failed
        :after: proposals|orders|invoices|shipments ?modulepart={service}&original_file={ref}/{ref}.pdf: Its PDF
        :access: protected
        """
        built = print_paper_at(_record_type(modulepart, module_part, "write"), original_file, doctemplate, langcode)
        fetched = _answer(built.file.filename, built.content)
        return {**fetched, "langcode": built.language, "template": built.template}

    def get_check(self, modulepart: str = "", id: int = 0, module_part: str = "") -> MentionCheck:
        """Check a paper: what the law of the company's country wants on it, what is missing, and what is there.

        :param modulepart: type of record {@example invoices}
            {@values invoices or invoice, proposals or proposal, orders or order}
        :param id: row identifier of the record; 0: what the company lacks for all papers of this type {@min 0}
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such type, or its records are not printed
        :raises Unauthorized: the type's right `read` is missing
        :raises NotFound: there is no such record, or the caller may not see it
        :access: protected
        """
        return check_mentions(_record_type(modulepart, module_part, "read"), id)

    def get_download(self, modulepart: str = "", original_file: str = "", module_part: str = "") -> FetchedFile:
        """Download a file in base64.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param original_file: `<folder of the record>/<name of the file>`, such as `PR2611-0001/PR2611-0001.pdf`
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such type, or no file is named
        :raises Unauthorized: the type's right `read` is missing, or the path leads out of the store
        :raises NotFound: there is no such file, or the caller may not see its record
        :access: protected
        """
        file = find_file(_record_type(modulepart, module_part, "read"), original_file)
        return _answer(file.filename, read_file(file))

    def get_raw(self, modulepart: str = "", original_file: str = "", module_part: str = "") -> File:
        """Download a file as it is, or a range of its bytes.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param original_file: `<folder of the record>/<name of the file>`, such as `PR2611-0001/PR2611-0001.pdf`
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such type, or no file is named
        :raises Unauthorized: the type's right `read` is missing, or the path leads out of the store
        :raises NotFound: there is no such file, or the caller may not see its record
        :access: protected
        """
        file = find_file(_record_type(modulepart, module_part, "read"), original_file)
        return File(open_file(file), file.filename, media_type(file.filename))

    def post_upload(
        self, filename: str = "", modulepart: str = "", ref: str = "", subdir: str = "", filecontent: str | Upload = "",
        fileencoding: str = "", overwriteifexists: int = 0, createdirifnotexists: int = 1, module_part: str = "",
        file: Upload | None = None,
    ) -> str:  # fmt: skip
        """Upload a file for a record; answers the name it is kept under.

        The content is text, base64, or in a multipart body a file. Programs, scripts and pages are not taken, nor files
        that hold something other than their name says.

        :idempotency: apart
        :param filename: name of the file; that of `file` when empty
        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param ref: reference of the record, or its identifier where records have no reference
        :param subdir: folder of the record, instead
        :param filecontent: what the file holds
        :param fileencoding: base64, or empty for text
        :param overwriteifexists: 1: replace a file of that name {@min 0} {@max 1}
        :param createdirifnotexists: 0: only where the record has files already {@min 0} {@max 1}
        :param module_part: another spelling of modulepart
        :param file: a file of a multipart body, instead of filecontent
        :raises BadRequest: there is no such type, or name or content are not taken
        :raises NotFound: there is no such record, or the caller may not see it
        :raises Refused: there is such a file already, or it is the name of the paper that is printed
        :raises TooLarge: the content is larger than COMPTOIR_MAX_BODY
        :permission: documents.write
        """
        record_type = _record_type(modulepart, module_part, "read")
        content = filecontent if file is None else file
        name = filename or (content.name if isinstance(content, Upload) else "")
        return save_upload(
            record_type, _given("filename", name), content, fileencoding, ref=ref, subdir=subdir,
            overwrite=bool(overwriteifexists), create_folder=bool(createdirifnotexists),
        )  # fmt: skip

    def put_logo(
        self,
        filename: str = "",
        filecontent: str | Upload = "",
        fileencoding: str = "base64",
        file: Upload | None = None,
    ) -> str:
        """Upload the company's logo, a picture which is printed on papers; answers the name it is kept under.

        :param filename: name of the file, which ends in .png or .jpg; that of `file` when empty
        :param filecontent: the picture, in base64
        :param fileencoding: base64
        :param file: a file of a multipart body, instead of filecontent
        :raises BadRequest: it is no PNG or JPEG, or larger than 1 MB
        :permission: setup.write
        """
        content = filecontent if file is None else file
        name = filename or (content.name if isinstance(content, Upload) else "")
        return save_logo(_given("filename", name), content, fileencoding)

    def delete(self, original_file: str, modulepart: str = "", module_part: str = "") -> Deleted:
        """Delete a file.

        :param original_file: `<folder of the record>/<name of the file>`, such as `PR2611-0001/PR2611-0001.pdf`
        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such type, or no file is named
        :raises Unauthorized: the type's right `delete` is missing, or the path leads out of the store
        :raises NotFound: there is no such file, or the caller may not see its record
        :access: protected
        """
        delete_files([find_file(_record_type(modulepart, module_part, "delete"), original_file)])
        return {"success": {"code": 200, "message": "Document deleted"}}


def _record_type(modulepart: str, module_part: str, verb: str) -> RecordType:
    """The type of record that is named in either spelling, if the caller has a right of it."""
    record_type = record_type_called(_given("modulepart", modulepart or module_part))
    record_type.require(verb)
    return record_type


def _given(name: str, value: str) -> str:
    if not value:
        reason = f"`{name}` is required"
        raise wrong_fields([(name, reason)], reason, dolibarr=f"{reason}.")
    return value


def _answer(name: str, content: bytes) -> FetchedFile:
    return {
        "filename": name,
        "content-type": media_type(name),
        "filesize": len(content),
        "content": base64.b64encode(content).decode(),
        "encoding": "base64",
    }
