// What lists tell of each operation: the list at the left, what a search has found, the page of a service.

/**
 * The columns, in order: where each is shown ("left", "found", "service"), and its cell, or nothing. What a cell is made
 * of comes with the index: explorer/index.py, OPERATION_FACTS.
 */
const OPERATION_COLUMNS = [
  { places: ["left", "found", "service"], cell: ({ verb }) => badge(verb) },
  { places: ["left", "found", "service"], cell: ({ path }) => make("span", { class: "path" }, breakable(path)) },
  { places: ["left", "found"], cell: ({ status }) => text("span", "mark", status) },
  { places: ["found"], cell: ({ summary }) => summary && make("span", { class: "note" }, inline(summary)) },
  { places: ["service"], cell: ({ status, summary = "" }) =>
    make("span", { class: "summary" }, status && [text("span", "mark", status), " "], inline(summary)) },
  { places: ["left", "found"], cell: ({ missing }) => text("span", "note", missing && `needs ${missing}`) },
  { places: ["left", "found"], cell: ({ deprecated }) => text("span", "note", deprecated && "deprecated") },
];

/** An operation as an item of a list; without an address it leads nowhere, as one of a file that cannot be loaded. */
function operationItem(operation, place, href = "") {
  const cells = OPERATION_COLUMNS.filter(({ places }) => places.includes(place)).map(({ cell }) => cell(operation));
  const title = place === "service" ? null : operation.summary;
  const line = href
    ? make("a", { href, class: classOf(operation), title }, cells)
    : make("p", { class: classOf(operation) }, cells);
  return make("li", {}, line);
}

const classOf = ({ missing, deprecated }) => ["operation", missing && "missing", deprecated && "deprecated"].filter(Boolean).join(" ");

/** A path that may be broken into lines between its parts. */
const breakable = (path) => path.split(/(?<=\/)|(?=[A-Z_])/).map((part, place) => [place > 0 && make("wbr"), part]);
