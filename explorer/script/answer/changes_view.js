// The view of a history or audit trail: a line for each changed field, with its old and new value.

/** Keys that only the entries of a history have. */
const ENTRY_KEYS = ["kind", "element", "before", "after"];

/** Return the view "Changes" of a response that is a list of such entries; otherwise null. */
function changesView(value, alternatives, context, shown) {
  const [rows] = recordsIn(value, alternatives, context.spec);
  const isEntry = ({ entries }) => ENTRY_KEYS.every((key) => entries.some(([name]) => name === key));
  if (!rows || !rows.length || !rows.every(isEntry)) return null;
  const list = { rows, columns: [], alternatives: [], place: placeOfPage(shown, rows.length), totalKnown: () => {}, shown, context };
  const fields = fieldsOfRecord(shown.operation);
  const id = decodeURIComponent(shown.request.path.split("/").at(-2) || "");
  const oldest = rows.findLast((row) => textOf(row, "record", context) === id);
  const own = oldest && textOf(oldest, "element", context);
  const isOwn = (row) => textOf(row, "element", context) === own;
  const show = (sifted) => changesTable(rows.filter((row) => !sifted.found.size || sifted.holds(row)), {
    meant: (row) => (isOwn(row) ? fields : []),
    isFolded: (row) => own && !isOwn(row) && !sifted.found.size && textOf(row, "kind", context) !== "changed",
    context,
  });
  return { name: "Changes", kind: "changes", finds: true, controls: [make("div", { class: "list-bar" }, pageNode(list))], changed: () => {}, show };
}

/** Return the schemas of the record whose history it is: those of the operation that reads it. */
function fieldsOfRecord({ path, spec }) {
  const reading = ((spec.paths || {})[path.replace(/\/history$/, "")] || {}).get;
  return path.endsWith("/history") && reading ? answerAlternatives({ ...reading, spec }, 200) : [];
}

/**
 * @param {object} options context; meant(row) returns the schemas of an entry's fields; isFolded(row) whether they are
 *   folded: all those of a line or a file that was created or deleted
 */
function changesTable(rows, { meant, isFolded, context }) {
  const heads = ["Field", "Before", "After"];
  return make("div", { class: "table-box", tabindex: 0, role: "group", "aria-label": "Changes" },
    make("table", { class: "records changes" }, make("caption", { class: "unseen" }, "Changes, newest first"),
      make("thead", {}, make("tr", {}, heads.map((each) => make("th", { scope: "col" }, each)))),
      rows.map((row) => make("tbody", {}, changeLines(row, meant(row), isFolded(row), context)))));
}

/** Return the lines of an entry: when, who and what, then a line for each field. */
function changeLines(row, fields, isFolded, context) {
  const [before, after] = ["before", "after"].map((key) => new Map((entryOf(row, key) || {}).entries || []));
  const moment = new Date(Number(textOf(row, "moment", context)));
  const day = Number.isNaN(moment.getTime()) ? "" : `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const user = textOf(row, "user_id", context);
  const who = textOf(row, "login", context) || (user ? `user ${user}` : "the server, or a call without a key");
  const what = textOf(row, "label", context) || `${textOf(row, "element", context)} ${textOf(row, "record", context)}`;
  const head = make("th", { colspan: 3, scope: "rowgroup" }, make("time", {}, day), ` ${visible(who)} `,
    make("span", { class: "state" }, visible(textOf(row, "kind", context))), ` ${visible(what)} `,
    text("span", "quiet", textOf(row, "operation", context)));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const lines = () => names.map((name) => make("tr", {}, make("td", {}, visible(name)),
    [before, after].map((side) => make("td", { class: "long" }, changedValue(side.get(name), innerFacts(fields, name, context.spec), context)))));
  const unfold = ({ currentTarget }) => {
    currentTarget.closest("tbody").append(...lines());
    currentTarget.remove();
  };
  if (isFolded) head.append(" ", button(counted(names.length, "field"), unfold, { class: "small" }));
  return [make("tr", {}, head), isFolded ? [] : lines()];
}

/** Return a value with the name of its state, its day or its record. */
function changedValue(value, alternatives, context) {
  if (!value) return text("span", "quiet", "–");
  if (!value.entries && isEmptyValue(value, context.source)) return text("span", "quiet", "empty");
  const facts = factsOf(alternatives);
  // The database stores each decimal with eight places
  const [, amount] = (!value.entries && facts.kind !== "amount" && /^(-?\d+\.\d\d\d*?)0*$/.exec(plainOf(value, context.source))) || [];
  if (amount) return amount;
  return valueNode(value, { key: "", alternatives, facts, kind: facts.kind }, context, TEXT_SHOWN);
}

const entryOf = (row, key) => (row.entries.find(([name]) => name === key) || [])[1];

function textOf(row, key, { source }) {
  const value = entryOf(row, key);
  return !value || isEmptyValue(value, source) || value.entries ? "" : plainOf(value, source);
}
