"""What can be clicked, and what is enclosed: ISO 19005-3, 6.3, 6.4, 6.5 and 6.8."""

import re
from collections.abc import Iterator

from .file_rules import dictionaries

ANNOTATIONS = {"/Link"}
ACTIONS = {"/URI", "/GoTo"}
RELATIONS = {"/Source", "/Data", "/Alternative", "/Supplement", "/Unspecified"}
Found = Iterator[str]


def annotations(file):
    for page in file.pages:
        for each in page.get("/Annots", []):
            if str(each.get("/Subtype")) not in ANNOTATIONS:
                yield f"6.3.1: an annotation of the kind {each.get('/Subtype')}"
            flags = int(each.get("/F", 0))
            # Print, and neither invisible, hidden, without view nor toggled
            if not flags & 4 or flags & (1 | 2 | 32 | 256):
                yield "6.3.2: an annotation is not printed, or hidden"


def forms_and_actions(file):
    if "/AcroForm" in file.Root:
        yield "6.4.1: there is a form"
    if "/AA" in file.Root or any("/AA" in page for page in file.pages):
        yield "6.5.2: something happens when the file or a page is opened"
    for action in dictionaries(file):
        if "/S" not in action or not ({"/URI", "/JS", "/D", "/F", "/N", "/Win"} & set(action.keys())):
            continue
        if str(action["/S"]) not in ACTIONS:
            yield f"6.5.1: the action {action['/S']} is not allowed"
    if "/JavaScript" in file.Root.get("/Names", {}):
        yield "6.5.1: there is a program in it"


def embedded(file):
    specifications = [each for each in dictionaries(file) if "/EF" in each]
    associated = [each.objgen for each in file.Root.get("/AF", [])]
    named = [each.objgen for each in list(_leaves(file))]
    for each in specifications:
        if "/F" not in each or "/UF" not in each:
            yield "6.8: a file inside has no name in both of its forms"
        if str(each.get("/AFRelationship")) not in RELATIONS:
            yield "6.8: how a file inside belongs to the PDF is not said"
        if each.objgen not in associated:
            yield "6.8: a file inside belongs to nothing"
        if each.objgen not in named:
            yield "6.8: a file inside is not listed by its name"
        for stream in dict(each["/EF"]).values():
            if not re.fullmatch(r"/[\w.+-]+/[\w.+-]+", str(stream.get("/Subtype", ""))):
                yield "6.8: the media type of a file inside is not said"
            if "/ModDate" not in stream.get("/Params", {}):
                yield "6.8: when a file inside was changed is not said"


def _leaves(file):
    tree = file.Root.get("/Names", {}).get("/EmbeddedFiles", {})
    yield from list(tree.get("/Names", []))[1::2]
