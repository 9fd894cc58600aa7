"""Documents over HTTP."""

from __future__ import annotations

import base64
from typing import Literal

from core import Api, BadRequest, File, Upload

from ..building import build_at
from ..contents import media_type
from ..files import content_of, find_file, list_files, open_file
from ..keeping import discard
from ..kinds import Kind, kind_of
from ..logo import keep_logo
from ..shapes import BuiltFile, Deleted, FetchedFile, ListedFile
from ..uploads import upload

Sort = Literal["", "fullname", "relativename", "name", "date", "size"]


class Documents(Api):
    """Files of records: documents that are built, files that are sent.

    `modulepart` (or `module_part`) names the kind of record: `proposal` or `propal`, `order` or `commande`, `invoice`
    or `facture`, `thirdparty`, `contact`, `product`, `user`, and every further service with records. `original_file`
    is `<folder of the record>/<name of the file>`; the folder is called like the record's reference, or like its
    identifier where records have no reference of their own.

    The rights are those of the kind: its `read` to list and fetch, its `write` to build, its `delete` to delete.
    """

    def index(
        self,
        modulepart: str = "",
        id: int = 0,
        ref: str = "",
        sortfield: Sort = "",
        sortorder: str = "asc",
        module_part: str = "",
    ) -> list[ListedFile]:
        """List the files of a record; what was built of a draft is not among them.

        :param modulepart: kind of record: proposal, order, invoice, thirdparty, product … {@example proposal}
        :param id: row identifier of the record {@min 0}
        :param ref: reference of the record, instead
        :param sortfield: what to sort by; the order in which they came when empty
        :param sortorder: asc or desc {@pattern /^(asc|desc|ASC|DESC)$/}
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such kind, or the record is not named
        :raises Unauthorized: the kind's right `read` is missing
        :raises NotFound: there is no such record, or the caller may not see it
        """
        kind = _kind(modulepart, module_part, "read")
        return list_files(kind, id, ref, sortfield, descending=sortorder.lower() == "desc", called=modulepart)

    def put_builddoc(
        self, modulepart: str = "", original_file: str = "", doctemplate: str = "", langcode: str = "",
        module_part: str = "",
    ) -> BuiltFile:  # fmt: skip
        """Build the document of a record, keep it, and answer it. Works for drafts, too.

        :param modulepart: kind of record: proposal, order, invoice, thirdparty, product … {@example proposal}
        :param original_file: `<REF>/<REF>.pdf`; a draft's reference is (PROV<id>)
            {@example PR2611-0001/PR2611-0001.pdf}
        :param doctemplate: template, such as azur; the record's own, or the usual one, when empty
        :param langcode: language, such as fr_FR; the recipient's when empty
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such kind or language, or another place for the file is named
        :raises Unauthorized: the kind's right `write` is missing
        :raises NotFound: there is no such record or template, or the caller may not see it
        :raises Forbidden: nothing is built of this kind
        :raises Refused: the template cannot be loaded, or it failed
        """
        built = build_at(_kind(modulepart, module_part, "write"), original_file, doctemplate, langcode)
        fetched = _answer(built.file.filename, built.content)
        return {**fetched, "langcode": built.language, "template": built.template}

    def get_download(self, modulepart: str = "", original_file: str = "", module_part: str = "") -> FetchedFile:
        """Fetch a file, in base64.

        :param modulepart: kind of record: proposal, order, invoice, thirdparty, product … {@example proposal}
        :param original_file: `<folder of the record>/<name of the file>`, such as `PR2611-0001/PR2611-0001.pdf`
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such kind, or no file is named
        :raises Unauthorized: the kind's right `read` is missing, or the path leads out of the documents
        :raises NotFound: there is no such file, or the caller may not see its record
        """
        file = find_file(_kind(modulepart, module_part, "read"), original_file)
        return _answer(file.filename, content_of(file))

    def get_raw(self, modulepart: str = "", original_file: str = "", module_part: str = "") -> File:
        """Fetch a file as it is, or a range of its bytes.

        :param modulepart: kind of record: proposal, order, invoice, thirdparty, product … {@example proposal}
        :param original_file: `<folder of the record>/<name of the file>`, such as `PR2611-0001/PR2611-0001.pdf`
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such kind, or no file is named
        :raises Unauthorized: the kind's right `read` is missing, or the path leads out of the documents
        :raises NotFound: there is no such file, or the caller may not see its record
        """
        file = find_file(_kind(modulepart, module_part, "read"), original_file)
        return File(open_file(file), file.filename, media_type(file.filename))

    def post_upload(
        self, filename: str = "", modulepart: str = "", ref: str = "", subdir: str = "", filecontent: str | Upload = "",
        fileencoding: str = "", overwriteifexists: int = 0, createdirifnotexists: int = 1, module_part: str = "",
        file: Upload | None = None,
    ) -> str:  # fmt: skip
        """Keep a file for a record; answers the name it is kept under.

        The content is text, base64, or in a multipart body a file. Programs, scripts and pages are not taken, nor files
        that hold something else than their name says.

        :param filename: name of the file; that of `file` when empty
        :param modulepart: kind of record: proposal, order, invoice, thirdparty, product … {@example proposal}
        :param ref: reference of the record, or its identifier where records have no reference
        :param subdir: folder of the record, instead
        :param filecontent: what the file holds
        :param fileencoding: base64, or empty for text
        :param overwriteifexists: 1: write over a file of that name {@min 0} {@max 1}
        :param createdirifnotexists: 0: only where the record has files already {@min 0} {@max 1}
        :param module_part: another spelling of modulepart
        :param file: a file of a multipart body, instead of filecontent
        :raises BadRequest: there is no such kind, or name or content are not taken
        :raises NotFound: there is no such record, or the caller may not see it
        :raises Refused: there is such a file already, or it is the document that is built
        :raises TooLarge: the content is larger than COMPTOIR_MAX_BODY
        :permission: documents.write
        """
        kind = _kind(modulepart, module_part, "read")
        content = filecontent if file is None else file
        name = filename or (content.name if isinstance(content, Upload) else "")
        return upload(
            kind, _given("filename", name), content, fileencoding, ref=ref, subdir=subdir,
            overwrite=bool(overwriteifexists), create_folder=bool(createdirifnotexists),
        )  # fmt: skip

    def put_logo(
        self,
        filename: str = "",
        filecontent: str | Upload = "",
        fileencoding: str = "base64",
        file: Upload | None = None,
    ) -> str:
        """Keep a picture as the company's logo, which stands on documents; answers the name it is kept under.

        :param filename: name of the file, which ends in .png or .jpg; that of `file` when empty
        :param filecontent: the picture, in base64
        :param fileencoding: base64
        :param file: a file of a multipart body, instead of filecontent
        :raises BadRequest: it is no PNG or JPEG, or larger than 1 MB
        :permission: setup.write
        """
        content = filecontent if file is None else file
        name = filename or (content.name if isinstance(content, Upload) else "")
        return keep_logo(_given("filename", name), content, fileencoding)

    def delete(self, original_file: str, modulepart: str = "", module_part: str = "") -> Deleted:
        """Delete a file.

        :param original_file: `<folder of the record>/<name of the file>`, such as `PR2611-0001/PR2611-0001.pdf`
        :param modulepart: kind of record: proposal, order, invoice, thirdparty, product … {@example proposal}
        :param module_part: another spelling of modulepart
        :raises BadRequest: there is no such kind, or no file is named
        :raises Unauthorized: the kind's right `delete` is missing, or the path leads out of the documents
        :raises NotFound: there is no such file, or the caller may not see its record
        """
        discard([find_file(_kind(modulepart, module_part, "delete"), original_file)])
        return {"success": {"code": 200, "message": "Document deleted"}}


def _kind(modulepart: str, module_part: str, verb: str) -> Kind:
    """The kind that is named in either spelling, if the caller has a right of it."""
    kind = kind_of(_given("modulepart", modulepart or module_part))
    kind.require(verb)
    return kind


def _given(name: str, value: str) -> str:
    if not value:
        raise BadRequest(f"`{name}` is required.", errors=[(name, f"`{name}` is required.")])
    return value


def _answer(name: str, content: bytes) -> FetchedFile:
    return {
        "filename": name,
        "content-type": media_type(name),
        "filesize": len(content),
        "content": base64.b64encode(content).decode(),
        "encoding": "base64",
    }
