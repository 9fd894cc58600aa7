// The operators of filters: those of the server, as `x-operators` of its document lists them, and two that the page makes of `like`.

/** What the page calls operators; any other one is called as the document says. */
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

/** For those who write no patterns: its words, and the pattern of a value. */
const EASY_PATTERNS = {
  contains: { words: "contains", patternOf: (value) => `%${escapePattern(value)}%` },
  begins: { words: "begins with", patternOf: (value) => `${escapePattern(value)}%` },
};

const COMPARED = ["=", "<>", "<", "<=", ">", ">=", "between"];
const EMPTY = ["is", "isnot"];
/** Kind of a column → the operators that suit it; one that stands nowhere here suits all. */
const KIND_OPERATORS = {
  text: ["=", "<>", "contains", "begins", "like", "notlike", "in", "notin", ...EMPTY],
  number: [...COMPARED, "in", "notin", ...EMPTY],
  date: [...COMPARED, ...EMPTY],
  choice: ["=", "<>", "in", "notin", ...EMPTY],
  map: ["like", "notlike", ...EMPTY],
};

/** name → {words, values (how many it takes; null: any number), isPattern, sent and patternOf (of an easy pattern)}. */
function operatorsOf(parameter) {
  const published = parameter["x-operators"] || {};
  const own = Object.entries(published).map(([name, { values, meaning, pattern }]) =>
    [name, { words: OPERATOR_WORDS[name] || meaning || name, values, isPattern: pattern }]);
  const easy = Object.entries(published.like ? EASY_PATTERNS : {}).map(([name, each]) =>
    [name, { ...each, values: 1, isPattern: true, sent: "like" }]);
  return Object.fromEntries([...own, ...easy]);
}

/** The names of the operators that suit a kind of column. */
function operatorsFor(kind, operators) {
  const placed = Object.values(KIND_OPERATORS).flat();
  const others = Object.keys(operators).filter((name) => !placed.includes(name) && !operators[name].sent);
  return [...KIND_OPERATORS[kind], ...others].filter((name) => Object.hasOwn(operators, name));
}

const takesNone = ({ values }) => values === 0;
const takesSeveral = ({ values }) => values === null || values > 1;

/** What is wrong with how many values there are, or "". */
function countProblem({ values }, given) {
  return values > 1 && given.length !== values ? `expected ${values} values, separated by commas` : "";
}
