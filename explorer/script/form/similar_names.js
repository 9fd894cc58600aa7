// Names that somebody may have meant.

/** The name that was probably meant by a word, or null: a slip of the finger, a shorter or a longer form of it. */
function nearestName(word, names) {
  const wanted = plainName(word);
  const near = names
    .map((name) => ({ name, steps: stepsBetween(wanted, plainName(name)) }))
    .filter(({ name, steps }) => steps <= wanted.length / 3 || isShortened(wanted, plainName(name)))
    .sort((one, other) => one.steps - other.steps);
  return near.length ? near[0].name : null;
}

const plainName = (word) => word.toLowerCase().replace(/[_\s-]/g, "");

/** Whether one of two names contains the other, or is the other with letters left out. */
function isShortened(one, other) {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length < 3 || long.length > 3 * short.length) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return long.includes(short) || (at === short.length && long[0] === short[0] && long.at(-1) === short.at(-1));
}

/** How many letters must be changed, added or left out to make one word of the other. */
function stepsBetween(one, other) {
  let above = [...Array(other.length + 1).keys()];
  [...one].forEach((letter, row) => {
    const line = [row + 1];
    for (let place = 1; place <= other.length; place += 1)
      line.push(Math.min(line[place - 1] + 1, above[place] + 1, above[place - 1] + (letter !== other[place - 1])));
    above = line;
  });
  return above[other.length];
}
