"""Mandates of SEPA direct debits: the PDF that a third party signs to permit debits of its account."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core import NotFound, Refused, shown, wrong_fields

from ..banks.direct_debits import CREDITOR, creditor_identifier
from ..banks.models import ThirdpartyAccount
from ..banks.thirdparty_accounts import thirdparty_accounts
from ..dictionaries.entries import country_code
from ..documents.files.filenames import clean_name
from ..documents.files.record_types import record_type_of
from ..documents.files.storage import save_file
from ..documents.layout.colours import ACCENT
from ..documents.layout.style import QUIET, coloured
from ..documents.mentions.printed import small_print
from ..documents.models import GENERATED, StoredFile
from ..documents.papers.language import Language, choose_language
from ..documents.papers.paper import Paper
from ..documents.papers.parties import letter_lines, recipient, sender, window
from ..documents.papers.rich_text import plain_lines, plain_pairs, plain_party, plain_text
from ..documents.printing.logo import read_logo
from ..setup.account_numbers import in_fours, is_creditor_identifier, packed
from ..setup.company import company, today
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


def check_creditor_constant(name: str, value: str) -> None:
    """Reject an invalid creditor identifier; an empty one unsets it.

    :raises BadRequest: the identifier is invalid
    """
    if name == CREDITOR and packed(value) and not is_creditor_identifier(packed(value)):
        expected = "expected a creditor identifier with valid check digits, such as FR72ZZZ123456"
        reason = f"{expected}, got {shown(value)}"
        raise wrong_fields([("value", f"{name}: {reason}")])


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
    words = choose_language(language, debtor.default_lang, constant("MAIN_LANG_DEFAULT"), module="mandates")
    # Only processes that make PDFs load the fonts
    from ..documents.layout.pdf import render

    content = render(_paper(debtor, row, words), coloured(STYLE, constant(ACCENT).strip()), words.saying(HEADINGS))
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
        language=words.language[:16],
    )  # fmt: skip


def _account_of(thirdparty: int, account: int | None) -> ThirdpartyAccount:
    row = thirdparty_accounts.load(account) if account else thirdparty_accounts.default_of(thirdparty)
    if row is None or row.socid != thirdparty:
        raise NotFound("Bank account not found")
    if not row.iban:
        raise Refused(f"can't make a mandate: bank account {row.id} has no IBAN", reason="incomplete")
    return row


def _paper(debtor: Thirdparty, row: ThirdpartyAccount, words: Language) -> Paper:
    """Return the contents of a mandate."""
    creditor, own = creditor_identifier(), company()
    if not creditor:
        raise Refused(f"the company has no creditor identifier; set the constant {CREDITOR}", reason="not_configured")
    name, home = own["name"] or "", own["country_code"] or ""
    if not name:
        raise Refused("the company has no name; set the constant MAIN_INFO_SOCIETE_NOM", reason="not_configured")
    return Paper(
        language=words.language,
        title=words.say("SEPA direct debit mandate"),
        ref="",
        window=window(own["country_code"], words),
        sender=plain_party(sender(own, words, country_code(debtor.country_id))),
        recipient=plain_party(recipient(debtor, words, home)),
        facts=plain_pairs([(words.say("Date"), words.day(today()))]),
        terms=plain_pairs(_parties(debtor, row, words, name, creditor, own)),
        note="\n\n".join(words.say(each).replace("{creditor}", plain_text(name)) for each in AUTHORISATION),
        acceptance=True,
        legal=plain_lines(small_print(own, words)),
        logo=read_logo(),
    )


def _parties(
    debtor: Thirdparty, row: ThirdpartyAccount, words: Language, name: str, creditor: str, own: Any
) -> list[tuple[str, str]]:
    """Return creditor, debtor and frequency of the debits: label and text."""
    place = letter_lines(own["country_code"], own["address"], own["zip"], own["town"], words, "")
    code = country_code(debtor.country_id)
    street = (row.owner_address or "").splitlines() or letter_lines(
        code, debtor.address, debtor.zip, debtor.town, words, ""
    )
    found: list[tuple[str, str | None]] = [
        ("Mandate reference", row.rum),
        ("Creditor", ", ".join([name, *place])),
        ("Creditor identifier", creditor),
        ("Debtor", row.proprio or debtor.name),
        ("Address", ", ".join(each for each in street if each.strip())),
        ("IBAN", in_fours(row.iban or "")),
        ("BIC", row.bic),
        ("Bank", row.bank),
        ("Kind of payment", words.say(SEQUENCES.get(row.frstrecur or "", "Recurrent payments"))),
    ]
    return [(words.say(label), text) for label, text in found if text]
