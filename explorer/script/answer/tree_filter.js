// Selects the visible part of a JSON response: everything, non-empty fields, or search hits.

const HIDE_EMPTY = "comptoir-hide-empty";

const hidesEmpty = () => sessionStorage.getItem(HIDE_EMPTY) === "1";

/**
 * Search a response and return what the tree shows of it:
 *
 * - wanted: the search text in lower case, or ""; names and values: the number of keys and values that contain it
 * - isWanted(name): whether a key contains the text; isFound(value): whether a value or one inside it does
 * - holds(value): whether a value inside it contains the text; found: the set of values that do
 * - around: every value with hits inside, null without a search; matching(value): its entries with hits
 * - entriesOf(value): the same for the tree, which may hide empty entries
 */
function chooseEntries(context, words) {
  const { source } = context;
  const wanted = words.trim().toLowerCase();
  const isWanted = (key) => wanted !== "" && typeof key === "string" && key.toLowerCase().includes(wanted);
  const { around, found, holders, names } = wanted ? search(context, isWanted, wanted) : NOTHING_SEARCHED;
  const isHit = ([key, each]) => isWanted(key) || found.has(each) || around.has(each);
  const matching = (value) => (wanted && around.has(value) ? value.entries.filter(isHit) : value.entries);
  const hides = hidesEmpty();
  const isKept = (value) => ([, each]) => value.kind === "array" || !isEmptyValue(each, source);
  const entriesOf = (value) => (hides ? matching(value).filter(isKept(value)) : matching(value));
  return {
    wanted, isWanted, entriesOf, matching, found, names, values: found.size, around: wanted ? around : null,
    holds: (value) => holders.has(value),
    isFound: (value) => found.has(value) || holders.has(value),
  };
}

const NOTHING_SEARCHED = { around: new Set(), found: new Set(), holders: new Set(), names: 0 };

/** Find the matching keys and values at any depth. Like readJson, this doesn't recurse. */
function search({ value: whole, alternatives, source, spec }, isWanted, wanted) {
  const [around, found, holders] = [new Set(), new Set(), new Set()];
  const seen = [{ value: whole, outer: null, alternatives }];
  const take = (value, meant) => {
    if (!holdsWords(value, meant, source, wanted)) return false;
    found.add(value);
    return true;
  };
  let names = 0;
  if (!whole.entries) take(whole, alternatives);
  for (const { value, alternatives: outside } of seen) {
    for (const [key, each] of value.entries || []) {
      const meant = innerFacts(outside, key, spec);
      if (isWanted(key)) {
        names += 1;
        around.add(value);
      }
      if (each.entries) seen.push({ value: each, outer: value, alternatives: meant });
      else if (take(each, meant)) holders.add(value);
    }
  }
  // Outer values come before inner ones, so reverse the order
  for (const { value, outer } of seen.reverse()) {
    if (holders.has(value)) around.add(value);
    if (outer && around.has(value)) around.add(outer);
    if (outer && holders.has(value)) holders.add(outer);
  }
  return { around, found, holders, names };
}

/** Return whether a value contains the words, as it was sent or in readable form. */
function holdsWords(value, alternatives, source, wanted) {
  const plain = plainOf(value, source);
  if (plain.toLowerCase().includes(wanted)) return true;
  const facts = factsOf(alternatives);
  return (facts.kind === "state" || facts.kind === "moment") && readableWords(plain, facts).toLowerCase().includes(wanted);
}
