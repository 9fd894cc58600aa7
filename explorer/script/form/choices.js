// Values to choose from, with their meanings: `x-values` of a schema.

// Whole numbers; a range of at most this size is a choice
const FEW = 3;

/** Return the values that a parameter offers, as texts; [] if the user types the value. */
function parameterChoices(schema) {
  const types = typesOf(schema).filter((type) => type !== "null");
  if (schema.enum) return uniqueTexts(schema.enum.filter((each) => each !== ""));
  // Some schemas describe only single values; others can still come from an address
  if (schema["x-values"]) return Object.keys(schema["x-values"]);
  if (types.length !== 1) return [];
  if (types[0] === "boolean") return ["true", "false"];
  const size = types[0] === "integer" ? schema.maximum - schema.minimum + 1 : 0;
  return size >= 1 && size <= FEW ? Array.from({ length: size }, (_, place) => String(schema.minimum + place)) : [];
}

/** Return the values that a column may have, as texts; [] if it may have any value. */
function choicesOf(schema) {
  const parts = [schema, ...(schema.anyOf || [])];
  const known = parts.flatMap((each) => each.enum || []);
  // Compare with 1 and 0: a boolean may be stored as a number, and real booleans accept these as well
  const values = known.length || !parts.some((each) => typesOf(each).includes("boolean")) ? known : [1, 0];
  return uniqueTexts(values);
}

const uniqueTexts = (values) => [...new Set(values.filter((each) => each !== null).map(String))];

/** Return a value with its meaning. */
function choiceWords(value, schema) {
  const meanings = [schema, ...(schema.anyOf || [])].map((each) => each["x-values"] || {});
  const found = meanings.find((each) => Object.hasOwn(each, value));
  return found ? `${value} ${found[value]}` : value;
}

/** Return the options of a select; the first one means no value. */
const choiceOptions = (values, schema, none) => [
  make("option", { value: "" }, none),
  ...values.map((value) => make("option", { value }, choiceWords(value, schema))),
];

/** Choose a value. A value that isn't offered becomes an option, so no input is lost. */
function chooseValue(select, value) {
  if (![...select.options].some((each) => each.value === value)) select.append(make("option", { value }, value));
  select.value = value;
}
