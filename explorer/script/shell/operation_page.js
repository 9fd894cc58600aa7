// The page of an operation: its documentation, the form, the response. Opened folds stay open until the page reloads.

/** Operation ID → its view. */
const views = new Map();

/** Return the view of an operation; if its definition has changed, make a new one with the values typed so far. */
function viewOf(operation, shared) {
  const old = views.get(operation.id);
  if (old && old.operation.source === operation.source && old.shared === shared) return old;
  const view = makeView(operation, old);
  view.shared = shared;
  views.set(operation.id, view);
  return view;
}

function makeView(operation, old) {
  const form = formOf(operation);
  if (old) takeOver(form, old.form);
  const target = old ? old.target : make("div", { class: "answer" });
  const format = formatChoice(operation, old && old.format ? old.format.accept() : "", () => changed());
  const request = () => inFormat(form.request(), format);
  const view = { operation, form, format, request, target, address: old ? old.address : "", sent: old ? old.sent : null };
  const earlier = make("p", { class: "earlier", role: "status" });
  /** Mark the response while the form differs from the request that it belongs to. */
  view.compare = () => {
    const isEarlier = view.sent !== null && view.sent !== sentState(view);
    target.classList.toggle("outdated", isEarlier);
    earlier.textContent = isEarlier ? "This response belongs to an earlier form. Send the request again to update it." : "";
  };
  const changed = () => {
    code.refresh();
    view.compare();
  };
  // Leaving the field could show its error and move the button away from the pointer
  const mousedown = (event) => event.preventDefault();
  const sending = make("button", { type: "submit", class: "main", "data-key": "call", mousedown }, "Send");
  // Not `disabled`, which would take the focus away
  const busy = (is) => sending.setAttribute("aria-disabled", String(is));
  const submit = async (event) => {
    event.preventDefault();
    if (sending.getAttribute("aria-disabled") === "true") return;
    busy(true);
    try {
      await sendCall(view);
    } finally {
      busy(false);
    }
  };
  const code = (view.code = codeNode(view));
  view.submit = () => view.node.querySelector("form").requestSubmit();
  // Two columns on a wide screen, one on others
  view.node = make("article", { class: "one call", "aria-labelledby": `${operation.id}--title` },
    make("div", { class: "asked" },
      headOf(operation, form.snapshot),
      make("div", { class: "prose" }, prose(operation.description)),
      make("form", { submit, autocomplete: "off", novalidate: true, "aria-label": "Call", keydown: sendOnEnter(view) },
        form.node,
        make("p", { class: "send" }, sending, make("span", { class: "keys" }, make("kbd", {}, "Ctrl"), " ", make("kbd", {}, "Enter")), format && format.node))),
    make("div", { class: "told" },
      code.node,
      earlier,
      target,
      text("p", "no-answer", "Send the request to see the response. An example is below."),
      answersDocs(operation)));
  form.changed(changed);
  view.compare();
  if (!old && wideLayout.matches) for (const name of BESIDE_OPEN) openFold(view.node.querySelector(name));
  if (old) for (const name of KEPT_OPEN) if (old.node.querySelector(`${name}[open]`)) openFold(view.node.querySelector(name));
  return view;
}

/** Folds that are open if there is room beside the form. */
const BESIDE_OPEN = ["details.code", "details.answer-example"];

/** Folds that stay open when an operation is rendered again. */
const KEPT_OPEN = ["details.shared:not(.heads)", "details.heads", "details.code", "details.fields"];

function openFold(details) {
  if (!details) return;
  details.open = true;
  // Set now, because the browser's `toggle` event comes later
  if (details.fill) details.fill();
}

/**
 * Copy typed values and chosen files from a form to the one that replaces it. Values of removed parameters are kept,
 * because a renamed parameter may get its old name back.
 */
function takeOver(form, old) {
  const gone = Object.entries(old.left || {}).filter(([key]) => !old.keys.has(key));
  form.left = { ...Object.fromEntries(gone), ...old.snapshot() };
  form.fill(form.left);
  for (const each of old.node.querySelectorAll("input[type=file]")) {
    const same = form.node.querySelector(`input[type=file][data-key="${CSS.escape(each.dataset.key)}"]`);
    if (same) same.files = each.files;
  }
}

/** Return what a request is made of, as text that can be compared: typed values, format and chosen files. */
function sentState({ form, format }) {
  const files = [...form.node.querySelectorAll("input[type=file]")].flatMap(({ files: chosen }) => [...chosen]);
  return JSON.stringify([form.snapshot(), format && format.accept(), files.map(({ name, size, lastModified }) => [name, size, lastModified])]);
}

