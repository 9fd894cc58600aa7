// The fields of a body: a list to search, which adds a field to the JSON with a click.

// A longer list has a search box
const FIELDS_SEARCHED = 8;
// A longer list is folded
const FIELDS_OPEN = 5;
// Levels that the search covers
const FIELDS_DEEP = 3;

/** Return the searchable list of a body's fields, or of those of its elements; null if it has no fields. */
function bodyFieldsFold(operation, insert) {
  const { body: { schema, example }, spec } = operation;
  const elements = elementsOf(schema, spec);
  // The fields belong to what the editor shows: the last element of a list, or the object
  const isList = elements && (Array.isArray(example) || elements === resolve(schema, spec).items);
  const parts = isList ? elements : schema;
  const size = Object.keys(propertiesOf(parts, spec).properties).length;
  if (!size) return null;
  const words = isList ? [counted(size, "field"), " of an element"] : [counted(size, "field")];
  return fold({ class: "fields", open: size <= FIELDS_OPEN }, words, () => {
    const list = fieldList(parts, spec, isList ? [-1] : [], insert);
    const search = make("input", {
      type: "search",
      placeholder: "Search fields",
      "aria-label": "Search fields",
      autocomplete: "off",
      spellcheck: "false",
      keydown: keepEnter,
      input: (event) => (event.stopPropagation(), searchFields(list, search.value.toLowerCase().trim(), FIELDS_DEEP)),
    });
    return [
      make("p", { class: "quiet" }, "Click a field to add it to the body."),
      size > FIELDS_SEARCHED ? search : null,
      list,
    ];
  });
}

/** Return the schema of the elements of a list, or of the list among alternatives; undefined if the schema allows none. */
function elementsOf(schema, spec) {
  const said = resolve(schema, spec);
  return said.items || (said.anyOf || said.oneOf || []).map((each) => resolve(each, spec).items).find(Boolean);
}

function fieldList(schema, spec, path, insert) {
  const { properties, required } = propertiesOf(schema, spec);
  const needed = (name) => required.includes(name);
  const names = Object.keys(properties).sort((one, other) => needed(other) - needed(one));
  return make(
    "ul",
    {},
    names.map((name) => fieldItem(name, properties[name], needed(name), spec, path, insert)),
  );
}

function fieldItem(name, schema, required, spec, path, insert) {
  const said = resolve(schema, spec);
  const many = resolve(said.items || {}, spec);
  const inner = said.items ? many : said;
  const here = [...path, name];
  const item = make(
    "li",
    {},
    button(name, () => insert(here, exampleOf(schema, spec)), { class: "field-name", title: "Add to the body" }),
    make(
      "span",
      {},
      text("span", "needed", required && "required "),
      text("span", "type", typeText(schema)),
      authorsWords(said.description),
    ),
  );
  item.title = `${name} ${said.title || ""}`.toLowerCase();
  item.words = `${item.title} ${said.description || ""}`.toLowerCase();
  if (Object.keys(propertiesOf(inner, spec).properties).length) {
    // Built when opened, because a record may contain records of its own kind
    const steps = said.items ? [...here, -1] : here;
    item.inner = fold({}, [`fields of ${name}`], () => (item.list = fieldList(inner, spec, steps, insert)));
    item.append(item.inner);
  }
  return item;
}

/** Show the fields that contain the words, and their parents; return whether any field matches. */
function searchFields(list, wanted, depth) {
  const shown = [...list.children].map((item) => {
    let inside = false;
    if (wanted && item.inner && depth > 1) {
      item.inner.fill();
      inside = searchFields(item.list, wanted, depth - 1);
      item.inner.open = inside;
    } else if (item.list) searchFields(item.list, "", depth - 1);
    const named = wanted && item.title.includes(wanted);
    const own = item.words.includes(wanted);
    if (item.list && (named || (own && !inside))) searchFields(item.list, "", depth - 1);
    if (item.inner && named) item.inner.open = true;
    item.hidden = !own && !inside;
    return own || inside;
  });
  return shown.some(Boolean);
}

