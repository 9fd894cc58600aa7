// The states and the rights of a service.

/** The columns of the table of states. A row is a move; span: of how many rows its first state is the heading, or 0. */
const MOVE_COLUMNS = [
  { head: "From", cell: ({ from, span }) => span > 0 && make("th", { scope: "rowgroup", rowspan: span }, from) },
  { head: "By", cell: ({ move, operation }) =>
    make("td", {}, operation ? make("a", { href: addressOfOperation(operation) }, move) : move) },
  { head: "To", cell: ({ to }) => make("td", {}, to) },
];

/** The moves between a service's states, grouped by the state they begin in. */
function transitionsTable(transitions) {
  if (!transitions.length) return null;
  const groups = new Map();
  for (const each of transitions) groups.set(each.from, [...(groups.get(each.from) || []), each]);
  const rows = (moves) => make("tbody", {}, moves.map((each, place) =>
    make("tr", {}, columnCells(MOVE_COLUMNS, { ...each, span: place === 0 ? moves.length : 0 }))));
  return make("section", { class: "states" },
    make("h2", {}, "States"),
    make("table", {},
      make("caption", { class: "unseen" }, "Operations that change the state"),
      columnHeads(MOVE_COLUMNS),
      [...groups.values()].map(rows)));
}

/** The rights of a service; those that operations miss are marked. */
function rightsList(rights, index, meanings = {}) {
  if (!rights.length) return null;
  const operations = ((index || {}).services || []).flatMap((each) => each.operations);
  const missing = new Set(operations.map((each) => each.missing));
  return make("section", { class: "rights" },
    make("h2", {}, "Permissions"),
    make("ul", {}, rights.map((right) => make("li", {}, make("code", {}, right), meanings[right] && `: ${meanings[right]}`,
      missing.has(right) && text("span", "quiet", " (missing from your key)")))));
}
