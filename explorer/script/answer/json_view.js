// JSON that was answered: as a tree or as text, its error in words, the file inside it.

function jsonNodes(source, parsed, name, shown) {
  const { operation, request, answer, open, keep } = shown;
  const alternatives = answerAlternatives(operation, answer.status);
  const value = readJson(source);
  const error = errorOf(parsed);
  const box = contentBox("div", "json");
  const state = make("span", { class: "quiet", role: "status" });
  const context = { source, value, alternatives, spec: operation.spec, open, isFolded: Boolean(error) };
  context.here = `${addressOfOperation(operation.id)}?id=${request.path.split("/").pop()}`;
  let tree;
  const grow = (words = "") => {
    const sifted = chooseEntries(value, source, words);
    tree = treeOf({ ...context, ...sifted });
    state.textContent = words.trim() ? `${sifted.number.toLocaleString("en")} found` : "";
    box.replaceChildren(tree.node);
  };
  grow();
  const controls = tree.folds && !error ? treeControls(() => tree, grow, state) : [];
  const views = { Tree: () => tree.node, Text: () => make("pre", {}, textParts(formatJson(source))) };
  const choose = (view) => {
    for (const each of switches) each.setAttribute("aria-pressed", String(each.textContent === view));
    for (const each of [...controls, state]) each.hidden = view !== "Tree";
    box.replaceChildren(views[view]());
  };
  const switches = Object.keys(views).map((view) =>
    button(view, () => choose(view), { class: "small", "aria-pressed": String(view === "Tree") }));
  const inside = fileInside(parsed);
  const list = parsed && parsed.pagination ? parsed.data : parsed;
  return [
    error && errorNode(error),
    !error && nextStepsNode(operation, parsed, alternatives),
    Array.isArray(list) && !list.length && text("p", "quiet", "An empty list."),
    inside && fileNodes(inside.blob, inside.type, inside.name, keep),
    make("div", { class: "buttons", role: "group", "aria-label": "How it is shown" }, switches, controls,
      copyButton(() => formatJson(source)),
      saveLink(answer.blob, name || `${operation.id}.json`, keep), state),
    box,
  ];
}

/** The controls that fold a tree, hide what is empty, and find names. */
function treeControls(treeNow, grow, state) {
  const find = make("input", { input: () => grow(find.value) });
  const expand = () => (state.textContent = treeNow().expand() ? "" : "The first 5,000 lines are unfolded.");
  const collapse = () => {
    treeNow().collapse();
    state.textContent = "";
  };
  const hide = (event) => {
    sessionStorage.setItem(HIDE_EMPTY, hidesEmpty() ? "0" : "1");
    event.currentTarget.setAttribute("aria-pressed", String(hidesEmpty()));
    grow(find.value);
  };
  return [
    button("Expand all", expand, { class: "small" }),
    button("Collapse all", collapse, { class: "small" }),
    button("Hide empty", hide, { class: "small", "aria-pressed": String(hidesEmpty()) }),
    make("label", { class: "find quiet" }, "Find ", find),
  ];
}

function errorOf(parsed) {
  const { error } = parsed || {};
  return error && typeof error.message === "string" ? error : null;
}

/** The message of an error, and the fields that are wrong unless the message says it all. */
function errorNode({ message, errors }) {
  const fields = (Array.isArray(errors) ? errors : []).slice(0, 100).filter(Boolean);
  const isSaid = fields.length === 1 && fields[0].message && message.includes(fields[0].message);
  const line = (each) => make("li", {}, make("code", {}, String(each.field)), `: ${each.message}`);
  const list = fields.length > 0 && !isSaid && make("ul", {}, fields.map(line));
  return make("div", { class: "notice" }, make("p", {}, message), list);
}
