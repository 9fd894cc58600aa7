"""Addresses as the posts of their countries want them; the expected lines are written by hand from their rules."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.documents.content.addresses import country_line, place_lines
from modules.documents.content.parties import identifier_labels, letter_lines
from tests.modules.documents.native_texts import native_language

#: country, street, postal code, town as they are entered → what stands on a letter from France, in English
FROM_FRANCE = {
    # La Poste, NF Z 10-011: the last line in capital letters, postal code before the town
    ("FR", "Bâtiment C\n12 rue des Lilas", "75008", "Paris"): ["Bâtiment C", "12 rue des Lilas", "75008 PARIS"],
    # Deutsche Post: postal code before the town
    ("DE", "Heussallee 7", "53113", "Bonn"): ["Heussallee 7", "53113 BONN", "GERMANY"],
    # Royal Mail: town in capital letters, postcode alone on the line below
    ("GB", "10 Downing Street", "SW1A 2AA", "London"): ["10 Downing Street", "LONDON", "SW1A 2AA", "UNITED KINGDOM"],
    # USPS, Publication 28: city, state and ZIP Code on one line, in this order
    ("US", "1600 Main St", "62704", "Springfield, IL"): ["1600 Main St", "SPRINGFIELD, IL 62704", "UNITED STATES"],
    # Swiss Post: no CH- before the number
    ("CH", "Marktgasse 14", "3007", "Bern"): ["Marktgasse 14", "3007 BERN", "SWITZERLAND"],
    # Japan Post, from abroad: from the smallest to the largest, postal code behind the prefecture
    ("JP", "1-3-2 Kasumigaseki", "100-8798", "Chiyoda-ku, Tokyo"): [
        "1-3-2 Kasumigaseki", "CHIYODA-KU, TOKYO 100-8798", "JAPAN",
    ],
    # An Post: the Eircode alone on the last line before the country
    ("IE", "19 Clare Street", "D02 AF30", "Dublin 2"): ["19 Clare Street", "DUBLIN 2", "D02 AF30", "IRELAND"],
    # PostNL: town in capital letters
    ("NL", "Plein 2", "2511 CR", "Den Haag"): ["Plein 2", "2511 CR DEN HAAG", "NETHERLANDS"],
    ("BE", "Rue de la Loi 16", "1000", "Bruxelles"): ["Rue de la Loi 16", "1000 BRUXELLES", "BELGIUM"],
    ("ES", "Calle Mayor 1", "28013", "Madrid"): ["Calle Mayor 1", "28013 MADRID", "SPAIN"],
    ("IT", "Via del Corso 1", "00186", "Roma RM"): ["Via del Corso 1", "00186 ROMA RM", "ITALY"],
    # Australia Post: locality, state and postcode on the last line, in capital letters
    ("AU", "1 Martin Place", "2000", "Sydney NSW"): ["1 Martin Place", "SYDNEY NSW 2000", "AUSTRALIA"],
    # Canada Post: municipality, province, postal code
    ("CA", "111 Wellington St", "K1A 0A9", "Ottawa ON"): ["111 Wellington St", "OTTAWA ON K1A 0A9", "CANADA"],
    # PostNord
    ("SE", "Drottninggatan 5", "111 51", "Stockholm"): ["Drottninggatan 5", "111 51 STOCKHOLM", "SWEDEN"],
    ("PL", "ul. Wiejska 4", "00-902", "Warszawa"): ["ul. Wiejska 4", "00-902 WARSZAWA", "POLAND"],
    ("SG", "1 Raffles Place", "048616", "Singapore"): ["1 Raffles Place", "SINGAPORE 048616", "SINGAPORE"],
}  # fmt: skip


@pytest.mark.parametrize("entered", FROM_FRANCE, ids=lambda entered: entered[0])
def test_a_letter_from_france(entered):
    assert letter_lines(*entered, native_language("en_US"), "FR") == FROM_FRANCE[entered]


@pytest.mark.parametrize(
    ("country", "entered", "lines"),
    [
        # Deutsche Post asks for no capital letters within the country; Royal Mail does
        ("DE", ("Heussallee 7", "53113", "Bonn"), ["Heussallee 7", "53113 Bonn"]),
        ("CH", ("Marktgasse 14", "3007", "Bern"), ["Marktgasse 14", "3007 Bern"]),
        ("GB", ("10 Downing Street", "SW1A 2AA", "London"), ["10 Downing Street", "LONDON", "SW1A 2AA"]),
        # Within Japan from the largest to the smallest
        ("JP", ("霞が関1-3-2", "100-8798", "東京都千代田区"), ["〒100-8798", "東京都千代田区", "霞が関1-3-2"]),
    ],
)
def test_a_letter_at_home(country, entered, lines):
    assert letter_lines(country, *entered, native_language("en_US"), country) == lines


def test_what_is_missing_leaves_nothing_behind():
    assert place_lines("US", "1 Main St", "62704", "") == ["1 Main St", "62704"]
    assert place_lines("GB", None, None, "London") == ["London"]
    assert place_lines("JP", "", "", "") == []
    for odd in (None, "", "X", "XYZ", "../all", "ZZ", "%s"):
        assert sorted(" ".join(place_lines(odd, "a", "1", "b")).split()) == ["1", "a", "b"]


@given(st.sampled_from(["FR", "GB", "US", "JP", "HU", "CN", "AE", "MO", "SG", "SV", "TW", "KR", "", "??"]), st.data())
def test_no_word_of_an_address_is_lost(country, data):
    text = st.text(st.sampled_from("aZ1é 長-,\n\t"), max_size=12)
    street, code, town = data.draw(text), data.draw(text), data.draw(text)
    lines = place_lines(country, street, code, town)
    assert all(line.strip() == line and line for line in lines)
    entered = re.findall(r"\w+", f"{street} {code} {town}")
    assert sorted(re.findall(r"\w+", " ".join(lines))) == sorted(entered)


@pytest.mark.parametrize(
    ("country", "home", "language", "line"),
    [
        # The language of the PDF, where the post that sends it reads it
        ("DE", "CH", "it_IT", "GERMANIA"),
        ("PL", "DE", "en_US", "POLAND"),
        ("PL", "DE", "fr_FR", "POLOGNE"),
        # ... else that of the sender's country; never letters that not every sorting machine knows
        ("PL", "DE", "pl_PL", "POLEN"),
        ("DE", "FR", "de_DE", "ALLEMAGNE"),
        ("US", "JP", "de_DE", "UNITED STATES"),
        ("US", "", "de_DE", "VEREINIGTE STAATEN"),
        ("US", "XYZ", "de_DE", "VEREINIGTE STAATEN"),
    ],
)
def test_the_country_s_name_is_one_that_the_sender_s_post_reads(country, home, language, line):
    assert country_line(country, home, native_language(language)) == line


@pytest.mark.parametrize(
    ("country", "language", "labels"),
    [
        ("FR", "en_US", ["SIREN", "SIRET", "APE", "RCS"]),
        ("DE", "en_US", ["USt-IdNr.", "Steuernummer", "Handelsregister", "Registration number"]),
        ("GB", "fr_FR", ["Company number", "N° d’immatriculation"]),
        ("CH", "de_CH", ["UID"]),
        ("CH", "fr_CH", ["IDE"]),
        ("BE", "nl_BE", ["Ondernemingsnummer"]),
        ("BE", "fr_BE", ["N° d’entreprise"]),
        ("NL", "en_US", ["KvK-nummer"]),
        ("US", "en_US", ["EIN"]),
        (None, "en_US", ["Registration number"]),
    ],
)
def test_what_registration_numbers_are_called(country, language, labels):
    found = identifier_labels(country, native_language(language))
    assert found[: len(labels)] == labels
    assert len(found) == 6
