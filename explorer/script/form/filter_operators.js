// Filter operators: those in the document's `x-operators`, and two that the page makes from `like`.

/** The page's labels of operators; any other operator has the document's label. */
const OPERATOR_WORDS = {
  "=": "is",
  "<>": "is not",
  "<": "is below",
  "<=": "is at most",
  ">": "is above",
  ">=": "is at least",
  like: "matches (% any text, _ any character)",
  notlike: "does not match",
  between: "is between",
  in: "is one of",
  notin: "is not one of",
  is: "is empty",
  isnot: "is not empty",
};

/** Operators for users who don't write patterns: label, and the pattern of a value. */
const EASY_PATTERNS = {
  contains: { words: "contains", patternOf: (value) => `%${escapePattern(value)}%` },
  begins: { words: "begins with", patternOf: (value) => `${escapePattern(value)}%` },
};

const COMPARED = ["=", "<>", "<", "<=", ">", ">=", "between"];
const EMPTY = ["is", "isnot"];
/** Kind of a column → its operators; an operator that isn't listed here suits all kinds. */
const KIND_OPERATORS = {
  text: ["=", "<>", "contains", "begins", "like", "notlike", "in", "notin", ...EMPTY],
  number: [...COMPARED, "in", "notin", ...EMPTY],
  date: [...COMPARED, ...EMPTY],
  choice: ["=", "<>", "in", "notin", ...EMPTY],
  map: ["like", "notlike", ...EMPTY],
};

/** Return name → {words, values (their number; null: any), isPattern, sent and patternOf (of an easy pattern)}. */
function operatorsOf(parameter) {
  const published = parameter["x-operators"] || {};
  const own = Object.entries(published).map(([name, { values, meaning, pattern }]) =>
    [name, { words: OPERATOR_WORDS[name] || meaning || name, values, isPattern: pattern }]);
  const easy = Object.entries(published.like ? EASY_PATTERNS : {}).map(([name, each]) =>
    [name, { ...each, values: 1, isPattern: true, sent: "like" }]);
  return Object.fromEntries([...own, ...easy]);
}

/** Return the names of the operators for a kind of column. */
function operatorsFor(kind, operators) {
  const placed = Object.values(KIND_OPERATORS).flat();
  const others = Object.keys(operators).filter((name) => !placed.includes(name) && !operators[name].sent);
  return [...KIND_OPERATORS[kind], ...others].filter((name) => Object.hasOwn(operators, name));
}

const takesNone = ({ values }) => values === 0;
const takesSeveral = ({ values }) => values === null || values > 1;

/** Return what is wrong with the number of values, or "". */
function countProblem({ values }, given) {
  return values > 1 && given.length !== values ? `expected ${values} values, separated by commas` : "";
}