/** Return an example value of a schema. */
function exampleOf(schema, spec, depth = 0) {
  const said = resolve(schema, spec);
  if (depth > 4) return null;
  if (said.examples && said.type !== "object") return said.examples[0];
  for (const known of ["example", "default"]) if (known in said) return said[known];
  if (said.enum) return said.enum[0];
  if (isDate(said))
    return (
      new Date().toISOString().slice(0, said.format === "date-time" ? 19 : 10) +
      (said.format === "date-time" ? "Z" : "")
    );
  const part = (said.anyOf || said.oneOf || [])[0];
  if (part) return exampleOf(part, spec, depth + 1);
  const type = typesOf(said)[0] || (said.allOf || said.properties ? "object" : "null");
  if (type === "array") return Object.keys(said.items || {}).length ? [exampleOf(said.items, spec, depth + 1)] : [];
  if (type === "object") {
    const { properties, required } = propertiesOf(said, spec);
    const names = required.filter((name) => Object.hasOwn(properties, name));
    const made = names.map((name) => [name, exampleOf(properties[name], spec, depth + 1)]);
    const given = datedToday((said.examples || [{}])[0], alternativesOf(said, spec), spec);
    return Object.fromEntries([...made, ...Object.entries(given)]);
  }
  // 1, or the nearest valid number: the minimum is often only that of the column
  const number = Math.min(Math.max(1, said.minimum ?? 1), said.maximum ?? Infinity);
  return { string: "", integer: number, number, boolean: true }[type] ?? null;
}

/**
 * Return the edit that adds a field to a JSON text: {words, from, to, path}; null if the text isn't an object.
 * Without `words`, the field exists already; an existing list gets one more element. -1 in a path is the last element.
 */
function insertedField(words, path, value) {
  const made = (start, inside) => ({ words: `{\n  ${start}${inside}\n}`, from: 0, to: words.length });
  if (!words.trim() && path[0] === -1) return { words: spelledField(["", ...path], value, ""), from: 0, to: words.length };
  if (!words.trim()) return made(`${JSON.stringify(path[0])}: `, spelledField(path, value, "  "));
  let node;
  try {
    node = jsonTree(words);
  } catch {
    return null;
  }
  // Instead of a list, a user may send one element
  if (path[0] === -1 && node.kind === "object") return withPath(insertedField(words, path.slice(1), value), path.slice(1));
  for (let depth = 0; depth < path.length; depth += 1) {
    const step = path[depth];
    const inner = node.kind === "array" ? node.items.at(-1) : jsonMember(node, step);
    if (!inner)
      return node.kind === (step === -1 ? "array" : "object")
        ? appendedField(words, node, path.slice(depth), value)
        : null;
    node = inner;
  }
  if (node.kind !== "array" || !Array.isArray(value) || !value.length) return {};
  return { ...appendedField(words, node, [-1], value[0]), path: [...path, -1] };
}

/** Return an edit with the path of the added field. */
const withPath = (edit, path) => edit && { path, ...edit };

/** Return where the first value in a node starts and ends, without quotes, to select it for overtyping. */
function firstValue(node) {
  const [inner] = node.kind === "array" ? node.items : (node.members || []).map((each) => each.node);
  if (inner) return firstValue(inner);
  const holds = ["array", "object"].includes(node.kind);
  const quote = holds || node.kind === "string" ? 1 : 0;
  return [node.at + quote, holds ? node.at + quote : node.end - quote];
}

/** Return the JSON for the first step of a path: the value inside the objects and lists of the other steps. */
function spelledField(path, value, indent, unit = 2) {
  const whole = path.slice(1).reduceRight((inner, step) => (step === -1 ? [inner] : { [step]: inner }), value);
  return JSON.stringify(whole, null, unit).replaceAll("\n", `\n${indent}`);
}

/** Return the edit that adds a field after the last part of `node`, with the same indentation. */
function appendedField(words, node, path, value) {
  const parts = node.kind === "array" ? node.items : node.members;
  const before = (at) => words.slice(words.lastIndexOf("\n", at - 1) + 1, at);
  const outer = before(node.at).match(/^[ \t]*/)[0];
  const name = node.kind === "array" ? "" : `${JSON.stringify(path[0])}: `;
  if (!parts.length) {
    const inside = `\n${outer}  ${name}${spelledField(path, value, `${outer}  `)}\n${outer}`;
    return { words: inside, from: node.at + 1, to: node.end - 1 };
  }
  const last = parts.at(-1).end ?? parts.at(-1).node.end;
  const first = before(parts[0].at);
  const inline = /[^ \t]/.test(first);
  const inside = inline
    ? `, ${name}${spelledField(path, value, "", 0)}`
    : `,\n${first}${name}${spelledField(path, value, first)}`;
  return { words: inside, from: last, to: last };
}
