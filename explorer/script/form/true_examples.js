// Example values from records that the caller may read. The form requests a list once, when it is shown.
// An empty or forbidden list gives no example.

// Milliseconds for which a record is reused
const EXAMPLE_AGE = 60_000;

/** Path of a list → {record (a promise), moment}. */
const firstRecords = new Map();

/** Return the first record of a list, or null. */
function firstRecord(path) {
  const known = firstRecords.get(path);
  if (known && Date.now() - known.moment < EXAMPLE_AGE) return known.record;
  const record = askFirst(path).catch(() => null);
  firstRecords.set(path, { record, moment: Date.now() });
  return record;
}

async function askFirst(path) {
  const answer = await ask(new URL(`${path.slice(1)}?limit=1`, SERVER_ADDRESS));
  if (!answer.ok) return null;
  const [record] = [await answer.json()].flat();
  return record && typeof record === "object" ? record : null;
}

/** Return the operation of the index that reads a path, if the caller may call it. */
const listedAt = (path) =>
  everyService()
    .flatMap(({ operations }) => operations || [])
    .find((each) => each.verb === "GET" && each.path === path && !each.missing && each.id);

/** Return the list that an operation's path is about: the longest prefix without a variable that is a list, or "". */
function listBefore(operation) {
  const parts = operation.path.split("{")[0].split("/").filter(Boolean);
  for (let size = parts.length; size > 0; size -= 1) {
    const path = `/${parts.slice(0, size).join("/")}`;
    if (isListOfRecords(path, operation)) return path;
  }
  return "";
}

/** Return whether a path is a list of records that the caller may read. */
function isListOfRecords(path, { spec }) {
  const said = (spec.paths[path] || {}).get;
  if (!said || said["x-allowed"] === false) return false;
  const { content = {} } = resolve(said.responses["200"], spec);
  return Boolean(listedRecord((content["application/json"] || {}).schema, spec));
}

/** Return the list for an operation that reads one record: `get-thirdparties-id` → `/thirdparties`; or "". */
function listOfReader(reader) {
  const found = everyService().flatMap(({ operations }) => operations || []).find(({ id }) => id === reader);
  const path = found ? found.path.replace(/\/\{\w+\}$/, "") : "";
  return path && !path.includes("{") && listedAt(path) ? path : "";
}

/** Add examples to the inputs of a form. */
async function offerExamples(operation, rows) {
  const path = listBefore(operation);
  const variables = operation.path.match(/\{\w+\}/g) || [];
  for (const row of rows) {
    const { parameter } = row;
    const isFirst = `{${parameter.name}}` === variables[0];
    if (parameter.in === "path" && isFirst && path) {
      const value = ((await firstRecord(path)) || {})[parameter.name];
      offerValue(row, value);
      if (value && isSearched(path) && operation.path.startsWith(`${path}/{`)) offerFinder(row, path);
    }
    else if (parameter.in === "path") {
      const [list] = operation.path.split(`/{${parameter.name}}`);
      if (isListOfRecords(list, operation)) offerInner(row, rows, list);
    }
    else if (parameter.name === "sqlfilters" && path === operation.path) offerFilter(row, await firstRecord(path), operation);
    else if (parameter.in !== "path" && !parameter.shared && row.kind === "text") offerValue(row, (parameter.schema.examples || [])[0]);
  }
}

/** Add a button that writes an example into an input. */
function offerValue(row, value) {
  if (!["string", "number"].includes(typeof value) || value === "" || rowHolds(row, value)) return;
  const write = () => {
    writeValue(row, value, "input");
    row.input.focus();
  };
  offerWhileEmpty(row, button(["Example: ", make("code", {}, value)], write, { class: "small example" }));
}

function writeValue(row, value, ...events) {
  row.fill(String(value));
  for (const each of events) row.input.dispatchEvent(new Event(each, { bubbles: true }));
}

/** Add an input that finds the record of a path by its name. */
function offerFinder(row, list) {
  const take = (record) => writeValue(row, record[row.parameter.name], "input", "change");
  offerWhileEmpty(row, finderNode({ list, noun: nounOf(list.slice(1)) }, take));
}

/** Offer the records of a list below another record, such as the lines of an order. */
function offerInner(row, rows, list) {
  const found = make("ul", { class: "found-records" });
  const valueOf = (variable) => encodeURIComponent(rows.find(({ key }) => key === `path:${variable.slice(1, -1)}`).text());
  const read = async () => {
    const answer = await send({ verb: "GET", path: list.replace(/\{\w+\}/g, valueOf), query: "", headers: {} });
    const records = answer.status === 200 ? [parsedJson(await answer.blob.text())].flat().filter(({ id }) => id) : [];
    const choose = ({ id }) => () => writeValue(row, id, "input", "change");
    const choices = records.slice(0, TREE_STEP).map((record) => make("li", {}, button(recordWords(record), choose(record), { class: "small" })));
    found.replaceChildren(...(choices.length ? choices : ["Nothing found."]));
  };
  offerWhileEmpty(row, make("div", { class: "finder" }, button(`Choose from ${list.split("/").pop()}`, read, { class: "small" }), found));
}

function offerWhileEmpty(row, node) {
  const { fill } = row;
  const look = () => (node.hidden = row.text() !== "");
  row.fill = (words) => {
    fill(words);
    look();
  };
  row.input.addEventListener("input", look);
  row.input.closest(".control").append(node);
  look();
}

const rowHolds = (row, value) => row.kind === "choice" || row.input.placeholder === String(value);

/** Offer a filter by the record's name. */
function offerFilter(row, record, operation) {
  const own = new Set(filterColumns(operation).map(({ name }) => name));
  const isName = (key) => NAMES.test(key) && typeof record[key] === "string" && own.has(`t.${key}`);
  const column = Object.keys(record || {}).find((key) => isName(key) && /^[\p{L}\p{N}]/u.test(record[key]));
  const [beginning] = /^[\p{L}\p{N}]{1,2}/u.exec(column ? record[column] : "") || [];
  if (beginning) offerValue(row, `(t.${column}:like:'${beginning}%')`);
}

/** Return an example with the IDs of existing records. */
async function withRecords(value, alternatives, spec) {
  const inside = (each, key) => withRecords(each, innerAlternatives(alternatives, key, spec), spec);
  if (Array.isArray(value)) return Promise.all(value.map(inside));
  if (value && typeof value === "object") {
    const pairs = Object.entries(value).map(async ([key, each]) => [key, await inside(each, key)]);
    return Object.fromEntries(await Promise.all(pairs));
  }
  const reader = alternatives.map((each) => each["x-reads"]).find(Boolean);
  const path = typeof value === "number" && reader ? listOfReader(reader) : "";
  const { id } = (path && (await firstRecord(path))) || {};
  return /^\d+$/.test(id ?? "") ? Number(id) : value;
}
