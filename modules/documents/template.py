"""The base class of PDF templates: layout and content of one kind of document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from inspect import get_annotations
from typing import Any, ClassVar

from core.for_natives import default_context

from ..commercial.documents import Documents
from ..commercial.precision import currency
from ..commercial.states import DRAFT
from ..dictionaries.entries import code_of, country_code, entry
from ..dictionaries.models import PaymentTerm, PaymentType
from ..setup.company import company
from ..setup.constants import constant, is_on
from ..thirdparties.models import Contact
from ..thirdparties.thirdparties import thirdparties
from .content.language import choose_language, seller_words
from .content.lines import is_title, local_tax_rows, priced_line, subtotal_line, title_line, vat_table
from .content.origins import origins
from .content.own_texts import DUE_DAY, FREE_TEXT, LONGEST_WATERMARK, WATERMARK, filled, own_text
from .content.parties import bank, identifier_labels, recipient, sender, window
from .content.people import delivery_of, full_name, people_of, reach, representatives
from .content.printed_document import Enclosed, Party, PaymentPart, PrintedDocument, PrintedLine
from .content.record_values import ZERO, day_of, number
from .content.rich_text import plain_lines, plain_pairs, plain_party, rich_text
from .content.vat_reasons import vat_reasons
from .layout.colours import ACCENT
from .layout.style import Style, coloured
from .mentions.case import Case
from .mentions.printed import mention_sentences, small_print, without_repeats
from .printing.logo import read_logo

#: code of the payment method bank transfer
TRANSFER = "VIR"

#: date field of a record → its label; a record has only some of these fields
DAYS = {
    "date": "Date",
    "fin_validite": "Valid until",
    DUE_DAY: "Due date",
    "delivery_date": "Delivery date",
    "date_pointoftax": "Tax point",
}


class Template:
    """A template: layout and content of the PDF of one kind of document. Each PDF is printed with a new object.

    Each file ``modules/<module>/doctemplates/pdf_<name>.py`` contains one subclass. Its methods return English labels,
    which are translated if the catalogues contain them. A label without a text isn't printed.

    :cvar documents: the kind of document
    :cvar title: the heading in English, such as ``Commercial proposal``
    :cvar style: colours, table and columns
    :cvar days: date field → its English label
    :cvar attention: roles of the contact to address; the first role that a contact has is used
    :cvar acceptance: whether to print a box for date and signature
    :ivar record: the printed record, as `documents.read()` returns it
    :ivar thirdparty: its third party
    :ivar people: contacts with a role in it
    :ivar company: the fields of the company
    :ivar home: code of the company's country, or an empty text
    :ivar currency: currency code of the amounts
    :ivar words: the language: texts, numbers and dates
    """

    documents: ClassVar[Documents[Any]]
    title: ClassVar[str] = ""
    style: ClassVar[Style] = Style()
    days: ClassVar[Mapping[str, str]] = DAYS
    attention: ClassVar[tuple[str, ...]] = ("CUSTOMER",)
    acceptance: ClassVar[bool] = False

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        known = {name for base in cls.__mro__[1:] for name in (*vars(base), *get_annotations(base))}
        # Methods and properties have `__get__`
        unknown = [name for name, value in vars(cls).items() if name not in known and not hasattr(value, "__get__")]
        unknown = [name for name in unknown if not name.startswith("_")]
        if unknown:
            raise TypeError(
                f"{cls.__name__}: unknown attribute {unknown[0]!r}; modules/documents/template.py lists the known ones"
            )

    def __init__(self, record: dict[str, Any], language: str = "") -> None:
        """Prepare the printing of a record.

        The texts of the template's own module take precedence over those of other modules.

        :param language: such as ``fr_FR``; if empty, the recipient's, else the company's, else ``en_US``
        :raises BadRequest: the language is unknown
        """
        self.record = record
        self.thirdparty = thirdparties.load(int(record["socid"]))
        self.people = people_of(self.documents.element, record)
        self.company = company()
        self.home = str(self.company["country_code"] or "")
        self.currency = str(record.get("multicurrency_code") or currency())
        usual, module = constant("MAIN_LANG_DEFAULT"), type(self).__module__.split(".")[1]
        words = choose_language(language, self.thirdparty.default_lang, usual, module=module)
        self.words = seller_words(words, self.home)

    def document(self) -> PrintedDocument:
        """Return everything to print."""
        standing, standing_details = self.standing()
        payment = self.payment()
        contact = self.addressee()
        # A payment slip already contains the account
        terms = [*self.terms(), *([] if payment and payment.slip else self.accounts())] if self.is_owed() else []
        mentions = without_repeats([*self.vat_reasons(), *self.mandatory_mentions()])
        return PrintedDocument(
            language=self.words.language,
            title=self.words.say(self.heading()),
            ref=str(self.record["ref"] or ""),
            draft=self.is_draft,
            watermark=self.watermark(),
            standing=standing,
            standing_details=standing_details,
            window=window(self.home, self.words),
            sender=plain_party(sender(self.company, self.words, country_code(self.thirdparty.country_id))),
            recipient=plain_party(
                recipient(self.thirdparty, self.words, self.home, full_name(contact) if contact else "")
            ),
            delivery=plain_party(self.delivery()),
            facts=self._labelled([*self.facts(), *self.contact_facts(), *self.origin_facts()]),
            lines=self.lines(),
            carried=is_on("DOCUMENT_CARRIED_FORWARD"),
            taxes=self.taxes(),
            totals=[
                (self.words.say(label), self.words.money(amount, self.currency), strong)
                for label, amount, strong in self.totals()
            ],
            payment=payment,
            terms=self._labelled(terms),
            mentions=[*map(rich_text, mentions), *map(rich_text, self.free_text())],
            note=rich_text(str(self.record.get("note_public") or "")),
            acceptance=self.acceptance,
            legal=plain_lines(small_print(self.company, self.words, self.documents.kind_of(self.record))),
            logo=read_logo(),
        )

    def _labelled(self, pairs: Iterable[tuple[str, Any]]) -> list[tuple[str, str]]:
        """Return labels in the document's language and their texts, without empty ones."""
        return plain_pairs([(self.words.say(label), str(text)) for label, text in pairs if text])

    @default_context
    def render(self, document: PrintedDocument) -> bytes:
        """Return the PDF file of what `document` returns."""
        # Imported late: only processes that generate PDFs need to load the fonts
        from .layout.pdf import render

        return render(document, coloured(self.style, constant(ACCENT).strip()), self.words)

    def enclosed(self) -> Enclosed | None:
        """Return a file to embed in the PDF, or None."""
        return None

    def finish(self, content: bytes) -> bytes:
        """Return the PDF file with additions that are not printed.

        :param content: the PDF file from `render`
        """
        return content

    # Methods to override ---------------------------------------------------------------------------------------------

    def heading(self) -> str:
        """Return the title of the record, in English."""
        return self.title

    def addressee(self) -> Contact | None:
        """Return the contact to address: one with the first role of `attention` that a contact has."""
        return next((each.contact for role in self.attention for each in self.people if each.role == role), None)

    def day(self, name: str) -> date | None:
        """Return the day in a field of `days`. An instant, such as that of a validation, needs `local_day_of`."""
        return day_of(self.record.get(name))

    def facts(self) -> list[tuple[str, Any]]:
        """Return dates and references: label and text."""
        days = ((label, self.day(name)) for name, label in self.days.items() if name != DUE_DAY or self.is_owed())
        return [
            *((label, self.words.day(day)) for label, day in days if day),
            ("Your reference", self.record.get("ref_client")),
            ("Customer number", self.thirdparty.code_client),
            ("Your VAT number", self.thirdparty.tva_intra),
            (identifier_labels(country_code(self.thirdparty.country_id), self.words)[0], self.thirdparty.idprof1),
        ]

    def contact_facts(self) -> list[tuple[str, Any]]:
        """Return the contact persons of the customer and the company: label and text."""
        contact = self.addressee()
        text = reach(contact) if contact is not None else ""
        return [
            # The address already has the name
            ("Contact", text if "\n" in text else ""),
            ("Your contact person", ", ".join(representatives(self.documents.element, self.record))),
        ]

    def origin_facts(self) -> list[tuple[str, Any]]:
        """Return the documents of `origins` that it was made from, with their dates: label and text."""
        pattern = self.words.say("{ref} of {day}")
        return [
            (label, pattern.replace("{ref}", ref).replace("{day}", self.words.day(day)) if day else ref)
            for label, ref, day in origins(self.documents, self.record)
        ]

    def totals(self) -> list[tuple[str, Decimal, bool]]:
        """Return the totals: label, amount, and whether it is emphasized."""
        rows = [
            ("Stamp duty", number(self.record.get("revenuestamp"))),
            ("Rounding", number(self.record.get("rounding_amount"))),
        ]
        return [
            ("Total excl. VAT", number(self.record["total_ht"]), False),
            ("Total VAT", number(self.record["total_tva"]), False),
            *((label, amount, False) for label, amount in local_tax_rows(self.record, self.home, self.words)),
            *((label, amount, False) for label, amount in rows if amount),
            ("Total incl. VAT", number(self.record["total_ttc"]), True),
        ]

    def is_owed(self) -> bool:
        """Return whether payment is due, now or later; otherwise due date, terms and bank account are omitted."""
        return True

    def terms(self) -> list[tuple[str, Any]]:
        """Return payment terms and payment method: label and text."""
        term = entry(PaymentTerm, self.record.get("cond_reglement_id"))
        mode = entry(PaymentType, self.record.get("mode_reglement_id"))
        return [
            ("Payment terms", term and self.words.say(term.descr or term.label or term.code)),
            ("Payment method", mode and self.words.say(mode.label or mode.code)),
        ]

    def accounts(self) -> list[tuple[str, Any]]:
        """Return the bank account for the payment, label and text; empty if it isn't paid by transfer."""
        mode = code_of(PaymentType, self.record.get("mode_reglement_id"))
        return bank(self.company) if mode in (None, "", TRANSFER) else []

    @property
    def is_draft(self) -> bool:
        """Return whether the record is a draft."""
        return int(self.record["statut"] or 0) == DRAFT

    def watermark(self) -> str:
        """Return the watermark of the pages; empty if the document isn't a draft."""
        if not self.is_draft:
            return ""
        from .layout.wrapping import one_line

        own = own_text(self.documents.constant_name(WATERMARK), self.words)
        return self.words.say("DRAFT") if own is None or len(own) > LONGEST_WATERMARK else one_line(own)

    def standing(self) -> tuple[str, list[str]]:
        """Return the status to print, such as ``PAID``, and sentences about it; both may be empty."""
        return "", []

    def delivery(self) -> Party | None:
        """Return the delivery address, if it differs from the recipient's."""
        return delivery_of(self.people, self.thirdparty, self.words, self.home)

    def payment(self) -> PaymentPart | None:
        """Return the payment part; None if there is nothing to pay."""
        return None

    def vat_reasons(self) -> list[str]:
        """Return the reasons for lines without VAT, one sentence each."""
        return vat_reasons(self.record["lines"], self.company, self.thirdparty, self.words)

    def mandatory_mentions(self) -> list[str]:
        """Return the legal notices that the company's country requires below the terms."""
        return mention_sentences(self.case())

    def case(self) -> Case:
        """Return the input of the rules about legal notices."""
        kind = self.documents.kind_of(self.record)
        return Case(self.company, self.words, kind, self.record, self.thirdparty, self.delivery)

    def free_text(self) -> list[str]:
        """Return the company's free text for documents of this kind, printed at their end."""
        text = own_text(self.documents.constant_name(FREE_TEXT), self.words)
        return [filled(text, self.record, self.thirdparty, self.words)] if text else []

    # Lines -----------------------------------------------------------------------------------------------------------

    @default_context
    def lines(self) -> list[PrintedLine]:
        """Return the printed lines, with subtotals if the style has them."""
        found: list[PrintedLine] = []
        section: Decimal | None = None
        counted = 0
        for line in self.record["lines"]:
            heading = is_title(line)
            if heading and self.style.subtotals:
                if section is not None and counted:
                    found.append(subtotal_line(section, self.words))
                section, counted = ZERO, 0
            elif section is not None:
                section += number(line["total_ht"])
                counted += 1
            found.append(title_line(line) if heading else self.line(line))
        if section is not None and counted:
            found.append(subtotal_line(section, self.words))
        return found

    def line(self, line: Mapping[str, Any]) -> PrintedLine:
        """Return one printed line."""
        return priced_line(line, self.words)

    def taxes(self) -> list[tuple[str, str, str]]:
        """Return the VAT table: rate, net amount and tax of each rate."""
        return vat_table(self.record["lines"], self.words)
