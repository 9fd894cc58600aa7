// Values to choose from, with what they mean: `x-values` of a schema.

const FEW = 3; // a range of at most so many whole numbers is chosen from rather than typed

/** The values that a parameter offers, as texts; none where it is typed. */
function parameterChoices(schema) {
  const types = typesOf(schema).filter((type) => type !== "null");
  if (schema.enum) return uniqueTexts(schema.enum.filter((each) => each !== ""));
  // What single values mean is all that is said of some; others can still come from an address
  if (schema["x-values"]) return Object.keys(schema["x-values"]);
  if (types.length !== 1) return [];
  if (types[0] === "boolean") return ["true", "false"];
  const size = types[0] === "integer" ? schema.maximum - schema.minimum + 1 : 0;
  return size >= 1 && size <= FEW ? Array.from({ length: size }, (_, place) => String(schema.minimum + place)) : [];
}

/** The values that a column may have, as texts; none where it may hold anything. */
function choicesOf(schema) {
  const parts = [schema, ...(schema.anyOf || [])];
  const known = parts.flatMap((each) => each.enum || []);
  // A boolean may be stored as a number, to be compared with 1 and 0; real booleans take these, too
  const values = known.length || !parts.some((each) => typesOf(each).includes("boolean")) ? known : [1, 0];
  return uniqueTexts(values);
}

const uniqueTexts = (values) => [...new Set(values.filter((each) => each !== null).map(String))];

/** A value with what it means. */
function choiceWords(value, schema) {
  const meanings = [schema, ...(schema.anyOf || [])].map((each) => each["x-values"] || {});
  const found = meanings.find((each) => Object.hasOwn(each, value));
  return found ? `${value} ${found[value]}` : value;
}

/** The options of a select for such values, after one that stands for no value. */
const choiceOptions = (values, schema, none) => [
  make("option", { value: "" }, none),
  ...values.map((value) => make("option", { value }, choiceWords(value, schema))),
];

/** Choose a value, even one that is not offered: nothing that somebody wrote is lost. */
function chooseValue(select, value) {
  if (![...select.options].some((each) => each.value === value)) select.append(make("option", { value }, value));
  select.value = value;
}
