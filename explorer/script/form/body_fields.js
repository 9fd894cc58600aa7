// The fields that a body may have: to look through, and to put into the JSON with a click.

const FIELDS_SEARCHED = 8; // with more fields than this there is a search
const FIELDS_DEEP = 3; // levels that the search looks into

/** The folded, searchable list of a body's fields; null where it has none. */
function bodyFieldsFold(operation, insert) {
  const { properties } = propertiesOf(operation.body.schema, operation.spec);
  const size = Object.keys(properties).length;
  if (!size) return null;
  return fold({ class: "fields" }, [counted(size, "field")], () => {
    const list = fieldList(operation.body.schema, operation.spec, [], insert);
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
    // Made when it is opened: a record may hold records of its own kind
    const steps = said.items ? [...here, -1] : here;
    item.inner = fold({}, [`fields of ${name}`], () => (item.list = fieldList(inner, spec, steps, insert)));
    item.append(item.inner);
  }
  return item;
}

/** Show what holds the words, with the records around it; true where anything does. */
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

/** A value to start from, by its schema. */
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
  // 1, or the nearest to it within the limits: the minimum is often just that of the column
  const number = Math.min(Math.max(1, said.minimum ?? 1), said.maximum ?? Infinity);
  return { string: "", integer: number, number, boolean: true }[type] ?? null;
}

/**
 * How to put a field into a JSON text: {words, from, to, path}, without `words` where it stands already; a list that
 * stands there gets one more element. null: the text is no object. -1 in a path is the last of a list.
 */
function insertedField(words, path, value) {
  const made = (start, inside) => ({ words: `{\n  ${start}${inside}\n}`, from: 0, to: words.length });
  if (!words.trim()) return made(`${JSON.stringify(path[0])}: `, spelledField(path, value, "  "));
  let node;
  try {
    node = jsonTree(words);
  } catch {
    return null;
  }
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

/** Where the first value in a node begins and ends, so that another one can be typed over it; quotes stay outside. */
function firstValue(node) {
  const [inner] = node.kind === "array" ? node.items : (node.members || []).map((each) => each.node);
  if (inner) return firstValue(inner);
  const holds = ["array", "object"].includes(node.kind);
  const quote = holds || node.kind === "string" ? 1 : 0;
  return [node.at + quote, holds ? node.at + quote : node.end - quote];
}

/** The value under the first step of a path, with the records around it. */
function spelledField(path, value, indent, unit = 2) {
  const whole = path.slice(1).reduceRight((inner, step) => (step === -1 ? [inner] : { [step]: inner }), value);
  return JSON.stringify(whole, null, unit).replaceAll("\n", `\n${indent}`);
}

/** The field as text, behind the last part of `node`, indented as its parts are. */
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
