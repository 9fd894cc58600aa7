// What the schema of an answer says of its values: which identifiers lead to a record, which numbers are instants.

const POSITIVE = /^[1-9]\d{0,18}$/;
const INSTANT = /^-?\d{1,12}$/;

/** Every schema a value may have: references looked up, alternatives and parts side by side. */
function alternativesOf(schema, spec, seen = new Set()) {
  if (!schema || typeof schema !== "object" || seen.has(schema)) return [];
  seen.add(schema);
  const nested = ["oneOf", "anyOf", "allOf"].flatMap((many) => (Array.isArray(schema[many]) ? schema[many] : []));
  const inside = schema.$ref ? [resolve(schema, spec)] : nested;
  return [schema, ...inside.flatMap((each) => alternativesOf(each, spec, seen))];
}

/** The schemas of what stands inside a value: of one property, or of an array's items. */
function innerAlternatives(alternatives, key, spec) {
  return alternatives.flatMap((each) => {
    if (typeof key === "number") return alternativesOf(each.items, spec);
    const own = Object.hasOwn(each.properties || {}, key);
    return alternativesOf(own ? each.properties[key] : each.additionalProperties, spec);
  });
}

/** The schemas of what an operation answers with a status. */
function answerAlternatives(operation, status) {
  const { responses = {}, spec } = operation;
  const documented = resolve(responses[status] || responses.default, spec);
  return alternativesOf(((documented.content || {})["application/json"] || {}).schema, spec);
}

/** The address of the operation that reads what a value names, if one does. */
function readsOf(alternatives, words) {
  const found = alternatives.find((each) => typeof each["x-reads"] === "string");
  return found && POSITIVE.test(words) ? readerAddress(found["x-reads"], words) : null;
}

const readerAddress = (reader, id) => `${addressOfOperation(reader)}?id=${id}`;
