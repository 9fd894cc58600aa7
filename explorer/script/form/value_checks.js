// Checks values against their schemas, as a help for the user. The server decides.

// Levels; a schema may contain itself
const CHECK_DEPTH = 60;
// Maximum number of problems
const CHECK_MOST = 100;
// Characters; a longer text isn't tested with an author's pattern
const PATTERN_LENGTH = 10000;

const TYPE_CHECKS = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};
const TYPE_WORDS = {
  string: "text",
  array: "a list",
  object: "an object",
  integer: "a whole number",
  number: "a number",
};

const letters = (value) => [...value].length;
// [keyword, measure, type of the value, whether the measure is within the limit, words, unit]
const MEASURES = [
  ["minimum", (value) => value, "number", (size, limit) => size >= limit, "at least", ""],
  ["maximum", (value) => value, "number", (size, limit) => size <= limit, "at most", ""],
  ["exclusiveMinimum", (value) => value, "number", (size, limit) => size > limit, "more than", ""],
  ["exclusiveMaximum", (value) => value, "number", (size, limit) => size < limit, "less than", ""],
  ["minLength", letters, "string", (size, limit) => size >= limit, "at least", " characters"],
  ["maxLength", letters, "string", (size, limit) => size <= limit, "at most", " characters"],
  ["minItems", (value) => value.length, "array", (size, limit) => size >= limit, "at least", " values"],
  ["maxItems", (value) => value.length, "array", (size, limit) => size <= limit, "at most", " values"],
];

const typesOf = (schema) => [schema.type || []].flat();
const wordOf = (type) => TYPE_WORDS[type] || type;
const typeOfValue = (value) =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "object" ? "object" : typeof value;

const patterns = new Map();
/** Return an author's pattern as a RegExp; null if JavaScript can't compile it. */
function patternOf(source) {
  if (!patterns.has(source)) {
    try {
      patterns.set(source, new RegExp(source, "u"));
    } catch {
      patterns.set(source, null);
    }
  }
  return patterns.get(source);
}

/**
 * Return everything that is wrong with a value: [{path, message, kind}].
 * Kind "type" is a wrong type. Kind "ignored" is an unknown key, which isn't an error; `known` lists the valid keys.
 */
function checkValue(value, schema, spec, path = [], depth = 0) {
  if (depth > CHECK_DEPTH || schema === true || !schema) return [];
  const said = resolve(schema, spec);
  const problem = (message, kind = "limit") => [{ path, message, kind }];
  const types = typesOf(said);
  if (types.length && !types.some((type) => TYPE_CHECKS[type] && TYPE_CHECKS[type](value))) {
    return problem(`expected ${types.map(wordOf).join(" or ")}, got ${wordOf(typeOfValue(value))}`, "type");
  }
  const choices = "const" in said ? [said.const] : said.enum;
  if (choices && !choices.some((each) => JSON.stringify(each) === JSON.stringify(value))) {
    return problem(`expected one of ${choices.map((each) => JSON.stringify(each)).join(", ")}`);
  }
  const found = [
    ...checkMeasures(value, said).flatMap((message) => problem(message)),
    ...checkBranches(value, said, spec, path, depth),
    ...(TYPE_CHECKS.array(value) && said.items
      ? value.flatMap((each, place) => checkValue(each, said.items, spec, [...path, place], depth + 1))
      : []),
    ...(TYPE_CHECKS.object(value) ? checkMembers(value, said, spec, path, depth) : []),
  ];
  const [wrong, ignored] = [false, true].map((is) => found.filter(({ kind }) => (kind === "ignored") === is));
  return [...wrong.slice(0, CHECK_MOST), ...ignored.slice(0, CHECK_MOST)];
}

function checkMeasures(value, schema) {
  const wrong = MEASURES.filter(
    ([keyword, measure, type, fits]) =>
      keyword in schema && TYPE_CHECKS[type](value) && !fits(measure(value), schema[keyword]),
  ).map(
    ([keyword, , , , words, unit]) =>
      `expected ${words} ${schema[keyword]}${schema[keyword] === 1 ? unit.replace(/s$/, "") : unit}`,
  );
  if (typeof value !== "string") return wrong;
  if (isDate(schema)) return [...wrong, dateProblem(value)].filter(Boolean);
  const pattern = schema.pattern && value.length < PATTERN_LENGTH && patternOf(schema.pattern);
  const words = patternType(schema);
  if (!pattern || pattern.test(value)) return wrong;
  return [...wrong, `expected ${words ? `a ${words}` : `text matching ${schema.pattern}`}`];
}

