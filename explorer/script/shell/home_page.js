// The page shown when nothing is selected: first steps for authors of clients, then the services of this server.

/** With more services than this, the home page leaves out their summaries. */
const SUMMARIES = 100;
/** Pages of the guide that are shown large. */
const FIRST_PAGES = ["walk", "authenticate"];
const FIRST_LINE = "$SERVER/status";

function homeNode() {
  const { services, failures, skipped = [], caller, guide } = indexState.index;
  const missing = services.flatMap((each) => each.operations).filter((each) => each.missing).length;
  const firstPages = FIRST_PAGES.map((name) => guide.find((each) => each.name === name)).filter(Boolean);
  const subjects = guide.filter((each) => each.services);
  const card = (page) => make("li", {}, make("a", { href: addressOfGuide(page.name) }, page.title), text("span", "quiet", page.summary));
  const lists = (title, items) => items.length > 0 && [make("h2", {}, title), make("ul", { class: "plain" }, items)];
  return make("article", { class: "one" },
    make("header", {}, make("h1", { tabindex: -1 }, "Start here")),
    make("ul", { class: "guide-pages", "aria-label": "First steps" }, firstPages.map(card)),
    make("p", {}, "Send your key with every request. This one returns the server's version:"),
    make("p", { class: "buttons" }, languageChoice("Language of the request")),
    keyLine(FIRST_LINE),
    make("h2", {}, "Guide"),
    make("ul", { class: "guide-list", "aria-label": "Guide" }, guide.filter((each) => !each.services && !firstPages.includes(each)).map(card)),
    subjects.length > 0 && [make("h3", {}, "By subject"), make("ul", { class: "guide-list", "aria-label": "Guide by subject" }, subjects.map(card))],
    lists("Failed to load", failures.map((each) => make("li", {}, make("a", { href: addressOf(each.name) }, each.name), each.reason ? ` – ${each.reason}` : ""))),
    caller.admin && lists("Skipped files", skipped.map((each) => make("li", {}, make("code", {}, each.file), ` – ${each.reason}`))),
    make("h2", {}, "Services"),
    make("p", {}, `${counted(services.length, "service")}. Pick an operation from the list, or search.`, make("span", { class: "keys" }, " Press ", make("kbd", {}, "?"), " for the keyboard shortcuts."),
      missing > 0 && ` ${counted(missing, "operation")} need permissions that your key doesn't have; they are dimmed.`),
    services.length <= SUMMARIES && groupedServices().map(([group, all]) => [
      make("h3", {}, group),
      make("dl", { class: "offer" }, all.filter((each) => each.operations).map((each) => [
        make("dt", {}, make("a", { href: addressOf(each.name) }, serviceTitle(each))), make("dd", {}, inline(each.summary || ""))]))]),
    make("h2", {}, "Machine-readable"),
    make("ul", { class: "plain" },
      make("li", {}, saveDocumentButton("openapi.json", "OpenAPI 3.1")),
      make("li", {}, saveDocumentButton("swagger.json", "Swagger 2.0"), ", for older tools"),
      make("li", {}, make("a", { href: addressOf("", "check") }, "Module status"))));
}
