// A record's value in readable form, for a table cell or a line of a card.

/**
 * Return a value as short text, and its details: {words, sent (shown on hover), href}.
 *
 * @param {object} column alternatives, facts, kind and, in a table, decimals
 */
function wordsOfValue(value, { alternatives, facts, kind, decimals }, context) {
  const { source } = context;
  if (isEmptyValue(value, source)) return { words: "", sent: "" };
  if (value.entries) return { words: nestedWords(value, context), sent: "" };
  const plain = plainOf(value, source);
  if (facts.reads) return { words: plain, sent: "", href: readsOf(alternatives, plain) };
  const readable = readableWords(plain, facts);
  if (readable) return { words: readable, sent: readable === plain ? "" : `sent as ${plain}` };
  if (kind !== "amount") return { words: plain, sent: "" };
  const words = amountWords(plain, decimals);
  return { words, sent: words === plain ? "" : `sent as ${plain}` };
}

/** Return the content of a nested value: up to five scalars, else the number of items or a preview. */
function nestedWords(value, { source }) {
  const { kind, entries } = value;
  if (kind === "array" && entries.every(([, each]) => !each.entries) && entries.length <= 5) {
    return entries.map(([, each]) => plainOf(each, source)).join(", ");
  }
  if (kind === "array") return counted(entries.length, "item");
  return previewOf(value, { source });
}

/** Return the element of a value. A reference becomes a link, unless it leads to the record being shown. */
function valueNode(value, column, context, longest = WORDS_SHOWN) {
  const { words, sent, href } = wordsOfValue(value, column, context);
  if (!words) return null;
  const isLong = words.length > longest;
  const shown = visible(isLong ? `${words.slice(0, longest)}…` : words);
  const title = isLong ? visible(words) : sent;
  if (href && href !== context.here) return column.key === "id" ? recordLink(href, shown, context) : namedLink(href, shown, context);
  const change = column.key === "id" && context.change && context.change(words);
  if (change) return make("a", change, shown);
  const kind = column.kind === "state" && sent ? "state" : null;
  return kind || title ? make("span", { class: kind, title }, shown) : shown;
}

/** Return a link that reads a record in the same view. */
const recordLink = (href, words, { open }) => make("a", { href, title: "Open", click: opening(href, open) }, words);

/** Return what a click on a link does: open its address and call the operation, unless the browser opens another tab. */
const opening = (href, open) => (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(href);
};

const isRight = ({ kind }) => kind === "amount" || kind === "number";

/** Return a table without sorting and menus, for the lines inside a record. */
function plainTable(rows, alternatives, context, caption) {
  const columns = firstColumns(columnsOf(rows, alternatives, context), true);
  const cell = (row, column) => {
    const [, value] = row.entries.find(([key]) => key === column.key) || [];
    const node = make("td", { class: isRight(column) ? "right-aligned" : null }, value && valueNode(value, column, context));
    node.classList.toggle("long", node.textContent.length > SHORT_TEXT);
    return node;
  };
  const heading = (column) => make("th", { scope: "col", title: column.title || null, class: isRight(column) ? "right-aligned" : null }, column.key);
  const body = make("tbody", {});
  const grow = (from) => rows.slice(from, from + TREE_STEP).forEach((row) =>
    body.append(make("tr", {}, columns.map((column) => cell(row, column)))));
  grow(0);
  const more = (event) => {
    grow(body.childElementCount);
    if (body.childElementCount >= rows.length) event.currentTarget.remove();
  };
  return make("div", { class: "table-box", tabindex: 0, role: "group", "aria-label": caption },
    make("table", { class: "records" }, make("caption", { class: "unseen" }, caption),
      make("thead", {}, make("tr", {}, columns.map(heading))), body),
    rows.length > TREE_STEP && button(`Show ${TREE_STEP} more`, more, { class: "small" }));
}

/** Return whether a value is a list of records. */
const isRecordList = ({ kind, entries }) =>
  kind === "array" && entries.length > 0 && entries.slice(0, 20).every(([, each]) => each.kind === "object" && each.entries.length > 0);
