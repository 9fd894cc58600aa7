"""The call as code: code that is run makes exactly the request of the page, for any text in it, and nothing else."""

import json
import re
from urllib.parse import quote, urlencode

from tests.browser.copied_code import CONTENT, expected, files_of
from tests.browser.pages import call_as_code, expect

#: texts that would end a quotation of some language, and then make a file called ``ran``
NASTY = (
    "'; touch ran; '", '"; touch ran; "', "$(touch ran)", "`touch ran`", "it's", "\\", "\\'; touch ran #", '\\"', "a\\",
    '"); open("ran", "w"); ("', '" + open("ran", "w").name + "', "{open('ran', 'w')}",
    "'); touch('ran'); ('", '"); touch("ran"); ("', "?><?php touch('ran'); ?>", "{$x}", "${touch('ran')}", "$DOLAPIKEY",
    '"); require("fs").writeFileSync("ran", ""); ("', "${process.exit(1)}", "</script>", "*/", "//", "# --", "<<<'X'",
    "@/etc/passwd", ";type=text/html", "%00%s", "é 中 😀", "\u202egnp.exe", "\u2028", "\u200b$x", "+ &=?#/..", "", " ",
)  # fmt: skip
LINES = ("a\nb", "\r\nX-Evil: 1", "\t", "\n'; touch ran\n")
FILES = {"file": 'it\'s; "x", $(touch ran).txt', "more": "-é`touch ran`.bin"}
OBJECT = {
    **{f"k{number}": each for number, each in enumerate(NASTY + LINES)},
    **{each: number for number, each in enumerate(NASTY)},
    **{"lines": [{"qty": 1.50, "free": False}, {}, [], None, -3, 1e5], "counted": {"0": "a", "1": {"0": []}}},
    "nul": "\0",
}
EXACT = '{"price": 12345678901234567890.10, "name": "' + "'; touch ran; ' $(touch ran) \\\\ \\\" \\u2028" + '"}'
HALF = json.dumps({"half": "\ud800 '; touch ran", "__proto__": {"a": 1}})

#: requests as the form makes them; the path of each is its number
REQUESTS = (
    {"verb": "GET", "query": urlencode([(f"q{number}", each) for number, each in enumerate(NASTY + LINES)])},
    {"verb": "GET", "query": urlencode([("a[]", "1"), ("a[]", "{2,3}"), ("b", "'; touch ran; '")])},
    {"verb": "POST", "body": json.dumps(OBJECT)},
    {"verb": "PUT", "body": EXACT, "headers": {"If-Match": '"it\'s $(touch ran)", "b\\"'}},
    {"verb": "PATCH", "body": HALF},
    {"verb": "DELETE", "headers": {"If-Match": "'; touch ran; '"}},
    {"verb": "DELETE", "body": json.dumps({"it's": "a\nb"}), "headers": {"Accept": "text/csv"}},
    {"verb": "POST", "fields": {"label": NASTY[0], **dict(zip(NASTY[1:4], NASTY, strict=False))}, "files": FILES},
    {"verb": "POST", "fields": {f"f{number}": each for number, each in enumerate(NASTY)}},
    {"verb": "POST", "upload": FILES["file"], "headers": {"Content-Type": "text/csv"}},
)
#: requests with values to fill in, and one whose response is a file; what each code is run to send
OPEN = {
    "verb": "POST",
    "query": "near=%7Bid%7D",
    "headers": {"Content-Type": "application/json", "X-Of": "{ref} it's $(touch ran)"},
    "body": '{"socid": {id}, "note": "{ref}: `touch ran` ${x} {y}", "id": "{z}"}',
    "variables": [{"name": "id", "value": 7, "note": "?> the\nID\u2028x"}, {"name": "ref", "value": "a'b", "note": ""}],
}
#: values of a path
ENCODED = [
    {"name": "ref", "value": "A/B ?#&+%20 it's é\\$(touch ran)", "note": "", "isEncoded": True},
    {"name": "code", "value": "a", "note": "", "isEncoded": True},
]
SAVED = {"verb": "GET", "query": "original_file=FA1%2Fit's.pdf", "saves": ".bin"}


