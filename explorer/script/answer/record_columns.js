// The columns of a list of records: all of them, the default ones, and the user's choice.

const CHOSEN_COLUMNS = "comptoir-columns";
const LISTS_REMEMBERED = 100;
// The sample that shows what each column contains
const ROWS_LOOKED_AT = 100;
/** Common keys of a record's name. */
const NAMES = /(?:^|_)(?:ref|label|title|number|subject|login)$|^code$|name$/;
/**
 * The label of a state, which isn't a name; a line's quantity; descriptions; a customer's or supplier's code; the place;
 * contact details; the total and the unpaid rest; a person's days; timestamps that every record has.
 */
const STATE_LABELS = /stat(?:us|ut)\w*_label$/;
const QUANTITIES = /^qty$/;
const DESCRIPTIONS = /^desc(?:ription)?$/;
const CODES = /^code_/;
const PLACES = /^(?:town|city)$/;
const WAYS = /^e?mail$|^phone(?:_pro|_mobile)?$/;
const MAIN_AMOUNTS = /^(?:total_ttc|remaintopay)$/;
const PERSONAL_DAYS = /birth/;
const ANY_RECORDS_MOMENTS = /creation|modif|_validation/;
/**
 * Default columns, in this order: for each rule, the `number` best columns that fit it; `alone` replaces `number`
 * if the user can't choose others.
 */
const FIRST_COLUMNS = [
  { number: 1, fits: ({ key }) => key === "id", rank: () => 0 },
  { number: 2, fits: ({ kind, key }) => kind === "text" && NAMES.test(key) && !STATE_LABELS.test(key), rank: ({ filled, facts }) => filled - (facts.isComputed ? ROWS_LOOKED_AT : 0) },
  { number: 1, fits: ({ key }) => QUANTITIES.test(key), rank: () => 0 },
  { number: 0, alone: 1, fits: ({ kind, key }) => kind === "text" && DESCRIPTIONS.test(key), rank: ({ filled }) => filled },
  { number: 1, fits: ({ kind, key }) => kind === "reads" && key !== "id", rank: ({ distinct }) => distinct },
  { number: 1, fits: ({ kind, key }) => kind === "text" && CODES.test(key), rank: ({ filled }) => filled },
  { number: 1, fits: ({ kind, key }) => kind === "text" && PLACES.test(key), rank: ({ filled }) => filled },
  { number: 2, alone: 4, fits: ({ kind, sum }) => kind === "amount" && sum > 0, rank: ({ key, sum, decimals, facts }) => (MAIN_AMOUNTS.test(key) ? Infinity : decimals && !facts.isComputed ? sum : 0) },
  { number: 1, fits: ({ kind, key, distinct }) => kind === "state" && (distinct > 1 || STATE_FIELDS.includes(key)), rank: ({ key, distinct }) => distinct + (STATE_FIELDS.includes(key) ? ROWS_LOOKED_AT : 0) },
  { number: 1, fits: ({ kind, key }) => kind === "text" && DESCRIPTIONS.test(key), rank: ({ filled }) => filled },
  { number: 2, fits: ({ kind, key }) => kind === "text" && WAYS.test(key), rank: ({ filled }) => filled },
  { number: 1, fits: ({ kind, key }) => kind === "moment" && !PERSONAL_DAYS.test(key), rank: ({ key, filled, isDay, facts }) => filled + (isDay && !facts.isComputed ? ROWS_LOOKED_AT : 0) - (/modif/.test(key) ? ROWS_LOOKED_AT : 0) },
  { number: 1, fits: ({ kind, key, isDay }) => kind === "moment" && isDay && !PERSONAL_DAYS.test(key) && !ANY_RECORDS_MOMENTS.test(key), rank: ({ filled }) => filled },
];
// A default column is filled in more than 1/5 as many rows as the fullest one
const MOSTLY_EMPTY = 5;
// Columns; others with differing values fill up the table, then those without if the list has fewer rows than this
const FEWEST = 7;

/**
 * Return the columns of records: {key, alternatives, facts, kind, title, filled, distinct, sum, decimals, isDay,
 * isRepeated}.
 *
 * @param rows the records, as readJson returns them
 */
