// The columns of operations in lists: the list at the left, the search results, the page of a service.

/**
 * The columns, in order: where each is shown ("left", "found", "service"), and a function that returns its cell or
 * nothing. The index provides the data: OPERATION_FACTS in explorer/index.py.
 */
const OPERATION_COLUMNS = [
  { places: ["left", "found", "service"], cell: ({ verb }) => badge(verb) },
  { places: ["left", "found", "service"], cell: (operation) => make("span", { class: "label" }, labelOf(operation)) },
  { places: ["left", "found", "service"], cell: ({ title, summary, path }) => text("span", "path", (title || summary) && breakable(path)) },
  { places: ["left", "found", "service"], cell: ({ status }) => text("span", "mark", status) },
  { places: ["left", "found", "service"], cell: ({ missing }) => text("span", "note", missing && `needs ${missing}`) },
  { places: ["left", "found", "service"], cell: ({ deprecated }) => text("span", "note", deprecated && "deprecated") },
];

/** The label of an operation: its title or summary, or its path. */
const labelOf = ({ title, summary, path }) => title || (summary ? inline(summary) : breakable(path));

/** An operation as a list item; without an address it isn't a link, as in a file that failed to load. */
function operationItem(operation, place, href = "") {
  const cells = OPERATION_COLUMNS.filter(({ places }) => places.includes(place)).map(({ cell }) => cell(operation));
  const title = [`${operation.verb} ${operation.path}`, operation.summary].filter(Boolean).join("\n");
  const line = href
    ? make("a", { href, class: classOf(operation), title }, cells)
    : make("p", { class: classOf(operation), title }, cells);
  return make("li", {}, line);
}

const classOf = ({ missing, deprecated }) => ["operation", missing && "missing", deprecated && "deprecated"].filter(Boolean).join(" ");

/** A path that may be broken into lines between its parts. */
const breakable = (path) => path.split(/(?<=\/)|(?=[A-Z_])/).map((part, place) => [place > 0 && make("wbr"), part]);
