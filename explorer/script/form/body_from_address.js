// Body fields in the page's address, such as the customer of a new order.

/** Return the example body with the fields of an address, as a snapshot for a form; {} without such fields. */
function bodySnapshot(operation, query) {
  const { body, parameters, spec } = operation;
  if (!body || body.type !== "application/json") return {};
  const { properties } = propertiesOf(body.schema, spec);
  const taken = new Set(parameters.map(({ name }) => name));
  const meant = [...query].filter(([name]) => Object.hasOwn(properties, name) && !taken.has(name));
  if (!meant.length) return {};
  const values = meant.map(([name, words]) => [name, valueInBody(words, properties[name], spec)]);
  const first = body.example && typeof body.example === "object" && !Array.isArray(body.example) ? body.example : {};
  return { body: JSON.stringify(Object.fromEntries([...Object.entries(first), ...values]), null, 2) };
}

/** Return a number if the field may contain one, else the text. */
function valueInBody(words, schema, spec) {
  const kinds = alternativesOf(schema, spec).flatMap(typesOf);
  const isNumber = kinds.some((kind) => kind === "integer" || kind === "number");
  return isNumber && Number.isSafeInteger(Number(words)) && words.trim() ? Number(words) : words;
}