function columnsOf(rows, alternatives, { source, spec }) {
  const found = new Map();
  for (const row of rows.slice(0, ROWS_LOOKED_AT)) {
    for (const [key, value] of row.entries) {
      if (!found.has(key)) found.set(key, newColumn(key, innerFacts(alternatives, key, spec)));
      lookAt(found.get(key), value, source);
    }
  }
  const sights = new Set();
  return [...found.values()].map(({ seen, all, ...column }) => {
    // Aliases have the same value in each row
    const sight = all.join("\n");
    const isRepeated = column.facts.isAlias || (column.filled > 0 && seen.size > 1 && sights.has(sight));
    sights.add(sight);
    return { ...column, kind: column.facts.kind || column.kind, distinct: seen.size, isRepeated };
  });
}

function newColumn(key, alternatives) {
  const facts = factsOf(alternatives);
  const title = [facts.title, facts.description].filter(Boolean).join(": ");
  return { key, alternatives, facts, title, kind: "", filled: 0, sum: 0, decimals: 0, isDay: Boolean(facts.zone), seen: new Set(), all: [] };
}

const PLAIN_KINDS = { string: "text", number: "number", word: "state", object: "", array: "" };

function lookAt(column, value, source) {
  const isEmpty = isEmptyValue(value, source);
  const plain = isEmpty || value.entries ? "" : plainOf(value, source);
  column.all.push(value.entries ? source.slice(value.begin, value.end) : plain);
  if (isEmpty) return;
  column.filled += 1;
  column.kind = PLAIN_KINDS[value.kind];
  if (value.entries) return;
  column.seen.add(plain);
  if (column.facts.kind !== "amount") return;
  column.sum += Math.abs(Number(plain)) || 0;
  column.decimals = Math.max(column.decimals, decimalsOf(plain));
}

/** Return the default columns, the most important ones first; `isAlone`: you can't choose others. */
function firstColumns(columns, isAlone = false) {
  const most = Math.max(...columns.map(({ filled }) => filled));
  const worth = columns.filter((each) => each.filled * MOSTLY_EMPTY > most && !each.isRepeated && !each.facts.isNested && each.kind);
  const chosen = new Set();
  for (const { number, alone = number, fits, rank } of FIRST_COLUMNS) {
    const best = worth.filter((each) => !chosen.has(each) && fits(each)).sort((one, other) => rank(other) - rank(one));
    best.slice(0, isAlone ? alone : number).forEach((each) => chosen.add(each));
  }
  const others = worth.filter((each) => (each.distinct > 1 || most < FEWEST) && each.kind !== "moment").sort((one, other) => (other.distinct > 1) - (one.distinct > 1) || other.filled - one.filled);
  for (const each of others) if (chosen.size < FEWEST) chosen.add(each);
  if (!chosen.size) return columns.slice(0, FEWEST);
  return [...chosen];
}

/** List → the default columns it was first shown with; other pages and filters don't change them. */
const firstShown = new Map();

/** Return the columns of a list: the chosen ones that it contains, else the default ones. */
function shownColumns(columns, list) {
  const names = chosenColumns()[list] || firstShown.get(list) || [];
  const known = names.map((name) => columns.find(({ key }) => key === name)).filter(Boolean);
  if (known.length) return known;
  const first = firstColumns(columns);
  firstShown.set(list, first.map(({ key }) => key));
  return first;
}

/** Return list → column names. Another page of the same origin may have stored anything under this key. */
function chosenColumns() {
  try {
    const stored = JSON.parse(localStorage.getItem(CHOSEN_COLUMNS) || "{}");
    const isOne = ([, names]) => Array.isArray(names) && names.every((each) => typeof each === "string");
    return Object.fromEntries(Object.entries(stored || {}).filter(isOne));
  } catch {
    return {};
  }
}

/** Remember the column names of a list. Without names, the list shows its default columns. */
function rememberColumns(list, names) {
  const { [list]: before, ...others } = chosenColumns();
  const kept = Object.entries(others).slice(1 - LISTS_REMEMBERED);
  localStorage.setItem(CHOSEN_COLUMNS, JSON.stringify(Object.fromEntries(names.length ? [...kept, [list, names]] : kept)));
}
