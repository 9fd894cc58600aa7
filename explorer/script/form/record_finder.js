// Finds a record by name, for a body field or a path that takes its ID. A found product becomes a new line.

// Milliseconds after the last key
const FINDER_WAIT = 250;
const FINDER_RESULTS = 8;
const FINDERS_MOST = 3;
/** The fields shown of a found record. */
const FINDER_NAMES = ["ref", "label", "name", "lastname", "firstname", "login", "town", "product_ref", "product_label", "desc", "qty"];

/**
 * Return the inputs that find records for a body, or null.
 *
 * @param editor {words(), isExample(path), write(words, from, to)}: the body's text
 */
function recordFinders(operation, editor) {
  const finders = finderTargets(operation).slice(0, FINDERS_MOST).map((target) => finderNode(target, (record) => writeRecord(target, record, editor)));
  return finders.length ? make("div", { class: "finders" }, finders) : null;
}

/**
 * Return the fields for which a record can be found: {path, field, list, noun}.
 * With `field`, the record is a line in the list at `path`.
 */
function finderTargets({ body, spec }) {
  const alternatives = alternativesOf(body.schema, spec);
  const inner = (all, key) => innerAlternatives(all, key, spec);
  const keysOf = (all) => [...new Set(all.flatMap((each) => Object.keys(each.properties || {})))];
  const target = (all, path, field) => {
    const reader = all.map((each) => each["x-reads"]).find(Boolean);
    const list = reader ? listOfReader(reader) : "";
    return list && isSearched(list) ? [{ path, field, list, noun: nounOf(serviceOf(reader)) }] : [];
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

/** Return whether a list can be searched by words. */
const isSearched = (list) => (listedAt(list).words || "").split(" ").includes("q");

/**
 * Return an input that finds a record.
 *
 * @param take called with the chosen record; returns why it can't be used, if it can't
 */
function finderNode({ list, noun, field }, take) {
  const id = `input-${(inputCount += 1)}`;
  const results = make("ul", { class: "found-records", hidden: true });
  const status = make("span", { class: "quiet", role: "status" });
  let timer;
  let turn = 0;
  let isMatch = false;
  const choose = (record) => () => {
    const problem = take(record) || "";
    show([], problem);
    if (!problem) input.value = "";
    say(problem || (field ? `Added a line with ${noun} ${record.id}.` : `Filled in ${noun} ${record.id}.`));
  };
  const show = (records, told = "") => {
    results.replaceChildren(...records.map((record) => make("li", {}, button(recordWords(record), choose(record), { class: "small" }))));
    results.hidden = !records.length;
    status.textContent = told;
  };
  const found = async (query) => {
    const answer = await send({ verb: "GET", path: list, query: String(new URLSearchParams({ ...query, limit: FINDER_RESULTS })), headers: {} });
    const records = answer.status === 200 ? parsedJson(await answer.blob.text()) : [];
    return [records].flat().filter((each) => each && each.id);
  };
  const find = async () => {
    const own = (turn += 1);
    const words = input.value.trim();
    const records = words ? await found({ q: words }) : [];
    // Suggestions for a user who can't guess a name
    const others = words && !records.length ? await found({}) : [];
    if (own !== turn) return;
    isMatch = records.length > 0;
    const told = !words || isMatch ? "" : others.length ? `No ${noun} matches “${words}”. The first ones:` : `There is no ${noun}.`;
    show([...records, ...others], told);
  };
  const input = make("input", {
    id, type: "text", autocomplete: "off", spellcheck: "false", placeholder: "Name or reference",
    keydown: (event) => {
      keepEnter(event);
      const first = results.querySelector("button");
      if (!first || !isMatch || !["ArrowDown", "Enter"].includes(event.key) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (event.key === "ArrowDown") first.focus();
      else first.click();
    },
    // The search text isn't part of the request
    input: (event) => {
      event.stopPropagation();
      clearTimeout(timer);
      // The records are those of the words before
      isMatch = false;
      timer = setTimeout(find, FINDER_WAIT);
    },
  });
  return make("div", { class: "finder" },
    make("label", { for: id }, `${field ? "Add a line: find" : "Find"} ${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`), input, status, results);
}

const recordWords = (record) =>
  [...FINDER_NAMES.map((name) => record[name]).filter((each) => each && each !== record.id).slice(0, 3), `(${record.id})`].join(" ");

/** Write a record's ID into the body, as a field's value or a new line. The first line replaces the example's. */
function writeRecord({ path, field }, record, { words, isExample, write }) {
  const id = Number.isSafeInteger(Number(record.id)) ? Number(record.id) : record.id;
  const value = field ? { [field]: id, qty: 1 } : id;
  const added = field ? [value] : value;
  if (!words().trim()) return write(JSON.stringify(path.length ? { [path[0]]: added } : added, null, 2));
  let tree;
  try {
    tree = jsonTree(words());
  } catch {
    return "Not filled in: the body isn't valid JSON.";
  }
  const node = jsonNodeAt(tree, path);
  const isThere = !path.length || jsonMember(tree, path[0]);
  if (field && isThere && node.kind === "array" && !isExample(path)) {
    const made = appendedField(words(), node, [-1], value);
    return write(made.words, made.from, made.to);
  }
  if (isThere) {
    const indent = /[^\n]*$/.exec(words().slice(0, node.at))[0].match(/^ */)[0];
    return write(JSON.stringify(added, null, 2).replaceAll("\n", `\n${indent}`), node.at, node.end);
  }
  const made = insertedField(words(), path, added);
  return made && made.words !== undefined && write(made.words, made.from, made.to);
}
