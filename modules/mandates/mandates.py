"""Mandates of SEPA direct debits: the PDF that a third party signs to permit debits of its account."""

from __future__ import annotations

from dataclasses import replace

from core import NotFound, Refused, today

from ..banks.direct_debits import CREDITOR, creditor_identifier
from ..banks.models import ThirdpartyAccount
from ..banks.thirdparty_accounts import thirdparty_accounts
from ..dictionaries.entries import country_code
from ..documents.content.language import choose_language
from ..documents.content.parties import letter_lines, recipient, sender, window
from ..documents.content.printed_document import PrintedDocument
from ..documents.content.rich_text import plain_lines, plain_pairs, plain_party, plain_text
from ..documents.files.filenames import clean_name
from ..documents.files.record_types import record_type_of
from ..documents.files.storage import save_file
from ..documents.layout.colours import ACCENT
from ..documents.layout.style import QUIET, coloured
from ..documents.mentions.printed import small_print
from ..documents.models import GENERATED, StoredFile
from ..documents.printing.logo import read_logo
from ..setup.account_numbers import in_fours, is_creditor_identifier, packed
from ..setup.company import company
from ..setup.constants import constant
from ..thirdparties.models import Thirdparty
from ..thirdparties.thirdparties import thirdparties

#: the models of PDF that can be made for an account
MODEL = "sepamandate"
MODELS = (MODEL,)
STYLE = replace(QUIET, accent="#37474f", tint="#eceff1", title=20.0)
#: frequency of debits, in the scheme's words
SEQUENCES = {"FRST": "One-off payment or first of several", "RCUR": "Recurrent payments"}
#: headings of the layout, as a mandate says them
HEADINGS = {"Note": "Authorisation", "Accepted: date and signature": "Place, date and signature"}
AUTHORISATION = (
    "By signing you allow {creditor} to ask your bank for debits of your account, "
    "and you allow your bank to debit your account as {creditor} asks.",
    "You may claim back from your bank what was debited, on the terms of your agreement with it, within eight weeks "
    "of the day your account was debited.",
    "Please sign this mandate and send it back to {creditor}.",
)


def check_creditor(name: str, text: str) -> None:
    """Check the creditor identifier: banks reject mandates with an invalid one.

    :raises ValueError: it isn't an identifier
    """
    if packed(text) and not is_creditor_identifier(packed(text)):
        raise ValueError("expected a creditor identifier with valid check digits, such as FR72ZZZ123456")


def store_mandate(thirdparty: int, account: int | None, model: str, language: str = "") -> StoredFile:
    """Make a mandate of an account and store it with the third party's files.

    :param account: ID; None: the default account
    :param language: such as ``fr_FR``; empty: the third party's
    :raises BadRequest: there is no such language
    :raises NotFound: there is no such third party, account or model
    :raises Refused: the account has no IBAN, or the company has no creditor identifier
    """
    debtor = thirdparties.load(thirdparty)
    row = _account_of(thirdparty, account)
    if model not in MODELS:
        raise NotFound(f"Model {model[:60]} not found; expected {' or '.join(MODELS)}")
    mandate = Mandate(debtor, row, language)
    content = mandate.render()
    record_type = record_type_of("thirdparties")
    if record_type is None:
        raise NotFound(f"Third party {thirdparty} not found", dolibarr="Thirdparty not found")
    location = record_type.folder_of(None, thirdparty), f"{clean_name(f'{MODEL}-{row.rum}')}.pdf"

    def refuse(known: StoredFile) -> None:
        if known.gen_or_uploaded != GENERATED:
            raise Refused(
                f"an uploaded file named {known.filename} already exists; delete or rename it", reason="value_taken"
            )

    return save_file(
        record_type, thirdparty, location, content, GENERATED, check=refuse, template=MODEL,
        then=lambda _: thirdparty_accounts.write_unchecked(row.id, last_main_doc="/".join(location)),
        language=mandate.words.language[:16],
    )  # fmt: skip


def _account_of(thirdparty: int, account: int | None) -> ThirdpartyAccount:
    row = thirdparty_accounts.load(account) if account else thirdparty_accounts.default_of(thirdparty)
    if row is None or row.socid != thirdparty:
        raise NotFound("Bank account not found")
    if not row.iban:
        raise Refused(f"can't make a mandate: bank account {row.id} has no IBAN", reason="incomplete")
    return row


class Mandate:
    """A mandate to print.

    :param account: the account to debit
    :param language: such as ``fr_FR``; empty: the debtor's
    :raises Refused: the company has no name or creditor identifier
    """

    def __init__(self, debtor: Thirdparty, account: ThirdpartyAccount, language: str) -> None:
        self.debtor, self.account = debtor, account
        self.company, self.creditor = company(), creditor_identifier()
        self.name, self.home = self.company["name"] or "", self.company["country_code"] or ""
        self.words = choose_language(language, debtor.default_lang, constant("MAIN_LANG_DEFAULT"), module="mandates")
        for value, noun, name in (
            (self.creditor, "creditor identifier", CREDITOR),
            (self.name, "name", "MAIN_INFO_SOCIETE_NOM"),
        ):
            if not value:
                raise Refused(f"the company has no {noun}; set the constant {name}", reason="not_configured")

    def render(self) -> bytes:
        """Return the PDF file."""
        # Only processes that make PDFs load the fonts
        from ..documents.layout.pdf import render

        return render(self.document(), coloured(STYLE, constant(ACCENT).strip()), self.words.saying(HEADINGS))

    def document(self) -> PrintedDocument:
        """Return everything to print."""
        words, name = self.words, plain_text(self.name)
        return PrintedDocument(
            language=words.language,
            title=words.say("SEPA direct debit mandate"),
            ref="",
            window=window(self.home, words),
            sender=plain_party(sender(self.company, words, country_code(self.debtor.country_id))),
            recipient=plain_party(recipient(self.debtor, words, self.home)),
            facts=plain_pairs([(words.say("Date"), words.day(today()))]),
            terms=plain_pairs([(words.say(label), text) for label, text in self.parties() if text]),
            note="\n\n".join(words.say(each).replace("{creditor}", name) for each in AUTHORISATION),
            acceptance=True,
            legal=plain_lines(small_print(self.company, words)),
            logo=read_logo(),
        )

    def parties(self) -> list[tuple[str, str | None]]:
        """Return creditor, debtor and frequency of the debits: English label and text."""
        debtor, account, own = self.debtor, self.account, self.company
        place = letter_lines(self.home, own["address"], own["zip"], own["town"], self.words, "")
        code = country_code(debtor.country_id)
        street = (account.owner_address or "").splitlines() or letter_lines(
            code, debtor.address, debtor.zip, debtor.town, self.words, ""
        )
        return [
            ("Mandate reference", account.rum),
            ("Creditor", ", ".join([self.name, *place])),
            ("Creditor identifier", self.creditor),
            ("Debtor", account.proprio or debtor.name),
            ("Address", ", ".join(each for each in street if each.strip())),
            ("IBAN", in_fours(account.iban or "")),
            ("BIC", account.bic),
            ("Bank", account.bank),
            ("Kind of payment", self.words.say(SEQUENCES.get(account.frstrecur or "", "Recurrent payments"))),
        ]
