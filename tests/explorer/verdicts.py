"""Where the checks of schemathesis are stricter than what the server promises; each exception with its reason."""

import re

from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import RejectedPositiveData, UnsupportedMethodResponse

#: what fits the schema and is refused with 400 all the same, as ``field: message``: JSON Schema has no word for it
UNSAYABLE = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        # Languages and lists of their own, which are told in words
        r"^(sqlfilters|sortfield|properties|rights|fields|group): ",
        r"^sortorder: (expected|Expecting) ASC or DESC",
        r"^after: ((expected|Expecting) the X-Next-Cursor of a list|sort by the record's own fields)",
        r"^lang: expected a language",
        # An address that the server may connect to, patterns of events, a cursor of this server
        r"^url: expected a (URL|host|port)",
        r"^events: expected patterns such as ",
        r"^secret: expected ",
        r"^since: expected a cursor of this server, at most ",
        # A negative page is refused; a negative limit in one profile only
        r"^(limit|page): (expected at least 0|Minimum required value is 0|(expected|Expecting) a number from 0)",
        # The specification's words for 0 and for nothing; a route does not know whether 0 names something
        r"^: .* is mandatory$",
        r"^\w+: (expected|Expecting) the ID of a record",
        # A word for a state's number, or a dictionary's code for its ID: any text, for a schema
        r"^(status|paymentid|incdec): expected one of .*; got \"",
        r": expected (the ID or the code|the code) of an entry",
        # One of several fields: as a schema, that would make clients worse
        r": expected a text in `desc`, a product in `fk_product` or a price in `subprice`, got none of them$",
        # One of two spellings has to be sent, or a name that a file brings along
        r"^(modulepart|filename): `\w+` is required",
        # Wanted, and refused in the words that clients know
        r"^original_file: bad value for parameter original_file$",
        # Which kinds there are, the modules say that are loaded
        r"`modulepart`: expected one of ",
        r"^type: expected one of bank_account, ",
        # 64 bits, which are not said at each number
        r"(expected a whole number|Expecting integer value) from -(9223372036854775808|2147483648) to ",
        # One value of a body may be the whole body, so an object that does not name it is taken for it
        r"^\w+: (expected (a whole number|text), got|Expecting (integer value|text) \(got) [{\[]",
        # No file that is made of records holds control characters, nor any database half a character
        r"(expected|Expecting) text without the character U\+[0-9A-F]{4}",
        r"(expected|Expecting) (text|a name) (.* )?without control characters",
        # How large a number may be, and how many values there are
        r"^: Bad Request: (the body can't be read as JSON: a number is|Error decoding JSON: a number is|the form is not valid: expected at most)",
        # A day that is not in the calendar, or beyond its end; an amount written as text
        r"(expected|Expecting) (Unix seconds or a date|\d{4}-\d\d-\d\d with hyphens)",
        r"expected a number|Expecting numeric value",
        # A number in a form, written with an exponent; one of more digits than are looked at
        r"(expected a whole number, got|Expecting integer value \(got) '-?([0-9.]+e|[0-9]{19})",
        # What a multipart body without any part is
        r"^: Bad Request: the multipart body is not valid",
        # Rules of a record that its module checks when it is written, among them sums and what other fields allow
        r": expected (an amount|prices|a price|invoice IDs|the ID of|document types|the content of|a position up to)",
        r": expected (an? (percentage|rate|number of days|whole number|country code|email address)|base64)",
        # A quantity of which nothing is left when it is rounded; what a variant is to differ in
        r": expected (a quantity above 0|the value of at least one attribute|the IDs of an attribute)",
        # One of several parameters must name the record
        r": (expected one of `id`, `ref`, `ref_ext` or `barcode`|`id` or `ref` is required)",
        r"^(login|email): expected no control or invisible characters",
        r"^addresses: ",
        # An identifier alone is none: each service counts from one
        r"^record: `record` requires `service`$",
        r": expected (12 to 1024 characters|a name|a file name|a login|a time in the future|no spaces at)",
        r": this filter is not served",
        r": .* (can't be its own parent company|can't be the parent company: it is a subsidiary of third party \d+)$",
        r": expected a PNG or JPEG",
        r": expected an? (customer|supplier) code",
        r": expected (one of (HT, TTC|discount_vat, .*|commande, .*facture, .*propal.*)|(HT or TTC|base64 or an empty value))",
        # Definitions of extra fields: a name that is taken, what stays as it is, what the type asks for
        r"^: Bad Request: Extra field \w+ of \w+ already exists$",
        r"^(type|size|unique): (cannot change|the type of extra field \w+ can't be changed; expected \w+, got \w+)",
        r"^default: ",
        r"^pos: (expected a whole number|Expecting integer value)",
        # The country of the company, where 0.0 is no identifier
        r"^country_id: .*Expecting integer value$",
        r"^param: (expected|Expecting) ({|at most \d+ (options|bytes))",
        r"^size: (expected|Expecting) a number of characters",
        # Values that nothing could work with
        r"^currency_code: expected a currency such as EUR",
        r"^constantname: (unknown setting|`constantname`: expected a name of capital letters)",
        r"^value: [A-Z_]+: (Error\w+: )?expected ",
        # Required while a bank account is open; what remains of an invoice, the database knows
        r"^accountid: `accountid` is required$",
        r": invoice \S+ has nothing left to pay$",
        # Numbers with check digits, the two ends of a transfer, the statement that a line is reconciled with
        r": .*expected an? (IBAN|BIC|creditor identifier) ",
        r"^(bankaccount_to_id|amount_to|num_releve): ",
        r"^(type|rum): expected (the code of a payment method|only letters)",
        r"^frstrecur: expected one of FRST, RCUR",
        # Of a template: taken from the invoice that it is made of
        r"^socid: `socid` is required$",
        r"^type: .*expected ban",
        # What is used already is told along where something else is wrong
        r": another record has (this value|these values)",
        r"^type: expected one of product, supplier, customer, contact, user",
        r": expected (six hexadecimal digits|a price of at least 0|a warehouse other than|\d+, the third party of the order)",
        r": (`\w+` is not supported|expected a quantity other than 0)",
        r": expected (a number from 0 to|type and rate of)",
        # A mode of pricing that is off; a text of blanks alone is none
        r"prices of this kind are disabled",
        r"^(login|password|label|original_file): (`\w+` is required|\w+ field missing)$",
    )
)