/** The typed path and query values, as the query of an address. */
function valuesOf(snapshot) {
  const pairs = Object.entries(snapshot).map(([key, value]) => [...key.match(/^(?:path|query):(.+)$/s) || [], value]).filter((each) => each.length === 3);
  return pairs.length ? `?${new URLSearchParams(pairs.map(([, name, value]) => [name, value]))}` : "";
}

/** Return whether the operation has no response of its own for a status. */
const isCommonError = ({ responses }, status) => !responses[status] || responses[status].isCommon;

/** @param snapshot the values typed so far */
function headOf(operation, snapshot) {
  const right = operation.isPublic
    ? "No key required"
    : operation.permission === "administrators" ? "Administrators only"
    : operation.permission ? ["Requires ", make("code", {}, operation.permission)]
    : operation.requires ? ["Requires ", inline(operation.requires)]
    : isCommonError(operation, "401") ? "Any valid key" : "Requires a valid key. Some calls also need a permission: see 401 under Responses.";
  const address = () => location.href.split("#")[0] + addressOf(operation.service, operation.id) + valuesOf(snapshot());
  return make("header", {},
    make("p", { class: "above" }, make("a", { href: addressOf(operation.service) }, titleOfService(operation.service))),
    operation.summary && make("p", { class: "summary" }, inline(operation.summary)),
    make("h1", { id: `${operation.id}--title`, tabindex: -1, class: operation.deprecated === undefined ? null : "deprecated" }, badge(operation.verb), " ", make("code", { class: "path" }, breakable(operation.path))),
    operation.deprecated !== undefined && make("p", { class: "notice" }, make("strong", {}, "Deprecated. "), inline(operation.deprecated)),
    make("p", { class: "right" }, make("span", {}, right), button("Copy link", (event) => copy(address(), event.currentTarget), { class: "small" })),
    operation.allowed ? null : make("p", { class: "notice" },
      operation.permission === "administrators" ? "Only administrators may call this" : ["Your key doesn't have the permission ", make("code", {}, operation.permission)],
      "; a call fails with 401."));
}

const sendOnEnter = (view) => (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    view.submit();
  }
};

/** The call as code, made at its first use. */
function codeNode(view) {
  let block;
  const saves = savesOf(view.operation.id);
  const node = fold({ class: "code" }, ["Request as code"], () => {
    block = codeBlock("Request as code", () => ({ ...view.request(), saves: savesInFormat(view.format) || saves }));
    return [make("p", { class: "buttons" }, languageChoice("Language"), block.copyButtons), block.node];
  });
  return { node, refresh: () => node.open && block.refresh() };
}

// Calling -------------------------------------------------------------------------------------------------------------

async function sendCall(view) {
  const { operation, form, target } = view;
  const wrong = form.problems();
  if (wrong.some((each) => /^(?:path|builder):/.test(each.name))) {
    const first = view.node.querySelector("[aria-invalid=true]");
    if (first) first.focus();
    return say(`Not sent: ${wrong.map((each) => each.message).join("; ")}`);
  }
  await form.settled();
  const request = view.request();
  if (!(await confirmed(request))) return;
  target.setAttribute("aria-busy", "true");
  const sent = sentState(view);
  const scrolled = paneOf(target).scrollTop;
  const answer = await send(request);
  target.removeAttribute("aria-busy");
  view.sent = sent;
  view.compare();
  showAnswer(operation, request, answer, target, openRead, scrolled);
  rememberCall({
    id: operation.id, service: operation.service, verb: request.verb, path: request.path, query: request.query,
    snapshot: form.snapshot(), status: answer.status || 0, time: answer.time, moment: Date.now(),
  });
  if (answer.status === 401 && answer.headers.has("WWW-Authenticate")) askForKey("The key is no longer valid. Your input is kept.");
}

/** Return whether to send a call; if the option is on, the user confirms each call that can change data. */
async function confirmed(request) {
  if (!byId("careful").checked || request.verb === "GET") return true;
  const dialog = byId("confirm");
  byId("confirm-text").replaceChildren(badge(request.verb), " ", make("code", {}, request.path), request.verb === "DELETE" ? " deletes data." : " can change data.");
  dialog.querySelector(".main").textContent = request.verb === "DELETE" ? "Delete" : "Send";
  dialog.classList.toggle("deletes", request.verb === "DELETE");
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  return dialog.returnValue === "send";
}

/** Open the operation that reads the record of an ID in a response, and run it. */
function openRead(address) {
  location.hash = address;
  showAddress({ run: true });
}
