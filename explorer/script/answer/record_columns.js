// The columns of a list of records: which there are, which are shown first, which somebody has chosen.

const CHOSEN_COLUMNS = "comptoir-columns";
const LISTS_REMEMBERED = 100;
const ROWS_LOOKED_AT = 100; // of which it is told what a column holds
/** Names by which people everywhere call a thing; where a record has none of them, texts that differ from row to row do. */
const NAMES = /(?:^|_)(?:ref|label|title|number|subject|login)$|^code$|name$/;
/** Ways to reach somebody, the total and the rest to pay, and days that only a person has. */
const WAYS = /^e?mail$|^phone(?:_pro|_mobile)?$/;
const MAIN_AMOUNTS = /^(?:total_ttc|remaintopay)$/;
const PERSONAL_DAYS = /birth/;
/**
 * What is shown first: in this order as many columns at the most, of those that fit the best ones; `alone` where nobody
 * can choose others.
 */
const FIRST_COLUMNS = [
  { number: 1, fits: ({ key }) => key === "id", rank: () => 0 },
  { number: 2, fits: ({ kind, key }) => kind === "text" && NAMES.test(key), rank: ({ filled, facts }) => filled - (facts.isComputed ? ROWS_LOOKED_AT : 0) },
  { number: 1, fits: ({ kind, key }) => kind === "text" && /^desc(?:ription)?$/.test(key), rank: ({ filled }) => filled },
  { number: 1, fits: ({ kind, key }) => kind === "reads" && key !== "id", rank: ({ distinct }) => distinct },
  { number: 2, fits: ({ kind, key }) => kind === "text" && WAYS.test(key), rank: ({ filled }) => filled },
  { number: 2, fits: ({ kind, key }) => kind === "moment" && !PERSONAL_DAYS.test(key), rank: ({ filled, isDay, facts }) => filled + (isDay && !facts.isComputed ? ROWS_LOOKED_AT : 0) },
  { number: 2, alone: 4, fits: ({ kind, sum }) => kind === "amount" && sum > 0, rank: ({ key, sum, decimals, facts }) => (MAIN_AMOUNTS.test(key) ? Infinity : decimals && !facts.isComputed ? sum : 0) },
  { number: 1, fits: ({ kind, distinct }) => kind === "state" && distinct > 1, rank: ({ key, distinct }) => distinct + (STATE_FIELDS.includes(key) ? ROWS_LOOKED_AT : 0) },
];
const MOSTLY_EMPTY = 5; // a column that says something in less than one of so many rows
const FEWEST = 7; // columns; of lists with little of all that, what differs from row to row fills up

/**
 * The columns of records: {key, alternatives, facts, kind, title, filled, distinct, sum, decimals, isDay, isRepeated}.
 *
 * @param rows the records, as readJson made them
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
    // Several names of one thing hold the same in each row
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

/** The columns that are shown first, the most telling ones at the left; `isAlone`: you can't choose others. */
function firstColumns(columns, isAlone = false) {
  const most = Math.max(...columns.map(({ filled }) => filled));
  const worth = columns.filter((each) => each.filled * MOSTLY_EMPTY > most && !each.isRepeated && !each.facts.isNested && each.kind);
  const chosen = new Set();
  for (const { number, alone = number, fits, rank } of FIRST_COLUMNS) {
    const best = worth.filter((each) => !chosen.has(each) && fits(each)).sort((one, other) => rank(other) - rank(one));
    best.slice(0, isAlone ? alone : number).forEach((each) => chosen.add(each));
  }
  const others = worth.filter((each) => each.distinct > 1 && each.kind !== "moment").sort((one, other) => other.filled - one.filled);
  for (const each of others) if (chosen.size < FEWEST) chosen.add(each);
  if (!chosen.size) return columns.slice(0, FEWEST);
  return [...chosen];
}

/** List → the columns it was first shown with: another page, or a filter, does not change them. */
const firstShown = new Map();

/** The columns of a list: those that were chosen for it, as far as they are there; else the first ones. */
function shownColumns(columns, list) {
  const names = chosenColumns()[list] || firstShown.get(list) || [];
  const known = names.map((name) => columns.find(({ key }) => key === name)).filter(Boolean);
  if (known.length) return known;
  const first = firstColumns(columns);
  firstShown.set(list, first.map(({ key }) => key));
  return first;
}

/** List → names of columns. Another page of the same origin may have written anything there. */
function chosenColumns() {
  try {
    const stored = JSON.parse(localStorage.getItem(CHOSEN_COLUMNS) || "{}");
    const isOne = ([, names]) => Array.isArray(names) && names.every((each) => typeof each === "string");
    return Object.fromEntries(Object.entries(stored || {}).filter(isOne));
  } catch {
    return {};
  }
}

/** Remember the columns of a list: their names alone. Without names the list is shown as at first. */
function rememberColumns(list, names) {
  const { [list]: before, ...others } = chosenColumns();
  const kept = Object.entries(others).slice(1 - LISTS_REMEMBERED);
  localStorage.setItem(CHOSEN_COLUMNS, JSON.stringify(Object.fromEntries(names.length ? [...kept, [list, names]] : kept)));
}
