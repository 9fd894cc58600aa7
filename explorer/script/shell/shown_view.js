// The view at the right, selected by the address of the page.

let isFirstTime = true;
/** "loudly" or "quietly" while the addressed view waits for the server: after a navigation or after a change. */
let waitingView = "";

/** Show the addressed view as soon as its data arrives; until then, mark the present view as busy. */
async function showAddress(options = {}) {
  const wanted = location.hash;
  if (!options.quietly) byId("shown").setAttribute("aria-busy", "true");
  try {
    await showNow(options);
    waitingView = "";
  } catch (error) {
    if (!(error instanceof Away || error instanceof KeyRefused)) throw error;
    waitingView = options.quietly ? waitingView || "quietly" : "loudly";
  } finally {
    if (wanted === location.hash) byId("shown").removeAttribute("aria-busy");
  }
}

/**
 * Show the addressed view.
 *
 * @param run whether an operation is called at once
 * @param quietly whether the focus and the scroll stay, because only the server has changed
 * @param snapshot what to write into the form
 */
async function showNow({ run = false, quietly = false, snapshot = null } = {}) {
  const { service: name, id, rest, query } = currentAddress();
  const wanted = location.hash;
  const service = indexState.index.services.find((each) => each.name === name);
  const failures = indexState.index.failures.filter((each) => each.name === name);
  const isGuide = !name && id === "guide";
  let node;
  let view;
  if (isHistory()) node = make("article", { class: "one" }, make("header", {}, make("h1", { tabindex: -1 }, "Your calls")), historyNode(openPast));
  else if (isGuide) {
    node = await guideNode(guideShown());
    if (wanted !== location.hash) return;
  } else if (service) {
    const { spec, operations, shared } = await documentOf(service);
    if (wanted !== location.hash) return;
    if (operations.has(id)) {
      view = viewOf(operations.get(id), shared);
      if (snapshot) view.form.fill(snapshot);
      else if (run) view.form.fill(snapshotOf(view.operation, query));
      // An address with values resets all other fields
      else if (!quietly && query.size && view.address !== wanted) view.form.fill(snapshotOf(view.operation, query));
      // If you come back to this address, you find what you typed in the meantime
      if (query.size && !quietly) view.address = wanted;
      node = view.node;
    } else if (!id && Object.hasOwn(spec.components.schemas, rest)) node = modelNode(service, spec, rest);
    else node = serviceNode(service, spec);
  } else if (failures.length) node = failureNode(failures);
  else if (isCheck()) {
    node = await checkNode();
    if (wanted !== location.hash) return;
  } else if (name) node = goneNode(name);
  else node = homeNode();
  replaceShown(node, quietly);
  if (name || id) document.body.dataset.shown = name || id;
  else delete document.body.dataset.shown;
  if (!quietly && name) setOpen(name, true);
  if (!quietly && (name || isGuide) && narrowLayout.matches) clearSearch();
  markCurrent();
  document.title = [view ? view.operation.summary || `${view.operation.verb} ${view.operation.path}` : isGuide ? node.querySelector("h1").textContent : name && titleOfService(name), "Comptoir"].filter(Boolean).join(" · ");
  if (run && view) view.submit();
}

/** Put something at the right; if only the server has changed, focus and scroll position stay. */
function replaceShown(node, quietly) {
  const main = byId("shown");
  if (main.firstChild === node) return;
  const active = document.activeElement;
  const key = quietly && main.contains(active) ? active.dataset.key : "";
  const selected = key && [active.selectionStart, active.selectionEnd];
  const panes = () => [document.scrollingElement, ...document.querySelectorAll(PANES.join())];
  const scrolled = panes().map(({ scrollTop }) => scrollTop);
  node.querySelectorAll(".languages").forEach(markLanguage);
  refreshCode(node);
  main.replaceChildren(node);
  const again = key && node.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (again) {
    again.focus({ preventScroll: true });
    if (typeof selected[0] === "number") again.setSelectionRange(...selected);
  }
  panes().forEach((pane, place) => (pane.scrollTop = (quietly && scrolled[place]) || 0));
  if (quietly) return;
  if (!isFirstTime && node.querySelector("h1")) node.querySelector("h1").focus({ preventScroll: true });
}

function goneNode(name) {
  return make("article", { class: "one" },
    make("header", {}, make("h1", { tabindex: -1 }, name)),
    make("p", { class: "notice" }, "This service doesn't exist. It appears here as soon as its file is added."),
    make("p", {}, make("a", { href: "#/" }, "All services")));
}

/** The values of an address for a form, by parameter name. */
function snapshotOf(operation, query) {
  const pairs = operation.parameters.filter((each) => query.has(each.name)).map((each) => [`${each.in}:${each.name}`, query.get(each.name)]);
  return { ...Object.fromEntries(pairs), ...bodySnapshot(operation, query) };
}

/** Open a call of the history again, with its values. */
function openPast(address, snapshot) {
  location.hash = address;
  showAddress({ snapshot });
}
