// What is shown when, the key, and the look at the server every second.

let timer = 0;
let first = true;
/** "loudly" or "quietly" where what the address names waits for the server: somebody went there, or it has changed. */
let unshown = "";

// What is shown -------------------------------------------------------------------------------------------------------

/** Where the address of the page leads: service, operation, and values for its form. */
function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [service = "", id = ""] = path.split("/").map(decoded);
  return { service, id, query: new URLSearchParams(query) };
}

/** Whether the address is that of the history; a service may be called so, too. */
function isHistory() {
  const { service, id } = place();
  return (!service && id === "history") || (service === "history" && !everyService().some((each) => each.name === service));
}

/** A part of an address; anybody may have written it. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Show what the address names, or as soon as the server answers. */
async function follow(options = {}) {
  try {
    await show(options);
    unshown = "";
  } catch (error) {
    if (!(error instanceof Away || error instanceof KeyRefused)) throw error;
    unshown = options.quietly ? unshown || "quietly" : "loudly";
  }
}

/**
 * Show what the address names.
 *
 * @param run whether an operation is called at once
 * @param quietly whether the focus and the scroll stay, because only the server has changed
 * @param snapshot what to write into the form
 */
async function show({ run = false, quietly = false, snapshot = null } = {}) {
  const { service: name, id, query } = place();
  const wanted = location.hash;
  const service = known.index.services.find((each) => each.name === name);
  const failures = known.index.failures.filter((each) => each.name === name);
  let node;
  let view;
  if (isHistory()) node = make("article", { class: "one" }, make("header", {}, make("h1", { tabindex: -1 }, "History of this tab")), historyNode(openPast));
  else if (service) {
    const { spec, operations, shared } = await documentOf(service);
    if (wanted !== location.hash) return;
    if (operations.has(id)) {
      view = viewOf(operations.get(id), shared);
      if (snapshot) view.form.fill(snapshot);
      else if (run) view.form.fill(snapshotOf(view.operation, query));
      else if (!quietly && query.size && view.address !== wanted) {
        view.form.fill({ ...view.form.snapshot(), ...snapshotOf(view.operation, query) });
      }
      // Whoever comes back to an address finds what was typed since
      if (query.size) view.address = wanted;
      node = view.node;
    } else node = serviceNode(service, spec);
  } else if (failures.length) node = failureNode(failures);
  else if (name) node = goneNode(name);
  else node = homeNode();
  put(node, quietly);
  if (name) document.body.dataset.shown = name;
  else delete document.body.dataset.shown;
  if (!quietly && name) setOpen(name, true);
  if (!quietly && name && narrow.matches) clearSearch();
  markCurrent();
  document.title = [view ? `${view.operation.verb} ${view.operation.path}` : name, "Comptoir explorer"].filter(Boolean).join(" · ");
  if (run && view) view.submit();
}

/** Put something at the right; where only the server has changed, focus and scroll stay. */
function put(node, quietly) {
  const main = byId("shown");
  if (main.firstChild === node) return;
  const active = document.activeElement;
  const key = quietly && main.contains(active) ? active.dataset.key : "";
  const selected = key && [active.selectionStart, active.selectionEnd];
  const scrolled = scrollY;
  main.replaceChildren(node);
  const again = key && node.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (again) {
    again.focus({ preventScroll: true });
    if (typeof selected[0] === "number") again.setSelectionRange(...selected);
  }
  if (quietly) return scrollTo(0, scrolled);
  scrollTo(0, 0);
  if (!first && node.querySelector("h1")) node.querySelector("h1").focus({ preventScroll: true });
}

function goneNode(name) {
  return make("article", { class: "one" },
    make("header", {}, make("h1", { tabindex: -1 }, name)),
    make("p", { class: "notice" }, "There is no such service now. The page shows it as soon as its file is there."));
}

/** The values of an address for a form, by the names of parameters. */
function snapshotOf(operation, query) {
  const pairs = operation.parameters.filter((each) => query.has(each.name)).map((each) => [`${each.in}:${each.name}`, query.get(each.name)]);
  return Object.fromEntries(pairs);
}

/** Open a call of the history again, with what was typed. */
function openPast(address, snapshot) {
  location.hash = address;
  follow({ snapshot });
}

// Following the server ------------------------------------------------------------------------------------------------

async function look() {
  clearTimeout(timer);
  if (!sessionStorage.getItem(KEY)) return;
  try {
    const changed = await readIndex();
    byId("away").hidden = true;
    if (changed || unshown || known.behind) await refresh();
  } catch (error) {
    if (error instanceof KeyRefused) return askForKey(first ? "This key is not valid." : "The key is no longer valid. What you typed is still there.");
    if (!(error instanceof Away)) throw error;
    byId("away").hidden = false;
  } finally {
    timer = setTimeout(look, document.hidden ? 10 * PACE : PACE);
  }
}

/** Show what has changed, without losing what was typed. */
async function refresh() {
  const { index } = known;
  known.behind = false;
  byId("about").textContent = `${index.version}, profile ${index.profile}`;
  byId("login").textContent = index.caller.login + (index.caller.admin ? " (administrator)" : "");
  if (first) byId("careful").checked = sessionStorage.getItem("comptoir-careful") ? sessionStorage.getItem("comptoir-careful") === "1" : index.confirm;
  byId("who").hidden = byId("layout").hidden = false;
  showList();
  await follow({ quietly: !first && unshown !== "loudly" });
  first = false;
}

// The key -------------------------------------------------------------------------------------------------------------

/** Ask for a key; what is shown stays as it is behind the question. */
function askForKey(refusal = "") {
  sessionStorage.removeItem(KEY);
  byId("refused").hidden = !refusal;
  byId("refused").textContent = refusal;
  if (!byId("enter").open) byId("enter").showModal();
  byId("key").focus();
}

/** Go on with a key, if it is one. */
async function enter(find) {
  try {
    const key = await find();
    if (!/^[\x21-\x7e]+$/.test(key)) throw new KeyRefused("This cannot be a key.");
    sessionStorage.setItem(KEY, key);
    known.tag = "";
    await readIndex();
  } catch (error) {
    return askForKey(error instanceof KeyRefused ? error.message : "The server cannot be reached.");
  }
  for (const each of byId("enter").querySelectorAll("input")) each.value = "";
  byId("enter").close();
  const begins = first;
  await refresh();
  if (begins) byId("search").focus();
  look();
}

/** Let a form of the question find a key. */
function listen(id, find) {
  const form = byId(id);
  if (!form) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(find);
  });
}

/** Forget the key and everything that was read with it. */
function leave() {
  sessionStorage.clear();
  location.reload();
}

// Start ---------------------------------------------------------------------------------------------------------------

listen("by-key", () => byId("key").value.trim());
listen("by-login", () => keyFor(byId("name").value, byId("password").value));
byId("enter").addEventListener("cancel", (event) => event.preventDefault());
byId("leave").addEventListener("click", leave);
byId("careful").addEventListener("change", (event) => sessionStorage.setItem("comptoir-careful", event.target.checked ? "1" : "0"));
byId("search").addEventListener("input", search);
byId("list").addEventListener("keydown", walk);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("shown").focus();
});
historyChanged(() => isHistory() && show({ quietly: true }));
addEventListener("hashchange", () => first || follow());
addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select") && !(event.target === byId("search") && !event.target.value);
  if (event.key !== "/" || event.ctrlKey || event.metaKey || typing) return;
  event.preventDefault();
  byId("search").focus();
});
document.addEventListener("visibilitychange", () => document.hidden || look());
if (sessionStorage.getItem(KEY)) look();
else askForKey();