#: before what a batch says of an entry
_ENTRY = re.compile(r"(?<![^ ])entries\[[0-9]+\](\.|: |$)")


def is_excused(failure, case, response):
    """Whether a failure is none of the server."""
    if isinstance(failure, AcceptedNegativeData):
        if isinstance(case.body, str) and case.body != case.body.strip():
            # Text is trimmed before it is measured
            return True
        if case.operation.path.startswith("/setup/dictionary/{name}"):
            # What is a field of one dictionary is none of another, and then ignored
            return True
        # Nothing of it is wrong any more, once real values are in it
        return case.meta is not None and not any(each.mode.is_negative for each in case.meta.components.values())
    if isinstance(failure, UnsupportedMethodResponse):
        # `dictionary/countries/{id}` is a `dictionary/{name}/{id}`, too, and that takes other verbs
        return case.operation.path.startswith("/setup/dictionary/")
    if not isinstance(failure, RejectedPositiveData):
        return False
    if response.status_code == 400 and case.operation.path.startswith("/setup/dictionary/{name}"):
        # What an entry consists of depends on the dictionary that the path names
        return True
    # 405 is the refusal of business: a state, a value that is used already
    return response.status_code == 405 or (response.status_code == 400 and is_unsayable(response))


def is_unsayable(response):
    """Whether all that a 400 says is wrong is what no schema can tell."""
    # A record that does not exist is 404 by itself, and told along where something else is wrong
    wrong = [each for each in complaints(response) if not each.endswith(": no such record")]
    return bool(wrong) and all(any(known.search(each) for known in UNSAYABLE) for each in wrong)


def complaints(response):
    """What a refusal says is wrong, each as ``field: message``; of an entry of a batch as its operation alone says it."""
    error = response.json()["error"]
    named = [f"{_ENTRY.sub('', each['field'])}: {each['message']}" for each in error.get("errors", ())]
    return named or [f": {_ENTRY.sub('', error['message']).removesuffix('; nothing was changed')}"]


# Documents -----------------------------------------------------------------------------------------------------------


