"""The contents of the lines of the PDFs, in the language of the company that sends them."""

#: language → what is sold: name and description
ITEMS = {
    "en": (
        ("Desk, oak", "Oiled, with two drawers, 160 × 80 cm"), ("Lamp, copper", "With a cable of linen, < 40 W & dimmable"),
        ("Chair, beech", "Stackable, seat of woven paper cord"), ("Shelf, walnut", "Five boards, wall brackets of steel"),
        ("Delivery", "To the second floor, packaging taken back"), ("Assembly", "Two fitters, half a day"),
        ("Cabinet, ash", "Lockable, with three inserts and a back that leaves room for cables"),
        ("Manual on paper", "Care of oiled surfaces, 24 pages"),
    ),
    "fr": (
        ("Bureau en chêne", "Huilé, deux tiroirs, 160 × 80 cm"), ("Lampe en cuivre", "Câble en lin, < 40 W & variateur"),
        ("Chaise en hêtre", "Empilable, assise en corde de papier"), ("Étagère en noyer", "Cinq tablettes, équerres en acier"),
        ("Livraison", "Au deuxième étage, reprise des emballages"), ("Montage", "Deux monteurs, une demi-journée"),
        ("Armoire en frêne", "Fermant à clé, trois casiers, dos laissant passer les câbles"),
        ("Notice sur papier", "Entretien des surfaces huilées, 24 pages"),
    ),
    "de": (
        ("Schreibtisch, Eiche", "Geölt, zwei Schubladen, 160 × 80 cm"), ("Leuchte, Kupfer", "Kabel aus Leinen, < 40 W & dimmbar"),
        ("Stuhl, Buche", "Stapelbar, Sitz aus Papierkordel"), ("Regal, Nussbaum", "Fünf Böden, Konsolen aus Stahl"),
        ("Lieferung", "In den zweiten Stock, Verpackung geht zurück"), ("Montage", "Zwei Monteure, ein halber Tag"),
        ("Schrank, Esche", "Abschließbar, drei Einsätze, Rückwand mit Raum für Kabel"),
        ("Anleitung auf Papier", "Pflege geölter Oberflächen, 24 Seiten"),
    ),
    "it": (
        ("Scrivania in rovere", "Oliata, due cassetti, 160 × 80 cm"), ("Lampada in rame", "Cavo di lino, < 40 W & regolabile"),
        ("Sedia in faggio", "Impilabile, seduta in corda di carta"), ("Scaffale in noce", "Cinque ripiani, mensole in acciaio"),
        ("Consegna", "Al secondo piano, ritiro degli imballaggi"), ("Montaggio", "Due montatori, mezza giornata"),
        ("Armadio in frassino", "Con chiave, tre inserti, schienale con spazio per i cavi"),
        ("Manuale su carta", "Cura delle superfici oliate, 24 pagine"),
    ),
}  # fmt: skip
#: which of them are services
SERVICES = (4, 5)
PRICES = ("640", "89.5", "145", "420", "120", "380", "1290", "18")
QUANTITIES = ("3", "6", "8", "2", "1", "1.5", "1", "2")
#: language → a refund, two headings, and a part of the price that is paid before
WORDS = {
    "en": ("Return of packaging", "Furniture", "Services", "Deposit of 30 %"),
    "fr": ("Reprise de l'ancien mobilier", "Mobilier", "Prestations", "Acompte de 30 %"),
    "de": ("Rücknahme Altmöbel", "Möbel", "Leistungen", "Anzahlung von 30 %"),
    "it": ("Ritiro dell'usato", "Mobili", "Servizi", "Acconto del 30 %"),
}
#: a description and a note as clients that have an editor of HTML send them
HTML = (
    '<p style="color:#333">{text}<br />Fran&ccedil;ois &amp; <b>Söhne</b></p><ul><li>160&nbsp;cm</li>'
    "<li><i>two</i> drawers<ol><li>left</li><li>right</li></ol></li></ul>",
    '<div>{text}</div><table border="1"><tr><td>Height</td><td>74 cm</td></tr><tr><td>Weight</td><td>38 kg</td></tr></table>',
    '<strong>{text}</strong> <a href="https://example.org/care">care</a><script>alert(1)</script><o:p></o:p>',
)
NOTE = "<p>Thank you for your <em>trust</em>.</p><p>Questions? <a href='mailto:hello@example.org'>hello@example.org</a></p>"
#: words of the HTML above that must be read, in this order, and those that nobody may see
READ = ("François & Söhne", "160 cm", "two drawers", "left", "right", "Height", "74 cm", "Weight", "38 kg", "care")
HIDDEN = ("alert(1)",)
DISCOUNTS = ("10", "0", "33.333", "5")


def lines_of(content, language, rates):
    """The lines of a PDF.

    :param content: one of the axis
    :param rates: of VAT, the usual one first
    """
    return _MAKERS[content](language, rates)


def _item(place, language, rate, **more):
    kind = place % len(PRICES)
    name, text = ITEMS[language][kind]
    return {
        "label": name, "desc": text, "qty": QUANTITIES[kind], "subprice": PRICES[kind], "tva_tx": rate,
        "product_type": int(kind in SERVICES), **more,
    }  # fmt: skip


def _one(language, rates):
    return [_item(0, language, rates[0])]


def _forty(language, rates):
    found = [_item(place, language, rates[0]) for place in range(40)]
    for place, line in enumerate(found, 1):
        line["label"] += f" {place:02}"
    return found


def _html(language, rates):
    found = [_item(place, language, rates[0]) for place in range(len(HTML))]
    return [
        line | {"desc": html.replace("{text}", line["label"] + "!")} for line, html in zip(found, HTML, strict=True)
    ]


def _discounts(language, rates):
    return [_item(place, language, rates[0], remise_percent=percent) for place, percent in enumerate(DISCOUNTS)]


def _rates(language, rates):
    return [_item(place, language, rate) for place, rate in enumerate(rates)]


def _negative(language, rates):
    back = {"label": WORDS[language][0], "product_type": 1, "tva_tx": rates[0]}
    return [
        _item(0, language, rates[0]),
        back | {"desc": "", "qty": "2", "subprice": "-45.25"},
        _item(2, language, rates[0]),
        back | {"label": back["label"] + " (2)", "desc": "", "qty": "-1", "subprice": "30"},
    ]


def _titles(language, rates):
    _, first, second, _ = WORDS[language]
    return [
        {"desc": first, "product_type": 9},
        *(_item(place, language, rates[0]) for place in (0, 2, 3)),
        {"desc": second, "product_type": 9},
        _item(4, language, rates[0]),
        # Hours of half a week
        _item(5, language, rates[0], fk_unit=32, date_start="2026-11-16", date_end="2026-11-18"),
    ]


_MAKERS = {
    "one": _one, "forty": _forty, "html": _html, "discounts": _discounts, "rates": _rates, "negative": _negative,
    "titles": _titles,
}  # fmt: skip


def deposit_line(line, language, share="0.3"):
    """The part of the price of a line that is paid before, 30 percent of it."""
    price = float(line["subprice"]) * float(line["qty"]) * float(share)
    desc = line["desc"] if "<" in line["desc"] and "</" in line["desc"] else line["label"]
    return {
        "label": f"{WORDS[language][3]}: {line['label']}", "desc": desc, "qty": "1", "subprice": f"{price:.2f}",
        "tva_tx": line["tva_tx"], "product_type": line["product_type"],
    }  # fmt: skip
