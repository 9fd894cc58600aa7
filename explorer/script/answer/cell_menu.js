// What can be done with a cell of a table: read what it names, show only such rows, copy it.

const LONGEST_COMPARED = 200; // characters of a text that a filter asks for

/** A menu beside a cell: {node, open(cell, {words, actions})}. */
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
  // Whoever leaves it goes on where the menu was asked for
  return { node, open };
}

/** Below the cell, or above where there is no room; never beyond the window. */
function placeBeside(node, cell) {
  const { offsetWidth: width, offsetHeight: height } = node;
  const below = cell.bottom + 4;
  node.style.left = `${Math.max(8, Math.min(cell.left, innerWidth - width - 8))}px`;
  node.style.top = `${Math.max(8, below + height > innerHeight ? cell.top - height - 4 : below)}px`;
}

/** {words, actions: [[name, what it does, whether it stays open]]} of a cell. */
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

/** A value as a filter compares it: yes and no are stored as numbers. */
const comparedValue = (plain, { kind }) => (kind === "word" ? { true: "1", false: "0" }[plain] || plain : plain);
