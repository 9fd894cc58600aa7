// Facts from the schema of a value, collected once for each position of a response: thousands of values share them.

/** Characters of a text that a cell shows. */
const WORDS_SHOWN = 80;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

const factsKept = new WeakMap();
const innerKept = new WeakMap();

/**
 * Return {kind: "state", "moment", "reads", "amount", "number", "text" or "", meanings, reads, isAlias, isComputed,
 * isNested, description, title, zone}.
 */
function factsOf(alternatives) {
  const kept = factsKept.get(alternatives);
  if (kept) return kept;
  const said = (word) => (alternatives.find((each) => each[word] !== undefined) || {})[word];
  const types = alternatives.flatMap((each) => (each.type ? [each.type].flat() : []));
  const facts = {
    meanings: said("x-values") || null,
    reads: said("x-reads") || "",
    zone: said("x-day") || "",
    isAlias: said("x-alias-of") !== undefined,
    isComputed: said("x-computed") === true,
    isNested: types.some((type) => type === "object" || type === "array"),
    description: said("description") || "",
    title: said("title") || "",
  };
  facts.kind = factsKind(alternatives, facts, types);
  factsKept.set(alternatives, facts);
  return facts;
}

function factsKind(alternatives, { reads, meanings, isNested }, types) {
  const has = (test) => alternatives.some(test);
  if (reads) return "reads";
  const isText = types.includes("string");
  if (meanings || types.includes("boolean") || (isText && has((each) => each.enum))) return "state";
  if (has((each) => isDate(each))) return "moment";
  if (has((each) => /^\^-\?\[0-9\]\+.*\\\./.test(each.pattern || "")) || types.includes("number")) return "amount";
  if (types.includes("integer") || has((each) => each.pattern === "^-?[0-9]+$")) return "number";
  return isText && !isNested ? "text" : "";
}

/** Return the schemas of an inner value, cached from innerAlternatives. */
function innerFacts(alternatives, key, spec) {
  const place = typeof key === "number" ? 0 : key;
  if (!innerKept.has(alternatives)) innerKept.set(alternatives, new Map());
  const inner = innerKept.get(alternatives);
  // In a map, a number and a string are different keys
  if (!inner.has(place)) inner.set(place, innerAlternatives(alternatives, place, spec));
  return inner.get(place);
}

/** Return a value as it was sent, a string without its quotes. */
const plainOf = ({ begin, end, kind }, source) => (kind === "string" ? textBetween(source, begin, end) : source.slice(begin, end));

/** Return whether a value is null, or an empty text, list or object. */
const isEmptyValue = ({ begin, end, kind, entries }, source) =>
  entries ? !entries.length : kind === "string" ? end - begin === 2 : end - begin === 4 && source.startsWith("null", begin);

/** Return the readable form of a value, such as a state's name or a day; "" if it has none. */
function readableWords(plain, facts) {
  if (facts.meanings && Object.hasOwn(facts.meanings, plain)) return facts.meanings[plain];
  if (facts.kind === "moment") return momentWords(plain, facts);
  return facts.kind === "state" ? { true: "yes", false: "no" }[plain] || "" : "";
}

/** Return Unix seconds as a day or an instant in UTC, and an ISO instant in short form; "" if it is out of range. */
function momentWords(plain, { zone }) {
  // No date, rather than the first day of 1970
  if (plain === "0") return "";
  if (!INSTANT.test(plain)) return plain.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00)?(?:\.0+)?(?:Z|\+00:00)$/, "$1 $2");
  const moment = new Date(Number(plain) * 1000);
  if (Number.isNaN(moment.getTime())) return "";
  if (zone) return dayIn(zone, moment);
  return moment.toISOString().replace(/T(\d\d:\d\d):.*$/, " $1").replace(/ 00:00$/, "");
}

const dayWriters = new Map();

/** Return the day of an instant in a time zone. */
function dayIn(zone, moment) {
  if (zone === "UTC") return moment.toISOString().slice(0, 10);
  try {
    if (!dayWriters.has(zone)) dayWriters.set(zone, new Intl.DateTimeFormat("sv-SE", { timeZone: zone }));
    return dayWriters.get(zone).format(moment);
  } catch {
    return moment.toISOString().slice(0, 10);
  }
}

/** Return the number of significant decimals of an amount: 0, or at least 2. */
function decimalsOf(plain) {
  const [, , , fraction = ""] = DECIMAL.exec(plain) || [];
  const { length } = fraction.replace(/0+$/, "");
  return length === 1 ? 2 : length;
}

/** Return an amount with thousands separators and this number of decimals; nothing is rounded. */
function amountWords(plain, decimals = decimalsOf(plain)) {
  const found = DECIMAL.exec(plain);
  if (!found) return plain;
  const [, sign, whole, fraction = ""] = found;
  const shown = fraction.slice(0, decimals).padEnd(decimals, "0");
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${shown && `.${shown}`}`;
}
