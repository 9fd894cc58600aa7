// Values of an address that are no parameters: fields of the body, such as the customer of a new order.

/** What such values make of the body, for a form: the example with them in it; nothing where there are none. */
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

/** A number where the field may hold one. */
function valueInBody(words, schema, spec) {
  const kinds = alternativesOf(schema, spec).flatMap(typesOf);
  const isNumber = kinds.some((kind) => kind === "integer" || kind === "number");
  return isNumber && Number.isSafeInteger(Number(words)) && words.trim() ? Number(words) : words;
}