def strict(document):
    """A document in which every status has to be named, and paths begin at the root.

    Without `If-Match`: with a drawn one, every request would end in 412. Without `dates` and `properties`: with them,
    the schemas of records, as the document says, don't hold. Without `Prefer`: unknown fields fit a schema. Without CSV in
    requests: to a schema, any text is CSV; nor with `atomic` in the query, which is for CSV: a JSON body has its own.
    Without `wait`: it waits.
    """
    left_out = ("IfMatch", "IfNoneMatch", "Prefer", "dates-Parameter", "properties-Parameter")
    names = ("properties", "atomic", "wait")
    without = [{"$ref": f"#/components/parameters/{name}"} for name in left_out]

    def is_kept(parameter):
        return parameter not in without and parameter.get("name") not in names

    def limited(said):
        body = said.get("requestBody", {})
        content = {kind: each for kind, each in body.get("content", {}).items() if kind != "text/csv"}
        return {
            **said,
            "parameters": [each for each in said.get("parameters", []) if is_kept(each)],
            **({"requestBody": {**body, "content": content}} if content else {}),
            "responses": {status: each for status, each in said["responses"].items() if status != "default"},
        }

    paths = {path: {verb: limited(said) for verb, said in verbs.items()} for path, verbs in document["paths"].items()}
    return {**document, "servers": [{"url": "/"}], "paths": paths}


_NUMBER = r"^\s*-?[0-9]+(\.[0-9]*)?\s*$"
#: a type → what is taken for it besides: forms know only text, scripts write numbers where text belongs
_TAKEN = {
    "string": [{"type": "number"}],
    "integer": [{"type": "number"}, {"type": "string", "pattern": _NUMBER}],
    "number": [{"type": "string", "pattern": _NUMBER}],
    "boolean": [{"enum": [0, 1, "0", "1", "true", "false"]}],
    # The reference's lists and maps are one kind, and an empty one is sent as either
    "array": [{"type": "object"}],
    "object": [{"type": "array", "maxItems": 0}],
}
#: what is taken at a creation alone, and ignored at a change, whatever it is
_OF_CREATIONS = ("linked_objects", "linkedObjectsIds")
#: nothing, as forms and older clients send it
_NOTHING = [{"enum": [None, "", False, 0, [], {}]}]


def lenient(document):
    """The same document, of which requests may be written as forms and older clients write them.

    What does not even fit this has to be refused.
    """
    components = document["components"]
    # The company is written as it is read
    taken = re.compile("(New|Change)$|^Company$")
    schemas = {name: _widened(each) if taken.search(name) else each for name, each in components["schemas"].items()}
    parameters = {name: _taken(each) for name, each in components["parameters"].items()}
    paths = {path: {verb: _taken(said) for verb, said in verbs.items()} for path, verbs in document["paths"].items()}
    return {**document, "components": {**components, "schemas": schemas, "parameters": parameters}, "paths": paths}


def _taken(said):
    """An operation or a parameter whose own schemas are wide."""
    said = dict(said)
    if "parameters" in said:
        said["parameters"] = [_taken(each) for each in said["parameters"]]
    if "schema" in said and said.get("in") != "path":
        said["schema"] = _widened(said["schema"])
    if "requestBody" in said:
        content = said["requestBody"]["content"]
        wide = {kind: {"schema": {"anyOf": _bodies(each["schema"])}} for kind, each in content.items()}
        said["requestBody"] = {"content": wide}
    return said


def _bodies(schema):
    """What may be sent as a body; the only value of one may be the body itself."""
    properties = schema.get("properties", {})
    return [_widened(schema), *(_widened(each) for each in properties.values() if len(properties) == 1)]


def _widened(schema):
    """A schema in which every type is as wide as what is taken for it."""
    if not isinstance(schema, dict):
        return schema
    said = dict(schema)
    for word in ("anyOf", "allOf", "oneOf"):
        if word in said:
            said[word] = [_widened(each) for each in said[word]]
    if isinstance(said.get("items"), dict):
        said["items"] = _widened(said["items"])
    if "properties" in said:
        # The value of a second name does not count beside the first, and it stands for the first where that is required.
        # Read-only values are ignored, whatever they are
        second = {name: each["x-alias-of"] for name, each in said["properties"].items() if "x-alias-of" in each}
        said["properties"] = {
            name: {} if each.get("readOnly") else _widened(each)
            for name, each in said["properties"].items()
            if name not in {*second, *_OF_CREATIONS}
        }
        said["required"] = [name for name in said.get("required", ()) if name not in second.values()]
    kinds = [said["type"]] if isinstance(said.get("type"), str) else said.get("type", ())
    more = [each for kind in kinds for each in _TAKEN.get(kind, ())]
    return {"anyOf": [said, *more, *_NOTHING]} if kinds else said
