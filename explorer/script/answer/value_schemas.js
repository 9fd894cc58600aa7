// The schemas of a response's values: they mark IDs that reference a record, and numbers that are instants.

const POSITIVE = /^[1-9]\d{0,18}$/;
const INSTANT = /^-?\d{1,12}$/;

/** Return every schema of a value, in one list: references resolved, with alternatives and parts. */
function alternativesOf(schema, spec, seen = new Set()) {
  if (!schema || typeof schema !== "object" || seen.has(schema)) return [];
  seen.add(schema);
  const nested = ["oneOf", "anyOf", "allOf"].flatMap((many) => (Array.isArray(schema[many]) ? schema[many] : []));
  const inside = schema.$ref ? [resolve(schema, spec)] : nested;
  return [schema, ...inside.flatMap((each) => alternativesOf(each, spec, seen))];
}

/** Return the schemas of an inner value: of a property, or of an array's items. */
function innerAlternatives(alternatives, key, spec) {
  return alternatives.flatMap((each) => {
    if (typeof key === "number") return alternativesOf(each.items, spec);
    const own = Object.hasOwn(each.properties || {}, key);
    return alternativesOf(own ? each.properties[key] : each.additionalProperties, spec);
  });
}

/** Return the schemas of an operation's response with a status. */
function answerAlternatives(operation, status) {
  const { responses = {}, spec } = operation;
  const documented = resolve(responses[status] || responses.default, spec);
  return alternativesOf(((documented.content || {})["application/json"] || {}).schema, spec);
}

/** Return the address that reads the record with this ID; null if the value references no record. */
function readsOf(alternatives, words) {
  const found = alternatives.find((each) => typeof each["x-reads"] === "string");
  return found && POSITIVE.test(words) ? readerAddress(found["x-reads"], words) : null;
}

const readerAddress = (reader, id) => `${addressOfOperation(reader)}?id=${id}`;
