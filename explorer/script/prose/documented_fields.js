// The fields of an answer as a table that is searched as one types; what stands inside a field unfolds below it.

const FIELDS_DEPTH = 4;
const FIELDS_MOST = 1000;

/** A folded table of everything in a schema; null where it has no fields. */
function fieldsFold(schema, spec) {
  const object = objectIn(schema, spec);
  const number = object ? Object.keys(propertiesOf(object, spec).properties).length : 0;
  if (!number) return null;
  return fold({ class: "answer-fields" }, `${counted(number, "field")} of the answer`, () => fieldsTable(object, spec));
}

/** The object that a schema is about: itself, an alternative of it, or what its list holds. */
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
  const head = ["Name", "Type", "Meaning"].map((words) => make("th", { scope: "col" }, words));
  const table = make("table", {}, make("caption", { class: "unseen" }, "Fields of the answer"),
    make("thead", {}, make("tr", {}, head)),
    make("tbody", {}, rows.map((row) => row.node)));
  showRows(rows, "");
  const label = make("label", {}, "Find a field ", make("input", { type: "search", input: find }));
  return [make("p", { class: "buttons" }, label, count), table];
}

function collectRows(object, spec, parent, depth, rows) {
  const { properties, required } = propertiesOf(object, spec);
  for (const [name, schema] of Object.entries(properties)) {
    if (rows.length >= FIELDS_MOST) return;
    const whole = resolve(schema, spec);
    const row = { parent, isOpen: false, words: `${name} ${whole.description || ""}`.toLowerCase(), inner: [] };
    rows.push(row);
    if (parent) parent.inner.push(row);
    const inner = depth < FIELDS_DEPTH ? objectIn(schema, spec) : null;
    row.object = inner;
    const isNested = inner && !ancestorsOf(row).some((each) => each.object === inner);
    if (isNested) collectRows(inner, spec, row, depth + 1, rows);
    row.node = fieldRow(name, schema, whole, required.includes(name), row, depth, rows);
  }
}

function ancestorsOf(row) {
  const found = [];
  for (let each = row.parent; each; each = each.parent) found.push(each);
  return found;
}

function fieldRow(name, schema, whole, isRequired, row, depth, rows) {
  const unfold = () => {
    row.isOpen = !row.isOpen;
    showRows(rows, "");
  };
  const title = make("code", {}, name);
  row.toggle = row.inner.length ? button(title, unfold, { class: "fold", "aria-expanded": "false" }) : null;
  const { "x-reads": reads, "x-computed": computed } = { ...whole, ...schema };
  return make("tr", {},
    make("th", { scope: "row", class: `depth-${depth}` }, row.toggle || title),
    make("td", { class: "type" }, typeText(schema), isRequired && ", required", computed && ", computed"),
    make("td", { class: sentenceClass(whole.description || "read by") }, inline(whole.description || ""),
      reads && [whole.description ? "; read by " : "read by ", make("a", { href: addressOfOperation(reads) }, reads)]));
}

/** Show the rows that hold the words, and those around them; without words, what is unfolded. Answers their number. */
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
