// What of a JSON answer is shown: all, what is not empty, what is searched for among names and values.

const HIDE_EMPTY = "comptoir-hide-empty";

const hidesEmpty = () => sessionStorage.getItem(HIDE_EMPTY) === "1";

/**
 * What is searched for in an answer, and what the tree shows of it:
 *
 * - wanted: the words, "" where nothing is searched for; names and values: how many hold them
 * - isWanted(name), isFound(value): whether these hold them; holds(value): whether a value inside does
 * - around: every value that holds something that was found; matching(value): its entries that do
 * - entriesOf(value): the same for the tree, which may hide what is empty
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

/** Every value with such a name or value anywhere inside. Nothing recurses, as in readJson. */
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
  // Outer values stand before inner ones
  for (const { value, outer } of seen.reverse()) {
    if (holders.has(value)) around.add(value);
    if (outer && around.has(value)) around.add(outer);
    if (outer && holders.has(value)) holders.add(outer);
  }
  return { around, found, holders, names };
}

/** Whether a value holds the words: as it was sent, or as people read it. */
function holdsWords(value, alternatives, source, wanted) {
  const plain = plainOf(value, source);
  if (plain.toLowerCase().includes(wanted)) return true;
  const facts = factsOf(alternatives);
  return (facts.kind === "state" || facts.kind === "moment") && readableWords(plain, facts).toLowerCase().includes(wanted);
}
