// The page that is shown when nothing is chosen: where the author of a client begins, then what this server offers.

/** With more services than this the first page does not say what each is for. */
const SUMMARIES = 100;
const firstLine = () => `curl -H ${KEY_IN_CURL} "$SERVER/status"`;

function homeNode() {
  const { services, failures, skipped = [], caller, guide } = indexState.index;
  const missing = services.flatMap((each) => each.operations).filter((each) => each.missing).length;
  const lists = (title, items) => items.length > 0 && [make("h2", {}, title), make("ul", { class: "plain" }, items)];
  return make("article", { class: "one" },
    make("header", {}, make("h1", { tabindex: -1 }, "Start here")),
    make("p", {}, "Send your key with every request. Copy this line into a shell:"),
    keyLine(firstLine()),
    make("ul", { class: "guide-pages", "aria-label": "Guide" }, guide.map((each) => make("li", {},
      make("a", { href: addressOfGuide(each.name) }, each.title), text("span", "quiet", each.summary)))),
    lists("Failed to load", failures.map((each) => make("li", {}, make("a", { href: addressOf(each.name) }, each.name), each.reason ? ` – ${each.reason}` : ""))),
    caller.admin && lists("Skipped files", skipped.map((each) => make("li", {}, make("code", {}, each.file), ` – ${each.reason}`))),
    make("h2", {}, "Services"),
    make("p", {}, `${counted(services.length, "service")}. Pick an operation from the list, or search.`, make("span", { class: "keys" }, " ", make("kbd", {}, "/"), " focuses the search field."),
      missing > 0 && ` ${counted(missing, "operation")} need permissions that your key doesn't have; they are dimmed.`),
    services.length <= SUMMARIES && make("dl", { class: "offer" }, everyService().filter((each) => each.operations).map((each) => [
      make("dt", {}, make("a", { href: addressOf(each.name) }, serviceTitle(each))), make("dd", {}, inline(each.summary || ""))])),
    make("h2", {}, "Machine-readable"),
    make("ul", { class: "plain" },
      make("li", {}, saveDocumentButton("openapi.json", "OpenAPI 3.1")),
      make("li", {}, saveDocumentButton("swagger.json", "Swagger 2.0"), ", for older tools"),
      make("li", {}, make("a", { href: addressOf("", "check") }, "Module status"))));
}
