// Schemas in words. Named schemas are resolved in their own document.

const nameOf = (schema) => schema.$ref.split("/").pop();

/** Resolve a `$ref` to a schema, a parameter or a response of the same document. */
function resolve(each, spec) {
  let found = each;
  for (let depth = 0; found && found.$ref && depth < 20; depth += 1) {
    found = found.$ref.slice(2).split("/").reduce((inside, key) => inside && inside[key], spec);
  }
  return found || {};
}

// Patterns of the server that represent a type, in plain words; an author's pattern is shown unchanged
const PATTERN_TYPES = {
  "^-?[0-9]+$": ["whole number", "12"],
  "^-?[0-9]+(\\.[0-9]+)?$": ["number", "12.50"],
  "^[0-9,]*$": ["comma-separated list of IDs", ""],
  "^(-?[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$": ["date or Unix seconds", ""],
};
// Larger limits come from the column type, not from an author
const FARTHEST = 1e9;

/** The type that a pattern expresses, in words, or "". */
function patternType({ pattern, type }) {
  const plain = String(pattern).replace(/^\^\$\|/, "").replace(/\\\.\[0-9\]\{\d+\}\$$/, "(\\.[0-9]+)?$");
  const [words, shown] = Object.hasOwn(PATTERN_TYPES, plain) ? PATTERN_TYPES[plain] : [""];
  if (!shown) return words;
  const isText = [type].flat().every((each) => ["string", "null"].includes(each));
  return isText ? `${words} as text, such as ${JSON.stringify(shown)}` : `${words} such as ${shown}`;
}

/** The plural of a plain type; another type as it is. */
const severalOf = (type) => (["string", "integer", "number", "boolean", "object", "whole number"].includes(type) ? `${type}s` : type);

/** A schema's type in a few words. */
function typeOf(schema) {
  if (schema.$ref) return nameOf(schema);
  const known = patternType(schema);
  if (known) return [known, [schema.type].flat().includes("null") && "null"].filter(Boolean).join(" or ");
  for (const many of ["anyOf", "oneOf", "allOf"]) {
    if (schema[many]) return schema[many].map(typeOf).join(many === "allOf" ? " with " : " or ");
  }
  if (schema.type === "array") return Object.keys(schema.items || {}).length ? `list of ${severalOf(typeOf(schema.items))}` : "list";
  if (schema.format === "binary") return "a file";
  return [schema.type || "anything"].flat().join(" or ");
}

/** Values of a list's items, without the paths to records in records. */
const itemsOf = ({ items = {} }) => [items, ...(items.anyOf || [])].flatMap((each) => each.enum || []).filter((each) => !String(each).includes(".")).slice(0, 4);

/** A schema's limits, each in a few words. */
function limitsOf(schema) {
  const range = (least, most, unit) => {
    const [from, to] = [least, most].map((name) => (Math.abs(schema[name]) <= FARTHEST ? String(schema[name]) : ""));
    if (!from) return to && `up to ${to}${unit}`;
    return to ? `${from} to ${to}${unit}` : `from ${from}${unit}`;
  };
  return [
    range("minimum", "maximum", ""),
    range("minLength", "maxLength", " characters"),
    range("minItems", "maxItems", " values"),
    schema.enum && `one of ${schema.enum.map((each) => (each === "" ? '""' : each)).join(", ")}`,
    !patternType(schema) && !["binary", "int32", "int64"].includes(schema.format) && schema.format,
    !patternType(schema) && schema.pattern && `matches ${schema.pattern}`,
    itemsOf(schema).length > 0 && `such as ${itemsOf(schema).join(", ")}`,
    schema.type !== "object" && schema.examples && `such as ${schema.examples[0]}`,
    ![undefined, ""].includes(schema.default) && `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
}

const typeText = (schema) => [typeOf(schema), ...limitsOf(schema)].join(", ");

/** Every property of an object schema, those of its parts included, and which of them are required. */
function propertiesOf(schema, spec) {
  const whole = resolve(schema, spec);
  const parts = (whole.allOf || [whole]).map((part) => resolve(part, spec));
  return {
    // An author may call a field `__proto__`, which would be lost if it were assigned
    properties: Object.fromEntries(parts.flatMap((part) => Object.entries(part.properties || {}))),
    required: parts.flatMap((part) => part.required || []),
  };
}
