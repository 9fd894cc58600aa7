// The list of services at the left, and the keys that walk through it.

const openServices = new Set();
/** Matches if the list is above the operation; the same width as in base.css. */
const narrowLayout = matchMedia("(max-width: 56rem)");
/** Matches if code and response are beside the form; the same width as in operation.css. */
const wideLayout = matchMedia("(min-width: 75rem)");

/** Services and failures in one alphabetical list, each name once; a served service wins over a failure. */
function everyService() {
  const { services, failures } = indexState.index;
  const named = new Map([...failures, ...services].map((each) => [each.name, each]));
  return [...named.values()].sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

/** Services and failures by group, in the order of the index; those without a group come last. */
function groupedServices() {
  const { groups = {} } = indexState.index;
  const groupOf = new Map(Object.entries(groups).flatMap(([group, names]) => names.map((name) => [name, group])));
  const found = Map.groupBy(everyService(), ({ name }) => groupOf.get(name) || LAST_GROUP);
  const order = [...Object.keys(groups).filter((group) => group !== LAST_GROUP), LAST_GROUP];
  return order.filter((group) => found.has(group)).map((group) => [group, found.get(group)]);
}
const LAST_GROUP = "Other";

/** The title of a service, or its name if only a file of it failed to load. */
const serviceTitle = ({ title, name }) => title || name;
/** The title of the service with a name. */
const titleOfService = (name) => serviceTitle(everyService().find((each) => each.name === name) || { name });

function showList() {
  const groups = groupedServices();
  const heading = (group) => (groups.length > 1 ? make("li", { class: "service-group" }, group) : []);
  const stay = focusKept();
  byId("services").replaceChildren(...groups.flatMap(([group, all]) => [heading(group), ...all.map(serviceItem)]).flat());
  forgetHaystacks();
  showFound();
  markCurrent();
  stay();
}

/** Return a function that restores the focus after the list is rendered again. */
function focusKept() {
  const active = document.activeElement;
  const around = active.closest("#services, #found");
  if (!around) return () => {};
  const own = active.closest("[data-service]");
  const name = active.matches("a") ? `a[href="${CSS.escape(active.getAttribute("href"))}"]` : "button";
  const where = own ? `[data-service="${CSS.escape(own.dataset.service)}"] ` : "";
  return () => (around.querySelector(where + name) || byId("search")).focus({ preventScroll: true });
}

function serviceItem(service) {
  const broken = !service.operations;
  const open = openServices.has(service.name);
  const operations = make("ul", { hidden: !open, "aria-label": `Operations of ${serviceTitle(service)}` });
  const fill = () => operations.childElementCount || operations.append(...operationItems(service));
  // A click folds a service only if its page is shown
  const choose = (event) => {
    const expanded = event.currentTarget.getAttribute("aria-expanded") === "true";
    const isShown = location.hash.split("?")[0] === addressOf(service.name);
    setOpen(service.name, !(expanded && isShown));
    if (!isShown) location.hash = addressOf(service.name);
  };
  const count = broken ? text("span", "mark", "501") : text("span", "number", String(service.operations.length));
  const item = make("li", { "data-service": service.name },
    button([text("span", "title", serviceTitle(service)), count], choose, { class: "service", "aria-expanded": String(open), title: service.summary || null }),
    operations);
  item.fill = fill;
  if (open) fill();
  return item;
}

function operationItems(service) {
  if (!service.operations) return service.methods.map((each) => operationItem(each, "left"));
  const titles = Map.groupBy(service.operations, labelOf);
  return groupedItems(service.operations, (each) => {
    const item = operationItem(each, "left", addressOf(service.name, each.id));
    // Only the path distinguishes operations with the same title
    item.classList.toggle("same-title", titles.get(labelOf(each)).length > 1);
    return item;
  });
}

/** Open or fold a service of the list. */
function setOpen(name, open) {
  openServices[open ? "add" : "delete"](name);
  const item = byId("services").querySelector(`li[data-service="${CSS.escape(name)}"]`);
  if (!item) return;
  if (open) item.fill();
  item.querySelector("ul").hidden = !open;
  item.querySelector("button").setAttribute("aria-expanded", String(open));
}

/** Mark the entry that is shown at the right. */
function markCurrent() {
  for (const each of document.querySelectorAll("#list [aria-current]")) each.removeAttribute("aria-current");
  const shown = location.hash.split("?")[0] || "#/";
  const name = CSS.escape(currentAddress().service);
  const within = byId("services").querySelector(`li[data-service="${name}"] > button`);
  if (within) within.setAttribute("aria-current", "true");
  const isService = shown === addressOf(currentAddress().service);
  for (const each of isService && within ? [within] : document.querySelectorAll(`#list a[href="${CSS.escape(shown)}"]`)) {
    each.setAttribute("aria-current", "page");
    if (each.checkVisibility() && !narrowLayout.matches && !byId("search").value) each.scrollIntoView({ block: "nearest" });
  }
}

// Keyboard ------------------------------------------------------------------------------------------------------------

/** The elements that the arrow keys move between. */
function stops() {
  return [byId("search"), ...document.querySelectorAll("#list li > a, #list li > button")].filter((each) => each.checkVisibility());
}

function walkList(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const service = event.target.closest("button.service");
  if (step) {
    const all = stops();
    const next = all[all.indexOf(event.target) + step];
    if (next) next.focus();
    event.preventDefault();
  } else if (service && ["ArrowRight", "ArrowLeft"].includes(event.key)) {
    setOpen(service.closest("li").dataset.service, event.key === "ArrowRight");
  } else if (event.key === "Enter" && event.target === byId("search")) {
    const first = byId("found").querySelector("a");
    if (first) first.click();
  } else if (event.key === "Escape" && byId("search").value) {
    clearSearch();
    byId("search").focus();
  }
}
