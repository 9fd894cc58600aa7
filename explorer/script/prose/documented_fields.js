// The fields of a response as a table that you can search; nested fields unfold below their field.

const FIELDS_DEPTH = 4;
const FIELDS_MOST = 1000;

/** The columns of the table. A row is a field: {name, schema, said (the schema looked up), spec, isRequired, title, depth}. */
const FIELD_COLUMNS = [
  { head: "Name", cell: ({ title, depth }) => make("th", { scope: "row", class: `depth-${depth}` }, title) },
  { head: "Type", cell: ({ schema, said, spec, isRequired }) => make("td", { class: "type" },
    linkedType(schema, spec), isRequired && ", required", saidOf(schema, said, "x-computed") && ", computed") },
  { head: "Meaning", cell: ({ schema, said }) => meaningCell(said.description || "", saidOf(schema, said, "x-reads")) },
];

/** A folded table of everything in a schema; null if it has no fields. */
function fieldsFold(schema, spec) {
  const object = objectIn(schema, spec);
  const number = object ? Object.keys(propertiesOf(object, spec).properties).length : 0;
  if (!number) return null;
  return fold({ class: "answer-fields" }, counted(number, "response field"), () => fieldsTable(object, spec));
}

/** The object of a schema: itself, an alternative, or the items of its list. */
function objectIn(schema, spec, depth = 0) {
  const whole = resolve(schema, spec);
  if (depth > 6) return null;
  if (whole.properties || whole.allOf) return whole;
  const inside = [whole.items, ...(whole.oneOf || []), ...(whole.anyOf || [])].filter(Boolean);
  for (const each of inside) {
    const found = objectIn(each, spec, depth + 1);
    if (found) return found;
  }
  return null;
}

function fieldsTable(object, spec) {
  const rows = [];
  collectRows(object, spec, null, 0, rows);
  const count = make("span", { class: "quiet", role: "status" });
  const find = (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    count.textContent = wanted ? `${showRows(rows, wanted)} found` : "";
    if (!wanted) showRows(rows, "");
  };
  const table = make("table", {}, make("caption", { class: "unseen" }, "Response fields"),
    columnHeads(FIELD_COLUMNS),
    make("tbody", {}, rows.map((row) => row.node)));
  showRows(rows, "");
  const label = make("label", {}, "Find a field ", make("input", { type: "search", input: find }));
  return [make("p", { class: "buttons" }, label, count), table];
}

function collectRows(object, spec, parent, depth, rows) {
  const { properties, required } = propertiesOf(object, spec);
  for (const [name, schema] of Object.entries(properties)) {
    if (rows.length >= FIELDS_MOST) return;
    const said = resolve(schema, spec);
    const row = { name, schema, said, spec, depth, isRequired: required.includes(name), parent, isOpen: false, inner: [] };
    row.words = `${name} ${said.description || ""}`.toLowerCase();
    rows.push(row);
    if (parent) parent.inner.push(row);
    const inner = depth < FIELDS_DEPTH ? objectIn(schema, spec) : null;
    row.object = inner;
    const isNested = inner && !ancestorsOf(row).some((each) => each.object === inner);
    if (isNested) collectRows(inner, spec, row, depth + 1, rows);
    row.node = fieldRow(row, rows);
  }
}

function ancestorsOf(row) {
  const found = [];
  for (let each = row.parent; each; each = each.parent) found.push(each);
  return found;
}

function fieldRow(row, rows) {
  const unfold = () => {
    row.isOpen = !row.isOpen;
    showRows(rows, "");
  };
  const name = make("code", {}, row.name);
  row.toggle = row.inner.length ? button(name, unfold, { class: "fold", "aria-expanded": "false" }) : null;
  return make("tr", {}, columnCells(FIELD_COLUMNS, { ...row, title: row.toggle || name }));
}

/** A keyword of a schema; one next to a `$ref` overrides the referenced schema. */
const saidOf = (schema, said, word) => schema[word] ?? said[word];

function meaningCell(words, reader) {
  const link = reader && [words ? "; read by " : "read by ", make("a", { href: addressOfOperation(reader) }, reader)];
  return make("td", { class: sentenceClass(words || "read by") }, inline(words), link);
}

/** Show the rows that contain the words, with their parents; without words, the unfolded ones. Return their number. */
function showRows(rows, wanted) {
  const found = new Set();
  let number = 0;
  for (const row of rows) {
    const around = ancestorsOf(row);
    if (wanted ? row.words.includes(wanted) : around.every((each) => each.isOpen)) {
      number += 1;
      [row, ...around].forEach((each) => found.add(each));
    }
  }
  for (const row of rows) {
    row.node.hidden = !found.has(row);
    if (row.toggle) row.toggle.setAttribute("aria-expanded", String(row.inner.some((each) => found.has(each))));
  }
  return number;
}
