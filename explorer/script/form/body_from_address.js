// Body fields in the page's address, such as the customer of a new order.

/** Fields of a line besides those of the example that a copy of the line needs, unless they are empty or 0. */
const COPIED_OF_LINE = ["fk_product", "product_type", "remise_percent", "localtax1_tx", "localtax2_tx"];

/**
 * Return the body with the fields of an address, as a snapshot for a form; {} without such fields. Of JSON, it is the
 * example with those fields, and `given` holds them.
 */
function bodySnapshot(operation, query) {
  const { body, parameters, spec } = operation;
  if (!body) return {};
  const { properties } = propertiesOf(body.schema, spec);
  const taken = new Set(parameters.map(({ name }) => name));
  const meant = [...query].filter(([name]) => Object.hasOwn(properties, name) && !taken.has(name));
  if (!meant.length) return {};
  if (body.type === "multipart/form-data") return Object.fromEntries(meant.map(([name, words]) => [`body:${name}`, words]));
  if (body.type !== "application/json") return {};
  const values = meant.map(([name, words]) => [name, valueInBody(words, properties[name], spec)]);
  const first = body.example && typeof body.example === "object" && !Array.isArray(body.example) ? body.example : {};
  const given = Object.fromEntries(values);
  return { given, body: JSON.stringify({ ...first, ...given }, null, 2) };
}

/** Replace the example's lines by those of the record that the address refers to, such as the invoice of a credit note. */
async function takeLines(operation, body, { given, body: words }) {
  const lines = await linesOfSource(operation, given);
  if (!lines || body.snapshot().body !== words) return;
  body.fill({ body: JSON.stringify({ ...JSON.parse(words), lines }, null, 2) });
}

/** Return the lines of the record of the same service that a given field refers to, as a body has them; otherwise null. */
async function linesOfSource({ id: called, body: { schema, example }, spec }, given) {
  const [like] = example && Array.isArray(example.lines) ? example.lines : [];
  if (!like) return null;
  for (const [field, id] of Object.entries(given)) {
    const { "x-reads": reader } = innerAlternatives(alternativesOf(schema, spec), field, spec).find((each) => each["x-reads"]) || {};
    const { path } = callable(called).find((each) => each.id === reader) || {};
    const answer = path && (await send({ verb: "GET", path: path.replace(/\{\w+\}$/, encodeURIComponent(id)), query: "", headers: {} }));
    const { lines = [] } = (answer && answer.status === 200 && parsedJson(await answer.blob.text())) || {};
    if (lines.length && Object.keys(like).every((key) => Object.hasOwn(lines[0], key))) return lines.map((line) => lineLike(line, like));
  }
  return null;
}

/** Return the fields of a line that the example has, and others that a copy needs. */
function lineLike(line, like) {
  const others = COPIED_OF_LINE.filter((key) => !Object.hasOwn(like, key) && Number(line[key]));
  return Object.fromEntries([...Object.keys(like), ...others].map((key) => [key, presentValue(line[key], like[key])]));
}

/** Return a number if the field may contain one, else the text. */
function valueInBody(words, schema, spec) {
  const kinds = alternativesOf(schema, spec).flatMap(typesOf);
  const isNumber = kinds.some((kind) => kind === "integer" || kind === "number");
  return isNumber && Number.isSafeInteger(Number(words)) && words.trim() ? Number(words) : words;
}
