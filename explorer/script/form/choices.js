// Values to choose from, with what they mean: `x-values` of a schema.

const FEW = 3; // whole numbers between two limits that are chosen rather than typed

/** What a parameter lets one choose from, as texts; none where it is typed. */
function parameterChoices(schema) {
  const types = typesOf(schema).filter((type) => type !== "null");
  if (schema.enum) return uniqueTexts(schema.enum.filter((each) => each !== ""));
  if (types.length !== 1) return [];
  if (types[0] === "boolean") return ["true", "false"];
  const size = types[0] === "integer" ? schema.maximum - schema.minimum + 1 : 0;
  return size >= 1 && size <= FEW ? Array.from({ length: size }, (_, place) => String(schema.minimum + place)) : [];
}

/** What a column lets one choose from, as texts; none where it may hold anything. */
function choicesOf(schema) {
  const parts = [schema, ...(schema.anyOf || [])];
  const known = parts.flatMap((each) => each.enum || []);
  // The column of a boolean may be a number, which compares with 1 and 0; a real one takes them, too
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

/** The options of a select for such values, behind one that stands for none. */
const choiceOptions = (values, schema, none) => [
  make("option", { value: "" }, none),
  ...values.map((value) => make("option", { value }, choiceWords(value, schema))),
];

/** Choose a value, though it may be none of those that are offered: nothing that somebody wrote is lost. */
function chooseValue(select, value) {
  if (![...select.options].some((each) => each.value === value)) select.append(make("option", { value }, value));
  select.value = value;
}
