// The state that a record of an answer is in, by the names that its service's table of states uses.

/** Fields that hold a state where nothing else says which one does. */
const STATE_FIELDS = ["state", "status", "statut"];

/**
 * All names of the state a record is in, in small letters: `validated (1)`, `validated`, `1`; null where it is not known.
 *
 * @param known the names of all states, as the table has them
 * @param alternatives what the schema says of the record
 */
function stateOf(record, known, alternatives, spec) {
  const wanted = new Set(known.map((each) => each.toLowerCase()));
  const fields = Object.entries(record || {}).filter(([, value]) => ["string", "number"].includes(typeof value));
  const told = fields.map(([name, value]) => {
    const said = innerAlternatives(alternatives, name, spec);
    const meanings = Object.assign({}, ...said.map((each) => each["x-values"] || {}));
    const values = [...Object.keys(meanings), ...said.flatMap((each) => each.enum || [])];
    const every = new Set(values.flatMap((each) => stateNames(each, meanings)));
    const names = stateNames(value, meanings);
    const isCalled = STATE_FIELDS.includes(name);
    return { names, isCalled, isMeant: wanted.size > 0 && [...wanted].every((each) => every.has(each)) };
  });
  const found = told.find(({ isMeant }) => isMeant) || told.find(({ isCalled }) => isCalled);
  return found ? new Set(found.names) : null;
}

/** What a state may be called, by its value. */
function stateNames(value, meanings) {
  const meaning = Object.hasOwn(meanings, value) ? meanings[value] : "";
  const names = meaning ? [value, meaning, `${meaning} (${value})`] : [value];
  return names.map((each) => String(each).toLowerCase());
}

/** Whether a record may be in one of some states; one whose state is not known may. */
const mayBeIn = (states, state) => !state || states.some((each) => state.has(each.toLowerCase()));
