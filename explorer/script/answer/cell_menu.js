// The menu of a table cell: read the referenced record, filter by the value, copy it.

// Characters; the menu offers no filter for a longer text
const LONGEST_COMPARED = 200;

/** Return a menu for table cells: {node, open(cell, {words, actions})}. */
function cellMenu() {
  const node = make("div", { class: "cell-menu", popover: "auto", role: "group" });
  const open = (cell, { words, actions }) => {
    const close = (act) => () => {
      node.hidePopover();
      act();
    };
    node.setAttribute("aria-label", words);
    node.replaceChildren(make("p", {}, words), ...actions.map(([name, act, pressed]) =>
      button(name, pressed ? act : close(act), { class: "small" })));
    node.showPopover();
    placeBeside(node, cell.getBoundingClientRect());
    node.querySelector("button").focus();
  };
  // When the menu closes, the browser returns the focus to the cell
  return { node, open };
}

/** Place the menu below the cell, or above it if there isn't enough room, inside the window. */
function placeBeside(node, cell) {
  const { offsetWidth: width, offsetHeight: height } = node;
  const below = cell.bottom + 4;
  node.style.left = `${Math.max(8, Math.min(cell.left, innerWidth - width - 8))}px`;
  node.style.top = `${Math.max(8, below + height > innerHeight ? cell.top - height - 4 : below)}px`;
}

/** Return the menu of a cell: {words, actions: [[label, function, whether the menu stays open]]}. */
function cellActions({ column, value }, { shown: { operation }, compared, context }) {
  const { words, sent, href } = value ? wordsOfValue(value, column, context) : { words: "" };
  const said = visible(shortened(words || "empty"));
  const actions = [];
  const plain = value && !value.entries ? plainOf(value, context.source) : "";
  const isNothing = !value || (value.kind === "word" && plain === "null");
  const known = compared.get(column.key);
  const operators = filterOperators(operation);
  const filter = (name, operator, compareWith) =>
    Object.hasOwn(operators, operator) && actions.push([name, () => filterAgain(operation, known.name, operator, compareWith)]);
  if (href) actions.push([`Read ${column.key} ${plain}`, () => context.open(href)]);
  if (known && isNothing) {
    filter("Only empty values", "is", "");
    filter("Only non-empty values", "isnot", "");
  } else if (known && plain && plain.length <= LONGEST_COMPARED && operatorsFor(known.kind, operators).includes("=")) {
    filter("Only this value", "=", comparedValue(plain, value));
    filter("Exclude this value", "<>", comparedValue(plain, value));
  }
  const sentWords = plain || (value && value.entries ? context.source.slice(value.begin, value.end) : "");
  actions.push(["Copy value", (event) => copy(sentWords, event.currentTarget), true]);
  return { words: [`${column.key}: ${said}`, sent].filter(Boolean).join(", "), actions };
}

/** Return a value for a filter: `true` and `false` become 1 and 0, as the database stores them. */
const comparedValue = (plain, { kind }) => (kind === "word" ? { true: "1", false: "0" }[plain] || plain : plain);