#: text for parameters without an example, and for headers
TYPED, TYPED_HEADER = 'it\'s "$HOME" `é`\\ +&=?#中', '"it\'s $x"'
#: two requests of each operation with their code: as its form is when it is opened, and with a value in every control
EVERY = """async ([kind, base, typed, header]) => {
  const made = [];
  const add = (name, request, saves) => {
    const values = Object.fromEntries(request.variables.map(({ name, value }) => [name, value]));
    const saved = saves && fileNameFor(markVariables({ ...request, saves })).replace(VARIABLE, (_, name) => values[name]);
    const body = typeof request.body === "string" ? request.body : null;
    made.push({ name, saved, code: codeOf(kind, { ...request, saves }, base), request: { ...request, body } });
  };
  for (const service of indexState.index.services) {
    const { operations } = await documentOf(service);
    for (const operation of operations.values()) {
      const form = formOf(operation);
      add(`${operation.id}-opened`, form.request(), savesOf(operation.id));
      for (const control of form.node.querySelectorAll("[data-key]:not([data-key=body])")) {
        const key = control.dataset.key;
        const { schema } = operation.parameters.find((each) => `${each.in}:${each.name}` === key) || {};
        const [example] = (schema && resolve(schema, operation.spec).examples) || [];
        if (control.type === "file") {
          const files = new DataTransfer();
          files.items.add(new File([], "it's; $x.pdf"));
          control.files = files.files;
        } else if (control.matches("select")) control.selectedIndex = control.options.length - 1;
        else if (control.matches("textarea")) control.value = "a[]={1}\\na[]=it's";
        else if (key.startsWith("header:")) control.value = header;
        else control.value = example ?? (["numeric", "decimal"].includes(control.inputMode) ? 2 : typed);
      }
      const format = formatChoice(operation, made.length % 4 === 1 ? "text/csv" : Object.keys(FORMATS).at(-1), () => {});
      add(`${operation.id}-filled`, inFormat(form.request(), format), savesInFormat(format) || savesOf(operation.id));
    }
  }
  return made;
}"""


def request_of(number):
    """A request as the script of the page knows it."""
    made = {"query": "", "headers": {}, **REQUESTS[number], "path": f"/{number}"}
    if "body" in made:
        made["headers"] = {**made["headers"], "Content-Type": "application/json"}
    if "fields" in made:
        made["files"] = [{"name": name, "filename": file} for name, file in made.get("files", {}).items()]
    return made


def test_the_language_that_was_chosen_is_kept(visit):
    page = visit("#/show/get-show-typed-size?size=3")
    page.get_by_role("button", name="Copy link").wait_for()
    # The language that was chosen is the one of every operation, and of the next visit
    for place in ("", "#/show/get-show-letter"):
        visited = visit(place) if place else page
        code = call_as_code(visited)
        if visited is page:
            visited.get_by_role("button", name="PHP", exact=True).click()
        expect(visited.get_by_role("button", name="PHP", exact=True)).to_have_attribute("aria-pressed", "true")
        expect(code).to_contain_text("curl_setopt_array")
    page.evaluate("localStorage.clear()")


def test_code_has_variables_saves_files_and_may_hold_the_key(visit, interpreter, recorder):
    page = visit("#/show/get-show-typed-size")
    expect(call_as_code(page)).to_contain_text(re.compile(r"\bsize ?= ?1\b"))
    requests = [
        {"path": "/a/%7Bid%7D/b", **OPEN},
        {"path": "/saved", "headers": {}, **SAVED},
        {"verb": "GET", "path": "/of/%7Bref%7D/%7Bcode%7D", "query": "", "headers": {}, "variables": ENCODED},
    ]
    opened, saved, encoded = page.evaluate(
        '([kind, all, base]) => all.map((each) => codeOf(kind, each, base, "the key\'s"))',
        [interpreter.kind, requests, recorder.address],
    )
    assert interpreter.run("opened", opened) == {}
    headers = {"Content-Type": "application/json", "X-Of": "a'b it's $(touch ran)"}
    body = json.dumps({"socid": 7, "note": "a'b: `touch ran` ${x} {y}", "id": "{z}"})
    meant = {"verb": "POST", "path": "/a/7/b", "query": "near=7", "headers": headers, "body": body}
    assert recorder.take()[0] == expected(meant, "the key's")
    assert interpreter.run("saved", saved) == {"it's.pdf": CONTENT}
    assert recorder.take()[0] == expected(requests[1], "the key's")
    assert interpreter.run("encoded", encoded) == {}
    assert recorder.take()[0] == expected(
        {**requests[2], "path": "/of/" + quote(ENCODED[0]["value"], safe="") + "/a"}, "the key's"
    )


def test_the_code_of_every_operation_runs_as_it_is_copied(visit, interpreter, recorder):
    page = visit("#/show/get-show-typed-size")
    made = page.evaluate(EVERY, [interpreter.kind, recorder.address, TYPED, TYPED_HEADER])
    assert len(made) > 700
    for each in made:
        saved = interpreter.run(each["name"], each["code"], files_of(each["request"]))
        assert saved == ({each["saved"]: CONTENT} if each["saved"] else {}), each["name"]
        assert recorder.take()[0] == expected(each["request"]), f"{each['name']}\n{each['code']}"


def test_code_that_is_run_makes_the_request(visit, interpreter, recorder):
    page = visit("#/show/get-show-typed-size")
    requests = [request_of(number) for number in range(len(REQUESTS))]
    codes = page.evaluate(
        "([kind, all, base]) => all.map((each) => codeOf(kind, each, base))",
        [interpreter.kind, requests, recorder.address],
    )
    for request, code in zip(requests, codes, strict=True):
        assert interpreter.run(request["path"][1:], code, files_of(request)) == {}
        sent, _ = recorder.take()
        assert sent == expected(request), code
