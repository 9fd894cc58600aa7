// A JSON response as a table or card, as a tree and as text; its error message and the file inside it.

/** Key prefix in sessionStorage: the view last chosen in this tab for each kind of response. */
const CHOSEN_VIEW = "comptoir-view-";

function jsonNodes(source, parsed, name, shown) {
  const { operation, request, answer, open, keep } = shown;
  const alternatives = answerAlternatives(operation, answer.status);
  const value = readJson(source);
  const error = errorOf(parsed);
  const context = { source, value, alternatives, spec: operation.spec, open, isFolded: Boolean(error), names: new Map(), links: [] };
  context.here = `${addressOfOperation(operation.id)}?id=${request.path.split("/").pop()}`;
  context.changesOf = partChanges(operation, request, parsed, alternatives);
  const inside = fileInside(parsed);
  const changes = !error && !inside && changesView(value, alternatives, context, { ...shown, parsed });
  const best = !error && !inside && (listView(value, alternatives, context, { ...shown, parsed }) || recordView(value, alternatives, context, shown));
  const list = parsed && parsed.pagination ? parsed.data : parsed;
  const isEmptyList = (Array.isArray(list) && !list.length) || (error && answer.status === 404 && queryParameter(operation, "sqlfilters"));
  const { switches, box } = viewsNode([changes, best, treeView(context), textView(source)].filter(Boolean), context);
  return [
    error && [errorNode(error), refusalNodes(error, shown)],
    !error && [toldError(parsed), failedEntries(parsed), nextStepsNode(operation, request, parsed, alternatives)],
    isEmptyList ? emptyListNode(shown) : best && best.kind === "list" && narrowedNode(shown),
    inside && fileNodes(inside.blob, inside.type, inside.name, keep),
    make("div", { class: "buttons", role: "group", "aria-label": "View" }, switches,
      copyButton(() => formatJson(source)),
      saveLink(answer.blob, name || `${nameOfFile(operation)}.json`, keep)),
    box,
  ];
}

