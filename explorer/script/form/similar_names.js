// Finds the name that a misspelled one probably means.

/** Return the name that a word probably means: a typo, or a shorter or longer form of it; or null. */
function nearestName(word, names) {
  const wanted = plainName(word);
  const near = names
    .map((name) => ({ name, steps: stepsBetween(wanted, plainName(name)) }))
    .filter(({ name, steps }) => steps <= wanted.length / 3 || isShortened(wanted, plainName(name)))
    .sort((one, other) => one.steps - other.steps);
  return near.length ? near[0].name : null;
}

const plainName = (word) => word.toLowerCase().replace(/[_\s-]/g, "");

/** Return whether one name contains the other, or is the other with characters left out. */
function isShortened(one, other) {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length < 3 || long.length > 3 * short.length) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return long.includes(short) || (at === short.length && long[0] === short[0] && long.at(-1) === short.at(-1));
}

/** Return the edit distance of two words: characters to change, insert, delete or swap with the next one. */
function stepsBetween(one, other) {
  let before = [];
  let above = [...Array(other.length + 1).keys()];
  for (let row = 0; row < one.length; row += 1) {
    const line = [row + 1];
    for (let place = 1; place <= other.length; place += 1) {
      const isSwapped = row > 0 && place > 1 && one[row] === other[place - 2] && one[row - 1] === other[place - 1];
      const swapped = isSwapped ? before[place - 2] + 1 : Infinity;
      line.push(Math.min(line[place - 1] + 1, above[place] + 1, above[place - 1] + (one[row] !== other[place - 1]), swapped));
    }
    [before, above] = [above, line];
  }
  return above[other.length];
}
