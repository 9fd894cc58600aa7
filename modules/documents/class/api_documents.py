"""The service /documents: files of records, over HTTP."""

from __future__ import annotations

import base64
from typing import Annotated

from core import Api, BadRequest, File, Refused, Upload, profile, set_header
from core.for_natives import ByProfile

from ..files.index import as_file, find_file, list_files, read_file
from ..files.media_types import media_type
from ..files.record_types import RecordType, record_type_called
from ..files.storage import delete_files
from ..mentions.check import MentionCheck, check_mentions
from ..models import ISSUED
from ..printing.logo import save_logo
from ..printing.printer import ISSUED_LINK, issued_files, print_pdf_at
from ..shapes import BuiltFile, Deleted, FetchedFile, ListedFile, RequestedFile
from ..uploads import save_upload


class Documents(Api):
    """Generated PDFs and uploaded files.

    In `<folder>/<file name>`, the folder is the record's reference, or its ID if it has none. You need the permissions
    of the record's type: `read` to list and download, `write` to generate and upload, `delete` to delete.
    """

    group = "Administration"
    wording = {
        "types": "invoices or invoice, proposals or proposal, orders or order, thirdparties or thirdparty, "
        "contacts or contact, products or product, users or user"
    }

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

        :param modulepart: type of record, required {@example proposals} {@values {types}}
        :param id: record ID {@min 0}
        :param ref: reference, instead of the ID
        :param sortfield: name, date, size or an index column such as t.rowid; default: creation order {@max 40}
        :param sortorder: {@pattern /^(asc|desc|ASC|DESC)$/} {@values asc ascending, desc descending}
        :param module_part: alias of modulepart
        :raises NotFound: no such record
        :after: proposals|orders|invoices|shipments|thirdparties|products ?modulepart={service}&id={id}: Files
        :requires: `<modulepart>.read`, such as `invoices.read`
        :access: protected
        """
        record_type = _record_type(modulepart, module_part, "read")
        return list_files(record_type, id, ref, sortfield, descending=sortorder.lower() == "desc", called=modulepart)

    def put_builddoc(
        self, modulepart: str = "", original_file: str = "", doctemplate: str = "", langcode: str = "",
        module_part: str = "",
    ) -> Annotated[BuiltFile | RequestedFile, ByProfile("builddoc_shows_used")]:  # fmt: skip
        """Generate the PDF of a document.

        Stores the PDF with the record's files and returns it in base64. `Link` leads to the PDF as issued.

        :param modulepart: type of record, required {@example proposals} {@values {types}}
        :param original_file: `<REF>/<REF>.pdf`, required; a draft's reference is (PROV<id>) {@example
            PR2611-0001/PR2611-0001.pdf}
        :param doctemplate: such as azur; default: the record's
        :param langcode: such as fr_FR; default: the recipient's
        :param module_part: alias of modulepart
        :raises NotFound: no such record or template
        :raises 403: records of this type have no PDF
        :raises Refused: the template failed
        :after: proposals|orders|invoices|shipments ?modulepart={service}&original_file={ref}/{ref}.pdf: Store a new PDF
        :requires: `<modulepart>.write`, such as `invoices.write`
        :access: protected
        """
        record_type = _record_type(modulepart, module_part, "write")
        built = print_pdf_at(record_type, original_file, doctemplate, langcode)
        identifier = built.file.src_object_id
        if issued_files(record_type, identifier):
            set_header("Link", ISSUED_LINK.replace("<", f"<../{record_type.service}/{identifier}/"))
        fetched = _answer(built.file.filename, built.content)
        shown = built.template if profile().builddoc_shows_used else built.requested
        return {**fetched, "langcode": built.language, "template": shown}

    def get_check(self, modulepart: str = "", id: int = 0, module_part: str = "") -> MentionCheck:
        """Check the legal notices of a document.

        Returns each notice that the company's country requires as present or missing.

        :param modulepart: type of record, required {@example invoices}
            {@values invoices or invoice, proposals or proposal, orders or order}
        :param id: record ID; 0: check only the company settings {@min 0}
        :param module_part: alias of modulepart
        :raises NotFound: no such record
        :requires: `<modulepart>.read`, such as `invoices.read`
        :access: protected
        """
        return check_mentions(_record_type(modulepart, module_part, "read"), id)

    def get_download(self, modulepart: str = "", original_file: str = "", module_part: str = "") -> FetchedFile:
        """Download a file in base64.

        :param modulepart: type of record, required {@example proposals} {@values {types}}
        :param original_file: `<folder>/<file name>`, `fullname` or `last_main_doc`; required
        :param module_part: alias of modulepart
        :raises NotFound: no such file
        :requires: `<modulepart>.read`, such as `invoices.read`
        :access: protected
        """
        file = find_file(_record_type(modulepart, module_part, "read"), original_file)
        return _answer(file.filename, read_file(file))

    def get_raw(self, modulepart: str = "", original_file: str = "", module_part: str = "") -> File:
        """Download a file.

        Returns the bytes, or the part in `Range`.

        :param modulepart: type of record, required {@example proposals} {@values {types}}
        :param original_file: `<folder>/<file name>`, `fullname` or `last_main_doc`; required
        :param module_part: alias of modulepart
        :raises NotFound: no such file
        :after: documents ?modulepart={modulepart}&original_file={fullname}: Download
        :requires: `<modulepart>.read`, such as `invoices.read`
        :access: protected
        :produces: application/octet-stream, application/pdf
        """
        return as_file(find_file(_record_type(modulepart, module_part, "read"), original_file))

    def post_upload(
        self, filename: str = "", modulepart: str = "", ref: str = "", subdir: str = "", filecontent: str | Upload = "",
        fileencoding: str = "", overwriteifexists: int = 0, createdirifnotexists: int = 1, module_part: str = "",
        file: Upload | None = None,
    ) -> str:  # fmt: skip
        """Upload a file to a record.

        Send text, base64 or a multipart file. Returns the stored name. Rejects programs, scripts, web pages, and
        content that doesn't match the extension.

        :idempotency: apart
        :param filename: default: that of `file`
        :param modulepart: type of record, required {@example proposals} {@values {types}}
        :param ref: reference such as PR2611-0001; ID if the record has none
        :param subdir: folder, instead of `ref`
        :param filecontent: content
        :param fileencoding: base64; empty: text
        :param overwriteifexists: 1: replace an existing file {@min 0} {@max 1}
        :param createdirifnotexists: 0: fail if the record has no files {@min 0} {@max 1}
        :param module_part: alias of modulepart
        :param file: multipart file, instead of `filecontent`
        :raises NotFound: no such record
        :raises Refused: the file exists, or is the generated PDF
        :after: proposals|orders|invoices|shipments ?modulepart={service}&ref={ref}: Upload a file
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

        :param filename: .png or .jpg; default: that of `file`
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

        :param original_file: `<folder>/<file name>`, `fullname` or `last_main_doc`
        :param modulepart: type of record, required {@example proposals} {@values {types}}
        :param module_part: alias of modulepart
        :raises NotFound: no such file
        :raises Refused: it is the PDF of an invoice's validation
        :requires: `<modulepart>.delete`, such as `invoices.delete`
        :access: protected
        """
        record_type = _record_type(modulepart, module_part, "delete")
        file = find_file(record_type, original_file)
        if file.gen_or_uploaded == ISSUED:
            raise Refused(f"{file.filename} is the {record_type.kind} as it was issued, which is kept", reason="locked")
        delete_files([file])
        return {"success": {"code": 200, "message": "Document deleted"}}


def _record_type(modulepart: str, module_part: str, verb: str) -> RecordType:
    """Return the record type for either spelling, if the caller has a permission for it."""
    record_type = record_type_called(_given("modulepart", modulepart or module_part))
    record_type.require(verb)
    return record_type


def _given(name: str, value: str) -> str:
    if not value:
        raise BadRequest(errors=[BadRequest.missing(name)], dolibarr=f"`{name}` is required.")
    return value


def _answer(name: str, content: bytes) -> FetchedFile:
    return {
        "filename": name,
        "content-type": media_type(name),
        "filesize": len(content),
        "content": base64.b64encode(content).decode(),
        "encoding": "base64",
    }