/** Return a function from the key of a list in a record, or "" for a list below one, to the addresses that change its entries. */
function partChanges(operation, request, parsed, alternatives) {
  const [, around, part] = /^(\/[^/{]+\/\{\w+\})(\/[^/{]+)$/.exec(operation.path) || [];
  const [reader, id] = recordOf(parsed, alternatives, operation.spec);
  const { path } = (reader && callable(reader).find((each) => each.id === reader)) || {};
  return (key) => {
    if (key) return path ? changeAddresses(reader, path, `/${key}`, id) : null;
    return around ? changeAddresses(operation.id, around, part, request.path.split("/")[2]) : null;
  };
}

/**
 * Return the views of a response, one of which is shown: {switches (buttons and controls), box}.
 * A view is {name, kind, finds (whether it can be searched), controls (hidden with the view), show(sifted, tell)}.
 * It changes nothing outside itself.
 */
function viewsNode(views, context) {
  const box = contentBox("div", "json");
  const state = make("span", { class: "quiet", role: "status" });
  const remembered = CHOSEN_VIEW + (views[0].kind || "value");
  let current = views.find(({ name }) => name === sessionStorage.getItem(remembered)) || views[0];
  const show = () => {
    const sifted = chooseEntries(context, current.finds ? find.value : "");
    state.textContent = sifted.wanted ? `${counted(sifted.names, "key")}, ${counted(sifted.values, "value")}` : "";
    const isNothing = sifted.wanted && !sifted.names && !sifted.values;
    const nodes = isNothing ? make("p", { class: "nothing-found quiet" }, "Nothing in this response contains the text.") : current.show(sifted, tell);
    box.replaceChildren(...[nodes].flat(Infinity).filter(Boolean));
  };
  const tell = (words) => (state.textContent = words);
  const find = make("input", { input: show });
  const label = make("label", { class: "find quiet" }, "Find in response ", find);
  const choose = (view) => {
    current = view;
    for (const [place, each] of buttons.entries()) each.setAttribute("aria-pressed", String(views[place] === view));
    for (const each of views) for (const control of each.controls) control.hidden = each !== view;
    label.hidden = state.hidden = !view.finds;
    box.dataset.view = view.name.toLowerCase();
    show();
  };
  const pick = (view) => () => {
    sessionStorage.setItem(remembered, view.name);
    choose(view);
  };
  const buttons = views.map((view) => button(view.name, pick(view), { class: "small" }));
  for (const each of views) each.changed = show;
  choose(current);
  const [above, beside] = [true, false].map((is) => views.flatMap(({ controls }) => controls).filter((each) => each.matches("div") === is));
  return { switches: [buttons, beside, label, state], box: [above, box] };
}

const textView = (source) =>
  ({ name: "Text", finds: false, controls: [], show: () => make("pre", {}, source.length > COLOURED_CHARS ? textParts(formatJson(source)) : coloured(formatJson(source))) });

/** Return the view "Tree", with controls that fold it and hide empty fields. */
function treeView(context) {
  let tree;
  let tell;
  const expand = () => tell(tree.expand() ? "" : "Expanded the first 5,000 lines.");
  const hide = (event) => {
    sessionStorage.setItem(HIDE_EMPTY, hidesEmpty() ? "0" : "1");
    event.currentTarget.setAttribute("aria-pressed", String(hidesEmpty()));
    view.changed();
  };
  const canFold = Boolean(context.value.entries && context.value.entries.length) && !context.isFolded;
  const controls = !canFold ? [] : [
    button("Expand all", expand, { class: "small" }),
    button("Collapse all", () => tree.collapse(), { class: "small" }),
    button("Hide empty", hide, { class: "small", "aria-pressed": String(hidesEmpty()) }),
  ];
  const show = (sifted, told) => {
    tell = told;
    tree = treeOf({ ...context, ...sifted });
    return tree.node;
  };
  const view = { name: "Tree", finds: canFold, controls, show };
  return view;
}

function errorOf(parsed) {
  const { error } = parsed || {};
  return error && typeof error.message === "string" ? error : null;
}

/** Return the error in a successful response, such as that of the test of a webhook; null without one. */
function toldError(parsed) {
  const { error } = parsed || {};
  return typeof error === "string" && error ? errorNode({ message: error }) : null;
}

// Errors of a batch's entries that are listed
const FAILED_SHOWN = 100;

/** Return the errors of a batch's entries, which its table has no column for; null without one. */
function failedEntries(parsed) {
  const { results } = parsed || {};
  const failed = (Array.isArray(results) ? results : []).flatMap((each, place) => (errorOf(each) ? [[each.line ? `Line ${each.line}` : `Entry ${place + 1}`, each.error]] : []));
  const line = ([name, { message }]) => make("li", {}, `${name}: `, withCode(message));
  const more = failed.length > FAILED_SHOWN && make("li", {}, `and ${failed.length - FAILED_SHOWN} more`);
  return failed.length ? make("div", { class: "notice" }, make("p", {}, `${counted(failed.length, "entry", "entries")} failed`), make("ul", {}, failed.slice(0, FAILED_SHOWN).map(line), more)) : null;
}

/** Return a message in which words between back-ticks are code; all other characters stay, as they can be a user's. */
const withCode = (words) => words.split(/`([^`\n]+)`/).map((part, place) => (place % 2 ? callLink(part) || make("code", {}, part) : part));

/** Return a link to the operation of a call such as `PUT /setup/conf/MAIN_LANG`, with its values; null if it isn't one. */
function callLink(words) {
  const [, verb, path] = /^([A-Z]+) (\/\S+)$/.exec(words) || [];
  for (const { name, operations = [] } of path ? everyService() : []) {
    for (const each of operations.filter((one) => one.verb === verb && !one.missing)) {
      const variables = (each.path.match(/\{\w+\}/g) || []).map((one) => one.slice(1, -1));
      const found = new RegExp(`^${each.path.replace(/\{\w+\}/g, "([^/]+)")}$`).exec(path);
      if (found) return make("a", { href: `${addressOf(name, each.id)}?${variables.map((one, place) => `${one}=${found[place + 1]}`).join("&")}` }, make("code", {}, words));
    }
  }
  return null;
}

/** Return an error message, with a list of the invalid fields unless the message already covers them. */
function errorNode({ message, errors, raised, reason }) {
  const fields = (Array.isArray(errors) ? errors : []).slice(0, 100).filter(Boolean);
  const isSaid = fields.length === 1 && fields[0].message && message.includes(fields[0].message);
  const line = (each) => make("li", {}, make("code", {}, String(each.field)), ": ", withCode(String(each.message)));
  const list = fields.length > 0 && !isSaid && make("ul", {}, fields.map(line));
  return make("div", { class: "notice" }, make("p", {}, withCode(message)), typeof reason === "string" && make("p", { class: "quiet" }, "Reason: ", make("code", {}, reason)), list, raisedNode(raised));
}
