// The states and the rights of a service.

/** The moves between a service's states, grouped by the state they begin in. */
function transitionsTable(transitions, open) {
  if (!transitions.length) return null;
  const groups = new Map();
  for (const each of transitions) groups.set(each.from, [...(groups.get(each.from) || []), each]);
  const move = (each) => {
    if (!each.operation) return each.move;
    const href = addressOfOperation(each.operation);
    const openLink = (event) => {
      event.preventDefault();
      open(href);
    };
    return make("a", { href, click: openLink }, each.move);
  };
  const rows = ([from, moves]) => make("tbody", {}, moves.map((each, place) => make("tr", {},
    place === 0 && make("th", { scope: "rowgroup", rowspan: moves.length }, from),
    make("td", {}, move(each)),
    make("td", {}, each.to))));
  return make("section", { class: "states" },
    make("h2", {}, "States"),
    make("table", {},
      make("caption", { class: "unseen" }, "Which operation leads from which state to which"),
      make("thead", {}, make("tr", {}, ["From", "By", "To"].map((words) => make("th", { scope: "col" }, words)))),
      [...groups].map(rows)));
}

/** The rights of a service; those that operations miss are marked. */
function rightsList(rights, index) {
  if (!rights.length) return null;
  const operations = ((index || {}).services || []).flatMap((each) => each.operations);
  const missing = new Set(operations.map((each) => each.missing));
  return make("section", { class: "rights" },
    make("h2", {}, "Rights"),
    make("ul", {}, rights.map((right) => make("li", {}, make("code", {}, right),
      missing.has(right) && text("span", "quiet", " not held by your key")))));
}
