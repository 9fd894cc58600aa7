// The filter language of lists: converts conditions to text, and simple texts to conditions.

const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;
const escapePattern = (words) => words.replace(/[\\%_]/g, "\\$&");
const plainPattern = (words) => words.replace(/\\([^])/g, "$1");
const hasWildcards = (words) => /[%_]/.test(words.replace(/\\[^]/g, ""));

/** Return a value in the server's syntax: numbers unchanged, other text quoted, with quotes doubled. */
const filterValue = (value) => (PLAIN_NUMBER.test(value) ? value : `'${value.replaceAll("'", "''")}'`);

/** Return conditions {joint, column, operator, value} as text, without those that lack their value. */
function filterText(conditions, operators) {
  return conditions
    .filter((each) => isWhole(each, operators))
    .map(({ joint, column, operator, value }, place) => {
      const { sent = operator, patternOf = String } = operators[operator];
      const values = takesSeveral(operators[operator])
        ? filterValues(value).map(filterValue).join(",")
        : filterValue(patternOf(value));
      return `${place ? ` ${joint} ` : ""}(${column}:${sent}:${takesNone(operators[operator]) ? "NULL" : values})`;
    })
    .join("");
}

const filterValues = (words) =>
  words
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
const isWhole = ({ operator, value }, operators) => {
  if (takesNone(operators[operator])) return true;
  if (!takesSeveral(operators[operator])) return value !== "";
  const values = filterValues(value);
  return values.length > 0 && !countProblem(operators[operator], values);
};

const CONDITION =
  /\s*\(\s*([a-z0-9_.]+)\s*:\s*([a-z!<>=][a-z<>= ]*?)\s*:\s*((?:'(?:[^']|'')*'|[^'(),]*)(?:\s*,\s*(?:'(?:[^']|'')*'|[^'(),]*))*)\s*\)\s*/iy;
const JOINT = /(and|or)(?![a-z0-9_])/iy;

/** Return the conditions of a simple filter, without groups and `not`; null for any other text. */
function filterConditions(words, operators) {
  const conditions = [];
  let joint = "and";
  for (let at = 0; at < words.length;) {
    CONDITION.lastIndex = at;
    const found = CONDITION.exec(words);
    const condition = found && readCondition(operators, joint, ...found.slice(1));
    if (!condition) return null;
    conditions.push(condition);
    at = CONDITION.lastIndex;
    if (at === words.length) break;
    JOINT.lastIndex = at;
    const joined = JOINT.exec(words);
    if (!joined || JOINT.lastIndex === words.length) return null;
    joint = joined[1].toLowerCase();
    at = JOINT.lastIndex;
  }
  return conditions;
}

function readCondition(operators, joint, field, written, raw) {
  const operator = { "!=": "<>" }[written] || written.toLowerCase().replace(/\s+/g, "");
  if (!Object.hasOwn(operators, operator) || operators[operator].sent) return null;
  const values =
    raw
      .match(/'(?:[^']|'')*'|[^',]+/g)
      ?.map((each) => each.trim())
      .filter(Boolean) || [];
  const plain = values.map((each) => (each.startsWith("'") ? each.slice(1, -1).replaceAll("''", "'") : each));
  const column = (field.includes(".") ? field : `t.${field}`).toLowerCase();
  const made = (name, value) => ({ joint, column, operator: name, value });
  if (takesNone(operators[operator])) return raw.toLowerCase() === "null" ? made(operator, "") : null;
  if (takesSeveral(operators[operator]))
    return plain.length && !plain.some((each) => each.includes(",") || each !== each.trim() || !each)
      ? made(operator, plain.join(", "))
      : null;
  if (plain.length !== 1 || plain[0] === "") return null;
  const [value] = plain;
  if (operator === "like") {
    const [, before, middle] = /^(%?)([^]*?)%$/.exec(value) || [];
    const ends = middle !== undefined && !/(^|[^\\])(\\\\)*\\$/.test(middle) && !hasWildcards(middle) && middle;
    if (ends && escapePattern(plainPattern(ends)) === ends)
      return made(before ? "contains" : "begins", plainPattern(ends));
  }
  return made(operator, value);
}

const SAID_IN_QUOTES = /'(?:[^']|'(?!\s*[),]|$))*'/g;

/** Return why a text isn't a filter, or "" if it may be one. */
function filterFault(words) {
  const bare = words.replace(SAID_IN_QUOTES, "");
  const signs = bare.replace(/[^()]/g, "");
  let open = 0;
  for (const sign of signs) {
    open += sign === "(" ? 1 : -1;
    if (open < 0) return "there is one ) too many";
  }
  if (bare.includes("'")) return "a closing quote is missing";
  if (!/[a-z0-9_.]\s*:\s*[a-z!<>= ]+:/i.test(bare))
    return "expected a condition such as (t.ref:=:'A')";
  if (open) return open === 1 ? ") is missing" : `${open} ) are missing`;
  const [, joint] = /\b(and|or|not)\s*$/i.exec(bare) || [];
  return joint ? `a condition is missing after “${joint}”` : "";
}
