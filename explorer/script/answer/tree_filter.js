// Which entries of a JSON answer are shown: all, those that are not empty, those whose names are searched for.

const HIDE_EMPTY = "comptoir-hide-empty";
const EMPTY_WORDS = ["null", '""'];

const hidesEmpty = () => sessionStorage.getItem(HIDE_EMPTY) === "1";
const isEmptyIn = (source, { begin, end, entries }) =>
  entries ? !entries.length : end - begin <= 4 && EMPTY_WORDS.includes(source.slice(begin, end));

/**
 * What of a tree is shown, as entriesOf(value).
 *
 * @param words what names are searched for; with them, around is every value that holds such a name, number how many
 */
function chooseEntries(whole, source, words) {
  const wanted = words.trim().toLowerCase();
  const isWanted = (key) => typeof key === "string" && key.toLowerCase().includes(wanted);
  const hides = hidesEmpty();
  const { around, number } = wanted ? aroundNames(whole, isWanted) : { around: null, number: 0 };
  const entriesOf = (value) => {
    const entries = value.entries.filter(([, each]) => !hides || value.kind === "array" || !isEmptyIn(source, each));
    return around && around.has(value) ? entries.filter(([key, each]) => isWanted(key) || around.has(each)) : entries;
  };
  return { entriesOf, around, number };
}

/** Every value with such a name anywhere inside, and how many names there are. Nothing recurses, as in readJson. */
function aroundNames(whole, isWanted) {
  const around = new Set();
  const seen = [{ value: whole, outer: null }];
  let number = 0;
  for (const place of seen) {
    for (const [key, value] of place.value.entries || []) {
      if (isWanted(key)) {
        number += 1;
        around.add(place.value);
      }
      if (value.entries) seen.push({ value, outer: place.value });
    }
  }
  // Outer values stand before inner ones
  for (const { value, outer } of seen.reverse()) if (outer && around.has(value)) around.add(outer);
  return { around, number };
}
