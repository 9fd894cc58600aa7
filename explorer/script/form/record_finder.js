// Finding a record by its name, for a field of the body that takes its ID; a product found this way is a new line.

const FINDER_WAIT = 250; // ms after the last key
const FINDER_RESULTS = 8;
const FINDERS_MOST = 3;
/** The fields that are shown of a record that was found. */
const FINDER_NAMES = ["ref", "label", "name", "lastname", "firstname", "login", "town"];

/**
 * The inputs that find records for a body, or null.
 *
 * @param editor {words(), isExample(), write(words, from, to)}: the body's text
 */
function recordFinders(operation, editor) {
  const finders = finderTargets(operation).slice(0, FINDERS_MOST).map((target) => finderNode(target, editor));
  return finders.length ? make("div", { class: "finders" }, finders) : null;
}

/** The fields for which a record can be found: {path, field, list, noun}; with `field`, the record is a line in the list at `path`. */
function finderTargets({ body, spec }) {
  const alternatives = alternativesOf(body.schema, spec);
  const inner = (all, key) => innerAlternatives(all, key, spec);
  const keysOf = (all) => [...new Set(all.flatMap((each) => Object.keys(each.properties || {})))];
  const target = (all, path, field) => {
    const reader = all.map((each) => each["x-reads"]).find(Boolean);
    const list = reader ? listOfReader(reader) : "";
    const isSearched = list && (listedAt(list).words || "").split(" ").includes("q");
    return isSearched ? [{ path, field, list, noun: nounOf(serviceOf(reader)) }] : [];
  };
  const linesAt = (path, lines) => keysOf(lines).flatMap((key) => target(inner(lines, key), path, key)).slice(0, 1);
  const { example } = body;
  const shown = example && !Array.isArray(example) && typeof example === "object" ? Object.keys(example) : [];
  return [
    ...shown.flatMap((key) => target(inner(alternatives, key), [key])),
    ...(Array.isArray(example) ? linesAt([], inner(alternatives, 0)) : []),
    ...shown.filter((key) => Array.isArray(example[key])).flatMap((key) => linesAt([key], inner(inner(alternatives, key), 0))),
  ];
}

function finderNode(target, editor) {
  const { list, noun, field } = target;
  const id = `input-${(inputCount += 1)}`;
  const results = make("ul", { class: "found-records", hidden: true });
  const status = make("span", { class: "quiet", role: "status" });
  let timer;
  let turn = 0;
  const choose = (record) => () => {
    input.value = "";
    show([]);
    writeRecord(target, record, editor);
    say(field ? `Added a line with ${noun} ${record.id}.` : `Filled in ${noun} ${record.id}.`);
  };
  const show = (records) => {
    results.replaceChildren(...records.map((record) => make("li", {}, button(recordWords(record), choose(record), { class: "small" }))));
    results.hidden = !records.length;
    status.textContent = input.value.trim() && !records.length ? `No ${noun} found.` : "";
  };
  const find = async () => {
    const own = (turn += 1);
    const words = input.value.trim();
    const query = new URLSearchParams({ q: words, limit: FINDER_RESULTS });
    const answer = words ? await send({ verb: "GET", path: list, query: String(query), headers: {} }) : {};
    const records = answer.status === 200 ? parsedJson(await answer.blob.text()) : [];
    if (own === turn) show([records].flat().filter((each) => each && each.id));
  };
  const input = make("input", {
    id, type: "text", autocomplete: "off", spellcheck: "false", placeholder: "Name or reference",
    keydown: (event) => {
      keepEnter(event);
      const first = results.querySelector("button");
      if (!first || !["ArrowDown", "Enter"].includes(event.key) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (event.key === "Enter") first.click();
      else first.focus();
    },
    // It is no part of the request
    input: (event) => {
      event.stopPropagation();
      clearTimeout(timer);
      timer = setTimeout(find, FINDER_WAIT);
    },
  });
  return make("div", { class: "finder" },
    make("label", { for: id }, field ? `Add a line: find a ${noun}` : `Find a ${noun}`), input, status, results);
}

const recordWords = (record) =>
  [...FINDER_NAMES.map((name) => record[name]).filter((each) => each && each !== record.id).slice(0, 3), `(${record.id})`].join(" ");

/** Write the ID of a record into the body: as the value of a field, or as a new line; the lines of the example go. */
function writeRecord({ path, field }, record, { words, isExample, write }) {
  const id = Number.isSafeInteger(Number(record.id)) ? Number(record.id) : record.id;
  const value = field ? { [field]: id, qty: 1 } : id;
  let tree;
  try {
    tree = jsonTree(words().trim() ? words() : field && !path.length ? "[]" : "{}");
  } catch {
    return say("The body isn't valid JSON.");
  }
  const node = jsonNodeAt(tree, path);
  const isThere = !path.length || jsonMember(tree, path[0]);
  if (field && isThere && node.kind === "array" && !isExample()) {
    const made = appendedField(words(), node, [-1], value);
    return write(made.words, made.from, made.to);
  }
  if (isThere) {
    const indent = /[^\n]*$/.exec(words().slice(0, node.at))[0].match(/^ */)[0];
    return write(JSON.stringify(field ? [value] : value, null, 2).replaceAll("\n", `\n${indent}`), node.at, node.end);
  }
  const made = insertedField(words(), path, field ? [value] : value);
  return made && made.words !== undefined && write(made.words, made.from, made.to);
}
