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
    """Generated PDFs and uploaded files.

    `modulepart` (or `module_part`) is the type of record: `proposal` or `propal`, `order` or `commande`, `invoice` or
    `facture`, `thirdparty`, `contact`, `product`, `user`, or any other service with records. `original_file` is
    `<record's folder>/<file name>`. The folder has the record's reference as its name, or its ID if such records have
    no reference.

    You need the permissions of the record's type: `read` to list and download, `write` to generate and upload, `delete`
    to delete.
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

        The generated PDF of a draft isn't listed.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param id: ID of the record {@min 0}
        :param ref: reference of the record, instead of the ID
        :param sortfield: name, date, size, or a column of the index such as t.rowid; empty: in order of creation {@max
            40}
        :param sortorder: asc or desc {@pattern /^(asc|desc|ASC|DESC)$/} {@values asc ascending, desc descending}
        :param module_part: another spelling of modulepart
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
    ) -> BuiltFile:  # fmt: skip
        """Generate the PDF of a document.

        Stores the PDF with the record's files and returns it in base64. Works for drafts as well.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param original_file: `<REF>/<REF>.pdf`; a draft's reference is (PROV<id>)
            {@example PR2611-0001/PR2611-0001.pdf}
        :param doctemplate: template, such as azur; empty: the record's own, or the default
        :param langcode: language, such as fr_FR; empty: the recipient's
        :param module_part: another spelling of modulepart
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
        return {**fetched, "langcode": built.language, "template": built.template}

    def get_check(self, modulepart: str = "", id: int = 0, module_part: str = "") -> MentionCheck:
        """Check the legal notices of a document.

        Returns the notices that the law of the company's country requires, each as present or missing.

        :param modulepart: type of record {@example invoices}
            {@values invoices or invoice, proposals or proposal, orders or order}
        :param id: ID of the record; 0: only what the company's settings lack {@min 0}
        :param module_part: another spelling of modulepart
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
        :param original_file: `<record's folder>/<file name>`; for the generated PDF, the last two parts of
            `last_main_doc`, such as `PR2611-0001/PR2611-0001.pdf`
        :param module_part: another spelling of modulepart
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

        Returns the bytes of the file, or the range that `Range` requests.

        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param original_file: `<record's folder>/<file name>`; for the generated PDF, the last two parts of
            `last_main_doc`, such as `PR2611-0001/PR2611-0001.pdf`
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such type, or the path is missing or leads out of the file store
        :raises Unauthorized: the type's permission `read` is missing, or the profile is dolibarr16 and the path leads
            out of the file store
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
        """Upload a file to a record.

        Send the content as text, in base64, or as a file in a multipart body. Returns the name of the stored file. The
        server rejects programs, scripts and web pages, and files whose content doesn't match their extension.

        :idempotency: apart
        :param filename: name of the file; empty: that of `file`
        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param ref: reference of the record, or its ID if it has no reference
        :param subdir: folder of the record, instead of its reference
        :param filecontent: content of the file
        :param fileencoding: base64, or empty for text
        :param overwriteifexists: 1: replace a file with that name {@min 0} {@max 1}
        :param createdirifnotexists: 0: only if the record already has files {@min 0} {@max 1}
        :param module_part: another spelling of modulepart
        :param file: a file of a multipart body, instead of filecontent
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

        The logo is printed on PDFs. Returns the name of the stored file.

        :param filename: name of the file, which ends in .png or .jpg; empty: that of `file`
        :param filecontent: the picture, in base64
        :param fileencoding: base64
        :param file: a file of a multipart body, instead of filecontent
        :raises BadRequest: it is not a PNG or JPEG, or larger than 1 MB
        :permission: setup.write
        """
        content = filecontent if file is None else file
        name = filename or (content.name if isinstance(content, Upload) else "")
        return save_logo(_given("filename", name), content, fileencoding)

    def delete(self, original_file: str, modulepart: str = "", module_part: str = "") -> Deleted:
        """Delete a file.

        :param original_file: `<record's folder>/<file name>`; for the generated PDF, the last two parts of
            `last_main_doc`, such as `PR2611-0001/PR2611-0001.pdf`
        :param modulepart: type of record {@example proposals} {@values invoices or invoice, proposals or proposal,
            orders or order, thirdparties or thirdparty, contacts or contact, products or product, users or user}
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such type, or the path is missing or leads out of the file store
        :raises Unauthorized: the type's permission `delete` is missing, or the profile is dolibarr16 and the path
            leads out of the file store
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
