"""The service /documents: files of records, over HTTP."""

from __future__ import annotations

import base64
from typing import Annotated

from core import Api, ByProfile, File, Upload, settings, wrong_fields

from ..files.index import find_file, list_files, open_file, read_file
from ..files.media_types import media_type
from ..files.record_types import RecordType, record_type_called
from ..files.storage import delete_files
from ..mentions.check import MentionCheck, check_mentions
from ..printing.logo import save_logo
from ..printing.printer import print_paper_at
from ..shapes import BuiltFile, Deleted, FetchedFile, ListedFile, RequestedFile
from ..uploads import save_upload


class Documents(Api):
    """Generated PDFs and uploaded files.

    `modulepart` is the type of record, `original_file` is `<record's folder>/<file name>`. The folder is named after
    the record's reference, or its ID if it has none. You need the permissions of the record's type: `read` to list and
    download, `write` to generate and upload, `delete` to delete.
    """

    group = "Administration"

    def index(
        self,
        modulepart: str = "",
        id: int = 0,
        ref: str = "",
        sortfield: str = "",
        sortorder: str = "asc",
        module_part: str = "",
    ) -> list[ListedFile]:
        """List the files of a record.

        Omits the generated PDF of a draft.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param id: record ID {@min 0}
        :param ref: record reference, instead of the ID
        :param sortfield: name, date, size, or an index column such as t.rowid; default: creation order {@max 40}
        :param sortorder: asc or desc {@pattern /^(asc|desc|ASC|DESC)$/} {@values asc ascending, desc descending}
        :param module_part: alias of modulepart
        :raises BadRequest: there is no such type, or the record is missing
        :raises Unauthorized: the type's permission `read` is missing
        :raises NotFound: there is no such record, or the caller may not see it
        :after: proposals|orders|invoices|shipments|thirdparties|products ?modulepart={service}&id={id}: Files
        :access: protected
        """
        record_type = _record_type(modulepart, module_part, "read")
        return list_files(record_type, id, ref, sortfield, descending=sortorder.lower() == "desc", called=modulepart)

    def put_builddoc(
        self, modulepart: str = "", original_file: str = "", doctemplate: str = "", langcode: str = "",
        module_part: str = "",
    ) -> Annotated[BuiltFile | RequestedFile, ByProfile("builddoc_shows_used")]:  # fmt: skip
        """Generate the PDF of a document.

        Stores the PDF with the record's files and returns it in base64. Works for drafts.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param original_file: `<REF>/<REF>.pdf`; a draft's reference is (PROV<id>) {@example
            PR2611-0001/PR2611-0001.pdf}
        :param doctemplate: template, such as azur; default: the record's
        :param langcode: language, such as fr_FR; default: the recipient's
        :param module_part: alias of modulepart
        :raises BadRequest: there is no such type or language, or the file name is not that of the PDF
        :raises Unauthorized: the type's permission `write` is missing
        :raises NotFound: there is no such record or template, or the caller may not see it
        :raises Forbidden: records of this type have no PDF
        :raises Refused: the template cannot be loaded, or it failed
        :after: proposals|orders|invoices|shipments ?modulepart={service}&original_file={ref}/{ref}.pdf: Generate PDF
        :access: protected
        """
        built = print_paper_at(_record_type(modulepart, module_part, "write"), original_file, doctemplate, langcode)
        fetched = _answer(built.file.filename, built.content)
        shown = built.template if settings().profile.builddoc_shows_used else built.requested
        return {**fetched, "langcode": built.language, "template": shown}

    def get_check(self, modulepart: str = "", id: int = 0, module_part: str = "") -> MentionCheck:
        """Check the legal notices of a document.

        Returns each notice required by the law of the company's country as present or missing.

        :param modulepart: type of record {@example invoices} {@values invoices or invoice, proposals or proposal,
            orders or order}
        :param id: record ID; 0: check only the company settings {@min 0}
        :param module_part: alias of modulepart
        :raises BadRequest: there is no such type, or its records have no PDF
        :raises Unauthorized: the type's permission `read` is missing
        :raises NotFound: there is no such record, or the caller may not see it
        :access: protected
        """
        return check_mentions(_record_type(modulepart, module_part, "read"), id)

    def get_download(self, modulepart: str = "", original_file: str = "", module_part: str = "") -> FetchedFile:
        """Download a file in base64.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param original_file: `<record's folder>/<file name>`, or `fullname` or `last_main_doc` of a record
        :param module_part: alias of modulepart
        :raises BadRequest: there is no such type, or the path is missing or leads out of the file store
        :raises Unauthorized: the type's permission `read` is missing, or the profile is dolibarr16 and the path leads
            out of the file store
        :raises NotFound: there is no such file, or the caller may not see its record
        :access: protected
        """
        file = find_file(_record_type(modulepart, module_part, "read"), original_file)
        return _answer(file.filename, read_file(file))

    def get_raw(self, modulepart: str = "", original_file: str = "", module_part: str = "") -> File:
        """Download a file.

        Returns the bytes, or the part that `Range` requests.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param original_file: `<record's folder>/<file name>`, or `fullname` or `last_main_doc` of a record
        :param module_part: alias of modulepart
        :raises BadRequest: there is no such type, or the path is missing or leads out of the file store
        :raises Unauthorized: the type's permission `read` is missing, or the profile is dolibarr16 and the path leads
            out of the file store
        :raises NotFound: there is no such file, or the caller may not see its record
        :access: protected
        :produces: application/octet-stream, application/pdf
        """
        file = find_file(_record_type(modulepart, module_part, "read"), original_file)
        return File(open_file(file), file.filename, media_type(file.filename))

    def post_upload(
        self, filename: str = "", modulepart: str = "", ref: str = "", subdir: str = "", filecontent: str | Upload = "",
        fileencoding: str = "", overwriteifexists: int = 0, createdirifnotexists: int = 1, module_part: str = "",
        file: Upload | None = None,
    ) -> str:  # fmt: skip
        """Upload a file to a record.

        Send text, base64 or a multipart file. Returns the stored name. Rejects programs, scripts, web pages, and
        content that doesn't match the extension.

        :idempotency: apart
        :param filename: file name; default: that of `file`
        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param ref: record reference, or ID if it has none
        :param subdir: record folder, instead of `ref`
        :param filecontent: content
        :param fileencoding: base64; empty: text
        :param overwriteifexists: 1: replace an existing file {@min 0} {@max 1}
        :param createdirifnotexists: 0: fail if the record has no files {@min 0} {@max 1}
        :param module_part: alias of modulepart
        :param file: multipart file, instead of `filecontent`
        :raises BadRequest: there is no such type, or the name or content is not accepted
        :raises NotFound: there is no such record, or the caller may not see it
        :raises Refused: the file exists already, or its name is that of the generated PDF
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
        """Upload the company's logo.

        PDFs show the logo. Returns the stored name.

        :param filename: ends in .png or .jpg; default: the name of `file`
        :param filecontent: image in base64
        :param fileencoding: base64
        :param file: multipart file, instead of `filecontent`
        :raises BadRequest: it is not a PNG or JPEG, or larger than 1 MB
        :permission: setup.write
        """
        content = filecontent if file is None else file
        name = filename or (content.name if isinstance(content, Upload) else "")
        return save_logo(_given("filename", name), content, fileencoding)

    def delete(self, original_file: str, modulepart: str = "", module_part: str = "") -> Deleted:
        """Delete a file.

        :param original_file: `<record's folder>/<file name>`, or `fullname` or `last_main_doc` of a record
        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param module_part: alias of modulepart
        :raises BadRequest: there is no such type, or the path is missing or leads out of the file store
        :raises Unauthorized: the type's permission `delete` is missing, or the profile is dolibarr16 and the path leads
            out of the file store
        :raises NotFound: there is no such file, or the caller may not see its record
        :access: protected
        """
        delete_files([find_file(_record_type(modulepart, module_part, "delete"), original_file)])
        return {"success": {"code": 200, "message": "Document deleted"}}


def _record_type(modulepart: str, module_part: str, verb: str) -> RecordType:
    """Return the record type for either spelling, if the caller has a permission for it."""
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