/** Check allOf, anyOf and oneOf; if no alternative fits, return the problems with the nearest one. */
function checkBranches(value, schema, spec, path, depth) {
  const results = (name) => (schema[name] || []).map((part) => checkValue(value, part, spec, path, depth + 1));
  const found = results("allOf").flat();
  for (const name of ["anyOf", "oneOf"]) {
    const each = results(name);
    const fitting = each.filter((problems) => problems.every(({ kind }) => kind === "ignored"));
    if (each.length) found.push(...(fitting[0] || nearestAlternative(each, path, schema)));
    if (name === "oneOf" && fitting.length > 1)
      found.push({ path, message: "matches several alternatives", kind: "limit" });
  }
  if (!found.length) return found;
  // A key that one part ignores may be valid in another; several parts may report the same problem
  const known = keysOf(schema, spec);
  const isOwn = (each) => each.kind === "ignored" && each.path.length === path.length + 1;
  const kept = found
    .filter((each) => !isOwn(each) || !known.has(each.path[path.length]))
    .map((each) => (isOwn(each) ? { ...each, known } : each));
  return kept.filter((each, place) => kept.findIndex((other) => sameProblem(each, other)) === place);
}

const sameProblem = (one, other) => one.message === other.message && pathText(one.path) === pathText(other.path);

function nearestAlternative(results, path, schema) {
  const typed = results.filter((each) => !each.some((one) => one.kind === "type" && one.path.length === path.length));
  if (typed.length) return typed.sort((one, other) => one.length - other.length)[0];
  return [{ path, message: `expected ${typeOf(schema)}`, kind: "type" }];
}

/** Return the keys of a schema and of its parts. */
function keysOf(schema, spec, depth = 0) {
  const said = resolve(schema, spec);
  const parts = depth > 10 ? [] : [said.allOf, said.anyOf, said.oneOf].flat().filter(Boolean);
  return new Set([
    ...Object.keys(said.properties || {}),
    ...parts.flatMap((part) => [...keysOf(part, spec, depth + 1)]),
  ]);
}

function checkMembers(value, schema, spec, path, depth) {
  const at = (key, message, kind = "limit") => ({ path: [...path, key], message, kind });
  const known = schema.properties || {};
  const others = schema.additionalProperties;
  const missing = (schema.required || []).filter((key) => !Object.hasOwn(value, key)).map((key) => at(key, "required"));
  const inside = Object.entries(value).flatMap(([key, each]) => {
    if (Object.hasOwn(known, key)) return checkValue(each, known[key], spec, [...path, key], depth + 1);
    if (others === false) return [at(key, "not allowed here")];
    if (typeof others === "object") return checkValue(each, others, spec, [...path, key], depth + 1);
    const keys = Object.keys(known).length ? keysOf(schema, spec) : new Set([key]);
    return keys.has(key) ? [] : [{ ...at(key, "ignored by the server", "ignored"), known: keys }];
  });
  return [...missing, ...inside];
}

/**
 * Return what is wrong with the text of a parameter, or "".
 * The server reads the text as any type of the schema, so one of these readings has to be valid.
 */
function checkText(words, schema, spec) {
  const results = readingsOf(words, schema, spec).map((value) => checkValue(value, schema, spec));
  const wrong = results.map((each) => each.filter(({ kind }) => kind !== "ignored"));
  if (wrong.some((each) => !each.length)) return "";
  const [problem] = wrong.find((each) => !each.some(({ kind, path }) => kind === "type" && !path.length)) || wrong[0];
  return (problem.path.length ? `${pathText(problem.path)}: ` : "") + problem.message.replace(/, got text$/, "");
}

function readingsOf(words, schema, spec) {
  const plain = words.trim();
  const said = resolve(schema, spec);
  const parts = [said, ...[said.anyOf, said.oneOf].flat().filter(Boolean)].map((part) => resolve(part, spec));
  const readings = [words];
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(plain)) readings.push(Number(plain));
  if (/^(true|false|0|1)$/i.test(plain)) readings.push(/^(true|1)$/i.test(plain));
  for (const part of parts.filter((each) => typesOf(each).includes("array"))) {
    const items = part.items || {};
    const reading = (each) =>
      readingsOf(each, items, spec).find((value) => !checkValue(value, items, spec).length) ?? each;
    readings.push(plain.split(",").map((each) => reading(each.trim())));
  }
  if (parts.some((part) => typesOf(part).includes("object"))) {
    try {
      readings.push(JSON.parse(plain));
    } catch {
      // It stays text, and the check reports that it isn't an object
    }
  }
  return readings;
}
