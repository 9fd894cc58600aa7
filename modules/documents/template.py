"""Templates: how the paper of a kind of document looks, and what is printed on it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from inspect import get_annotations
from typing import Any, ClassVar

from ..commercial.documents import Documents
from ..commercial.precision import currency
from ..commercial.roles import contact_rows
from ..dictionaries.entries import country_code, entry
from ..dictionaries.models import PaymentTerm, PaymentType
from ..setup.company import company
from ..setup.constants import constant
from ..thirdparties.models import Thirdparty
from ..thirdparties.thirdparties import thirdparties
from .layout.colours import ACCENT
from .layout.pdf import render
from .layout.style import Style, coloured
from .layout.wrapping import one_line
from .papers.language import Language, choose_language
from .papers.lines import is_title, priced_line, subtotal_line, title_line, vat_table
from .papers.own_texts import FREE_TEXT, LONGEST_WATERMARK, WATERMARK, filled, own_text
from .papers.paper import Enclosed, Paper, PaperLine, Party, PaymentPart
from .papers.parties import bank, identifier_labels, legal, recipient, sender, window
from .papers.record_values import ZERO, day_of, number
from .papers.rich_text import plain_lines, plain_pairs, plain_party, rich_text

DRAFT = 0

#: fields that hold a day of interest, and what they are called; a record has some of them
DAYS = {
    "date": "Date",
    "fin_validite": "Valid until",
    "date_lim_reglement": "Due date",
    "delivery_date": "Delivery date",
    "date_pointoftax": "Tax point",
}


class Template:
    """A template: how the paper of a kind of document looks. ``modules/<module>/doctemplates/pdf_<name>.py`` holds
    one class derived from it.

    :cvar documents: the kind of document
    :cvar title: the heading, such as ``Commercial proposal``; translated where the catalogues know it
    :cvar style: colours, table and columns
    :cvar days: the fields that hold a day, and what they are called
    :cvar attention: roles of the contact that the paper is addressed to; the first that anybody has counts
    :cvar acceptance: whether there is a box for date and signature
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
        unknown = [name for name, value in vars(cls).items() if name not in known and not callable(value)]
        unknown = [name for name in unknown if not name.startswith("_")]
        if unknown:
            raise TypeError(f"{cls.__name__}: templates have no {unknown[0]!r}; see modules/documents/template.py")

    def paper(self, record: dict[str, Any], language: str = "") -> Paper:
        """Gather everything that is printed.

        :param record: as `documents.read()` answers it
        :param language: such as ``fr_FR``; when empty the recipient's, the company's, then ``en_US``
        :raises BadRequest: papers are not written in the language
        """
        thirdparty = thirdparties.load(int(record["socid"]))
        words = self.language(language, thirdparty.default_lang, constant("MAIN_LANG_DEFAULT"))
        own = company()
        code = str(record.get("multicurrency_code") or currency())
        standing, standing_details = self.standing(record, words)
        payment = self.payment(record, own, thirdparty, words)
        # A slip names the account itself
        account = [] if payment and payment.slip else self.bank_details(own, words)
        return Paper(
            language=words.language,
            title=words.say(self.heading(record)),
            ref=str(record["ref"] or ""),
            draft=int(record["statut"] or 0) == DRAFT,
            watermark=self.watermark(record, words),
            standing=standing,
            standing_details=standing_details,
            window=window(own["country_code"], words),
            sender=plain_party(sender(own, words)),
            recipient=plain_party(recipient(thirdparty, words, own["country_code"] or "", self.person(record))),
            delivery=plain_party(self.delivery(record, words)),
            facts=plain_pairs(self.facts(record, thirdparty, words)),
            lines=self.lines(record, words),
            carried=constant("DOCUMENT_CARRIED_FORWARD").strip() not in ("", "0"),
            taxes=self.taxes(record, words),
            totals=[(words.say(label), words.money(sum_, code), strong) for label, sum_, strong in self.totals(record)],
            payment=payment,
            terms=plain_pairs([*self.terms(record, words), *account]),
            mentions=[
                *map(rich_text, self.vat_reasons(record, words)),
                *map(rich_text, self.mandatory_mentions(record, own, words)),
                *map(rich_text, self.free_text(record, thirdparty, words)),
            ],
            note=rich_text(str(record.get("note_public") or "")),
            acceptance=self.acceptance,
            legal=plain_lines(legal(own, words, currency())),
        )

    def render(self, paper: Paper) -> bytes:
        """Draw a paper; answers the PDF file."""
        return render(paper, coloured(self.style, constant(ACCENT).strip()), self.language(paper.language))

    def language(self, asked: str, *others: str | None) -> Language:
        """The language that is asked for, else the first of the others that there is; the texts of the template's own
        module come before those of any other.

        :raises BadRequest: papers are not written in the language that is asked for
        """
        return choose_language(asked, *others, module=type(self).__module__.split(".")[1])

    def enclosed(self, record: Mapping[str, Any]) -> Enclosed | None:
        """Another file that goes into the paper's; asked for when the paper is drawn to be kept."""
        return None

    def finish(self, record: Mapping[str, Any], content: bytes) -> bytes:
        """Put into the file what is not printed.

        :param record: the record it was made of
        :param content: the PDF file as it was drawn
        """
        return content

    # What a kind may say differently ---------------------------------------------------------------------------------

    def heading(self, record: Mapping[str, Any]) -> str:
        """The title of a record, in English."""
        return self.title

    def person(self, record: Mapping[str, Any]) -> str:
        """Whom the paper is addressed to."""
        if not record.get("contacts_ids"):
            return ""
        people = contact_rows(self.documents.element, int(record["id"]), source="external")
        for role in self.attention:
            for row in people:
                if row["code"] == role:
                    return " ".join(part for part in (row["firstname"], row["lastname"]) if part)
        return ""

    def facts(self, record: Mapping[str, Any], thirdparty: Thirdparty, words: Language) -> list[tuple[str, str]]:
        """Dates and references: label and text."""
        found = []
        for name, label in self.days.items():
            day = day_of(record.get(name))
            if day is not None:
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

    def totals(self, record: Mapping[str, Any]) -> list[tuple[str, Decimal, bool]]:
        """The totals: English label, amount, and whether it stands out."""
        rows = [
            ("Total excl. VAT", number(record["total_ht"]), False),
            ("Total VAT", number(record["total_tva"]), False),
        ]
        for label, name in (
            ("First local tax", "total_localtax1"), ("Second local tax", "total_localtax2"),
            ("Stamp duty", "revenuestamp"),
        ):  # fmt: skip
            if amount := number(record.get(name)):
                rows.append((label, amount, False))
        return [*rows, ("Total incl. VAT", number(record["total_ttc"]), True)]

    def terms(self, record: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
        """When and how it is to be paid: label and text."""
        term = entry(PaymentTerm, record.get("cond_reglement_id"))
        mode = entry(PaymentType, record.get("mode_reglement_id"))
        found = []
        if term is not None:
            found.append((words.say("Payment terms"), words.say(term.descr or term.label or term.code)))
        if mode is not None:
            found.append((words.say("Payment method"), words.say(mode.label or mode.code)))
        return found

    def bank_details(self, own: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
        """The account that is to be paid into, label and text; nothing where nothing is to be paid.

        :param own: the own company
        """
        return bank(own, words)

    def watermark(self, record: Mapping[str, Any], words: Language) -> str:
        """What stands across the pages."""
        if int(record["statut"] or 0) != DRAFT:
            return ""
        own = own_text(self.documents.element, WATERMARK, words)
        return words.say("DRAFT") if own is None or len(own) > LONGEST_WATERMARK else one_line(own)

    def standing(self, record: Mapping[str, Any], words: Language) -> tuple[str, list[str]]:
        """What has become of it, such as ``PAID``, and sentences that say more of that; empty while nothing has."""
        return "", []

    def delivery(self, record: Mapping[str, Any], words: Language) -> Party | None:
        """Where it is delivered to, if that is elsewhere."""
        return None

    def payment(
        self, record: Mapping[str, Any], own: Mapping[str, Any], thirdparty: Thirdparty, words: Language
    ) -> PaymentPart | None:
        """How it is to be paid; None where nothing is.

        :param own: the own company
        """
        return None

    def vat_reasons(self, record: Mapping[str, Any], words: Language) -> list[str]:
        """Why lines bear no VAT, a sentence each."""
        return []

    def mandatory_mentions(self, record: Mapping[str, Any], own: Mapping[str, Any], words: Language) -> list[str]:
        """The sentences that the law of the company's country wants on the paper.

        :param own: the own company
        """
        return []

    def free_text(self, record: Mapping[str, Any], thirdparty: Thirdparty, words: Language) -> list[str]:
        """The company's own words below every paper of the kind."""
        text = own_text(self.documents.element, FREE_TEXT, words)
        return [filled(text, record, thirdparty, words)] if text else []

    # Lines -----------------------------------------------------------------------------------------------------------

    def lines(self, record: Mapping[str, Any], words: Language) -> list[PaperLine]:
        """The lines, with the sub-totals that the style wants."""
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
        """One line."""
        return priced_line(line, words)

    def taxes(self, record: Mapping[str, Any], words: Language) -> list[tuple[str, str, str]]:
        """The table of VAT: rate, net amount and tax of each rate."""
        return vat_table(record["lines"], words)


__all__ = ["Template", "day_of", "number"]
