"""The base class of PDF templates: layout and content of one kind of document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from inspect import get_annotations
from typing import Any, ClassVar

from core import default_context

from ..commercial.documents import Documents
from ..commercial.precision import currency
from ..dictionaries.entries import code_of, country_code, entry
from ..dictionaries.models import PaymentTerm, PaymentType
from ..setup.company import company
from ..setup.constants import constant, is_on
from ..thirdparties.models import Contact, Thirdparty
from ..thirdparties.thirdparties import thirdparties
from .layout.colours import ACCENT
from .layout.style import Style, coloured
from .mentions.case import Case, kind_of
from .mentions.printed import mention_sentences, small_print, without_repeats
from .papers.language import Language, choose_language, seller_words
from .papers.lines import is_title, priced_line, subtotal_line, title_line, vat_table
from .papers.local_taxes import LABELS as LOCAL_TAXES
from .papers.local_taxes import local_tax_rows
from .papers.origins import origins
from .papers.own_texts import FREE_TEXT, LONGEST_WATERMARK, WATERMARK, filled, own_text
from .papers.paper import Enclosed, Paper, PaperLine, Party, PaymentPart
from .papers.parties import bank, identifier_labels, recipient, sender, window
from .papers.people import Person, delivery_of, full_name, people_of, reach, representatives
from .papers.record_values import ZERO, day_of, number
from .papers.rich_text import plain_lines, plain_pairs, plain_party, rich_text
from .papers.vat_reasons import vat_reasons

DRAFT = 0
#: code of the payment method bank transfer
TRANSFER = "VIR"

#: the field with the due date
DUE_DAY = "date_lim_reglement"
#: date field of a record → its label; a record has only some of these fields
DAYS = {
    "date": "Date",
    "fin_validite": "Valid until",
    DUE_DAY: "Due date",
    "delivery_date": "Delivery date",
    "date_pointoftax": "Tax point",
}


class Template:
    """A template: layout and content of the PDF of one kind of document.

    Each file ``modules/<module>/doctemplates/pdf_<name>.py`` contains one subclass.

    :cvar documents: the kind of document
    :cvar title: the heading, such as ``Commercial proposal``; translated if the catalogues contain it
    :cvar style: colours, table and columns
    :cvar days: date field → its label
    :cvar attention: roles of the contact to address; the first role that a contact has is used
    :cvar acceptance: whether to print a box for date and signature
    """

    documents: ClassVar[Documents[Any]]
    title: ClassVar[str] = ""
    style: ClassVar[Style] = Style()
    days: ClassVar[Mapping[str, str]] = DAYS
    attention: ClassVar[tuple[str, ...]] = ("CUSTOMER",)
    acceptance: ClassVar[bool] = False

    #: contacts with a role in the document that `paper` is called for
    _people: Sequence[Person] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        known = {name for base in cls.__mro__[1:] for name in (*vars(base), *get_annotations(base))}
        unknown = [name for name, value in vars(cls).items() if name not in known and not callable(value)]
        unknown = [name for name in unknown if not name.startswith("_")]
        if unknown:
            raise TypeError(
                f"{cls.__name__}: unknown attribute {unknown[0]!r}; modules/documents/template.py lists the known ones"
            )

    def paper(self, record: dict[str, Any], language: str = "") -> Paper:
        """Return everything to print.

        :param record: as `documents.read()` returns it
        :param language: such as ``fr_FR``; if empty, the recipient's, else the company's, else ``en_US``
        :raises BadRequest: the language is unknown
        """
        thirdparty = thirdparties.load(int(record["socid"]))
        words = self.language(language, thirdparty.default_lang, constant("MAIN_LANG_DEFAULT"))
        own = company()
        home = own["country_code"] or ""
        code = str(record.get("multicurrency_code") or currency())
        record = self.in_words(record, words)
        people = self._people = people_of(self.documents.element, record)
        standing, standing_details = self.standing(record, words)
        payment = self.payment(record, own, thirdparty, words)
        # A payment slip already contains the account
        account = [] if payment and payment.slip else self.accounts(record, own, words)
        return Paper(
            language=words.language,
            title=words.say(self.heading(record)),
            ref=str(record["ref"] or ""),
            draft=int(record["statut"] or 0) == DRAFT,
            watermark=self.watermark(record, words),
            standing=standing,
            standing_details=standing_details,
            window=window(own["country_code"], words),
            sender=plain_party(sender(own, words, country_code(thirdparty.country_id))),
            recipient=plain_party(recipient(thirdparty, words, home, self.person(record))),
            delivery=plain_party(self.delivery(people, thirdparty, words, home)),
            facts=plain_pairs(
                [
                    *self.facts(record, thirdparty, words),
                    *self.contact_facts(record, people, words),
                    *self.origin_facts(record, words),
                ]
            ),
            lines=self.lines(record, words),
            carried=is_on("DOCUMENT_CARRIED_FORWARD"),
            taxes=self.taxes(record, words),
            totals=[
                (name, words.money(amount, code), strong)
                for label, sum_, strong in self.totals(record)
                for name, amount in self.named_total(record, label, sum_, home, words)
            ],
            payment=payment,
            terms=plain_pairs([*self.terms(record, words), *account]) if self.is_owed(record) else [],
            mentions=[
                *map(
                    rich_text,
                    without_repeats(
                        [
                            *self.vat_reasons(record, own, thirdparty, words),
                            *self.mandatory_mentions(record, own, thirdparty, words),
                        ]
                    ),
                ),
                *map(rich_text, self.free_text(record, thirdparty, words)),
            ],
            note=rich_text(str(record.get("note_public") or "")),
            acceptance=self.acceptance,
            legal=plain_lines(small_print(own, words)),
        )

    @default_context
    def render(self, paper: Paper) -> bytes:
        """Return the PDF file of a `Paper`."""
        # Imported late: only processes that generate PDFs need to load the fonts
        from .layout.pdf import render

        return render(paper, coloured(self.style, constant(ACCENT).strip()), self.language(paper.language))

    def language(self, asked: str, *others: str | None) -> Language:
        """Return the requested language, or the first known one of the others.

        The texts of the template's own module take precedence over those of other modules.

        :raises BadRequest: the requested language is unknown
        """
        words = choose_language(asked, *others, module=type(self).__module__.split(".")[1])
        return seller_words(words, company()["country_code"])

    def enclosed(self, record: Mapping[str, Any]) -> Enclosed | None:
        """Return a file to embed in the PDF, or None; called for each generated PDF."""
        return None

    def finish(self, record: Mapping[str, Any], content: bytes) -> bytes:
        """Return the PDF file with additions that are not printed.

        :param record: the record of the PDF
        :param content: the PDF file from `render`
        """
        return content

    # Methods to override ---------------------------------------------------------------------------------------------

    def heading(self, record: Mapping[str, Any]) -> str:
        """Return the title of a record, in English."""
        return self.title

    def in_words(self, record: dict[str, Any], words: Language) -> dict[str, Any]:
        """Return the record with words instead of stored codes, such as in the discount lines of invoices."""
        return record

    def addressee(self, people: Sequence[Person]) -> Contact | None:
        """Return the contact to address: one with the first role of `attention` that a contact has; None without one.

        :param people: contacts with a role in the document
        """
        found = (each.contact for role in self.attention for each in people if each.role == role)
        return next(found, None)

    def person(self, record: Mapping[str, Any]) -> str:
        """Return the name of the contact to address, or an empty text."""
        contact = self.addressee(self._people)
        return full_name(contact) if contact is not None else ""

    def day(self, record: Mapping[str, Any], name: str) -> date | None:
        """Return the day in a field of `days`. An instant, such as that of a validation, needs `local_day_of`."""
        return day_of(record.get(name))

    def facts(self, record: Mapping[str, Any], thirdparty: Thirdparty, words: Language) -> list[tuple[str, str]]:
        """Return dates and references: label and text."""
        found = []
        owed = self.is_owed(record)
        for name, label in self.days.items():
            day = self.day(record, name)
            if day is not None and (owed or name != DUE_DAY):
                found.append((words.say(label), words.day(day)))
        for label, text in (
            ("Your reference", record.get("ref_client")),
            ("Customer number", thirdparty.code_client),
            ("Your VAT number", thirdparty.tva_intra),
            (identifier_labels(country_code(thirdparty.country_id), words)[0], thirdparty.idprof1),
        ):
            if text:
                found.append((words.say(label), str(text)))
        return found

    def contact_facts(
        self, record: Mapping[str, Any], people: Sequence[Person], words: Language
    ) -> list[tuple[str, str]]:
        """Return the contact persons of the customer and the company: label and text.

        :param people: contacts with a role in the document
        """
        contact = self.addressee(people)
        told = reach(contact) if contact is not None else ""
        found = [("Contact", told)] if "\n" in told else []
        if names := representatives(self.documents.element, record):
            found.append(("Your contact person", ", ".join(names)))
        return [(words.say(label), text) for label, text in found]

    def origin_facts(self, record: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
        """Return the order and the proposal of origin, with their dates: label and text."""
        pattern = words.say("{ref} of {day}")
        return [
            (words.say(label), pattern.replace("{ref}", ref).replace("{day}", words.day(day)) if day else ref)
            for label, ref, day in origins(self.documents.element, record)
        ]

    def totals(self, record: Mapping[str, Any]) -> list[tuple[str, Decimal, bool]]:
        """Return the totals: English label, amount, and whether it is emphasized."""
        rows = [
            ("Total excl. VAT", number(record["total_ht"]), False),
            ("Total VAT", number(record["total_tva"]), False),
        ]
        for label, name in (
            (LOCAL_TAXES[1], "total_localtax1"), (LOCAL_TAXES[2], "total_localtax2"),
            ("Stamp duty", "revenuestamp"), ("Rounding", "rounding_amount"),
        ):  # fmt: skip
            if amount := number(record.get(name)):
                rows.append((label, amount, False))
        return [*rows, ("Total incl. VAT", number(record["total_ttc"]), True)]

    def named_total(
        self, record: Mapping[str, Any], label: str, amount: Decimal, home: str, words: Language
    ) -> list[tuple[str, Decimal]]:
        """Return the rows of a total, in words: that of a local tax has one for each rate.

        :param home: code of the company's country
        """
        which = next((number for number, each in LOCAL_TAXES.items() if each == label), 0)
        return local_tax_rows(record, which, home, words) if which else [(words.say(label), amount)]

    def is_owed(self, record: Mapping[str, Any]) -> bool:
        """Return whether payment is due, now or later; otherwise due date, terms and bank account are omitted."""
        return True

    def terms(self, record: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
        """Return payment terms and payment method: label and text."""
        term = entry(PaymentTerm, record.get("cond_reglement_id"))
        mode = entry(PaymentType, record.get("mode_reglement_id"))
        found = []
        if term is not None:
            found.append((words.say("Payment terms"), words.say(term.descr or term.label or term.code)))
        if mode is not None:
            found.append((words.say("Payment method"), words.say(mode.label or mode.code)))
        return found

    def accounts(self, record: Mapping[str, Any], own: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
        """Return the bank account for the payment, label and text; empty if it isn't paid by transfer.

        :param own: the own company
        """
        return bank(own, words) if code_of(PaymentType, record.get("mode_reglement_id")) in (None, "", TRANSFER) else []

    def watermark(self, record: Mapping[str, Any], words: Language) -> str:
        """Return the watermark of the pages; empty if the document isn't a draft."""
        if int(record["statut"] or 0) != DRAFT:
            return ""
        from .layout.wrapping import one_line

        own = own_text(self.documents.element, WATERMARK, words)
        return words.say("DRAFT") if own is None or len(own) > LONGEST_WATERMARK else one_line(own)

    def standing(self, record: Mapping[str, Any], words: Language) -> tuple[str, list[str]]:
        """Return the status to print, such as ``PAID``, and sentences about it; both may be empty."""
        return "", []

    def delivery(self, people: Sequence[Person], thirdparty: Thirdparty, words: Language, home: str) -> Party | None:
        """Return the delivery address, if it differs from the recipient's.

        :param people: contacts with a role in the document
        :param home: code of the company's country
        """
        return delivery_of(people, thirdparty, words, home)

    def payment(
        self, record: Mapping[str, Any], own: Mapping[str, Any], thirdparty: Thirdparty, words: Language
    ) -> PaymentPart | None:
        """Return the payment part; None if there is nothing to pay.

        :param own: the own company
        """
        return None

    def vat_reasons(
        self, record: Mapping[str, Any], own: Mapping[str, Any], thirdparty: Thirdparty, words: Language
    ) -> list[str]:
        """Return the reasons for lines without VAT, one sentence each.

        :param own: the own company
        """
        return vat_reasons(record["lines"], own, thirdparty, words)

    def mandatory_mentions(
        self, record: Mapping[str, Any], own: Mapping[str, Any], thirdparty: Thirdparty, words: Language
    ) -> list[str]:
        """Return the legal notices that the company's country requires below the terms.

        :param own: the own company
        """
        return mention_sentences(Case(own, words, kind_of(self.documents.kind, record), record, thirdparty))

    def free_text(self, record: Mapping[str, Any], thirdparty: Thirdparty, words: Language) -> list[str]:
        """Return the company's free text for documents of this kind, printed at their end."""
        text = own_text(self.documents.element, FREE_TEXT, words)
        return [filled(text, record, thirdparty, words)] if text else []

    # Lines -----------------------------------------------------------------------------------------------------------

    @default_context
    def lines(self, record: Mapping[str, Any], words: Language) -> list[PaperLine]:
        """Return the printed lines, with subtotals if the style has them."""
        found: list[PaperLine] = []
        section: Decimal | None = None
        counted = 0
        for line in record["lines"]:
            heading = is_title(line)
            if heading and self.style.subtotals:
                if section is not None and counted:
                    found.append(subtotal_line(section, words))
                section, counted = ZERO, 0
            elif section is not None:
                section += number(line["total_ht"])
                counted += 1
            found.append(title_line(line) if heading else self.line(line, words))
        if section is not None and counted:
            found.append(subtotal_line(section, words))
        return found

    def line(self, line: Mapping[str, Any], words: Language) -> PaperLine:
        """Return one printed line."""
        return priced_line(line, words)

    def taxes(self, record: Mapping[str, Any], words: Language) -> list[tuple[str, str, str]]:
        """Return the VAT table: rate, net amount and tax of each rate."""
        return vat_table(record["lines"], words)


__all__ = ["Template", "day_of", "number"]
