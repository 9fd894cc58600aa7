// Schemas in words. A document's named schemas are looked up in the document they came with.

const nameOf = (schema) => schema.$ref.split("/").pop();

/** What a reference stands for: a schema, a parameter or a response of the same document. */
function resolve(each, spec) {
  let found = each;
  for (let depth = 0; found && found.$ref && depth < 20; depth += 1) {
    found = found.$ref.slice(2).split("/").reduce((inside, key) => inside && inside[key], spec);
  }
  return found || {};
}

/** A schema's type in a few words. */
function typeOf(schema) {
  if (schema.$ref) return nameOf(schema);
  for (const many of ["anyOf", "oneOf", "allOf"]) {
    if (schema[many]) return schema[many].map(typeOf).join(many === "allOf" ? " with " : " or ");
  }
  if (schema.type === "array") return Object.keys(schema.items || {}).length ? `list of ${typeOf(schema.items)}` : "list";
  if (schema.format === "binary") return "a file";
  return [schema.type || "anything"].flat().join(" or ");
}

/** A schema's limits, each in a few words. */
function limitsOf(schema) {
  const range = (least, most, unit) => {
    if (!(least in schema)) return most in schema && `up to ${schema[most]}${unit}`;
    return most in schema ? `${schema[least]} to ${schema[most]}${unit}` : `from ${schema[least]}${unit}`;
  };
  return [
    range("minimum", "maximum", ""),
    range("minLength", "maxLength", " characters"),
    range("minItems", "maxItems", " values"),
    schema.enum && `one of ${schema.enum.map((each) => (each === "" ? '""' : each)).join(", ")}`,
    schema.format !== "binary" && schema.format,
    schema.pattern && `like ${schema.pattern}`,
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
