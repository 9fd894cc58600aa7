// The state of a returned record, by the names in its service's table of states.

/** Fields that contain the state if no schema shows which one does. */
const STATE_FIELDS = ["state", "status", "statut"];

/**
 * Return all names of a record's state in lower case: `validated (1)`, `validated`, `1`; null if it isn't known.
 *
 * @param known the names of all states in the table
 * @param alternatives the record's schemas
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

/** Return the names of a state, by its value. */
function stateNames(value, meanings) {
  const meaning = Object.hasOwn(meanings, value) ? meanings[value] : "";
  const names = meaning ? [value, meaning, `${meaning} (${value})`] : [value];
  return names.map((each) => String(each).toLowerCase());
}

/** Return whether a record may be in one of these states, or has the value of `billed=1`; true if that isn't known. */
function mayBeIn(states, state, record = {}) {
  return states.some((each) => {
    const [field, value] = each.split("=");
    if (value !== undefined) return !Object.hasOwn(record, field) || String(record[field]) === value;
    return !state || state.has(each.toLowerCase());
  });
}
