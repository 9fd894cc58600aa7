// The next steps for the returned record in its current state.

const STEPS_SHOWN = 8;
/** Groups of steps in order: out of the first state, listed by authors for a state, other transitions, the rest. */
const STEP_RANKS = ["begin", "named", "move", "done", "read", "taken", "made", "listed"];
const stepRank = (word) => STEP_RANKS.indexOf(word);
/** Order of the record's own operations that aren't transitions: add to it, change it, read it. */
const STEP_ORDER =
  ["below POST", "record PATCH", "record PUT", "below GET", "record GET", "below PUT", "record DELETE"];

/**
 * Return links to the available operations of the record in a response. If the response contains none, they are those
 * of the record in the request's path, such as the order in `/orders/{id}/lines`. null: neither has a record.
 */
function nextStepsNode(operation, request, parsed, alternatives) {
  const [reader, id] = recordOf(parsed, alternatives, operation.spec);
  if (!reader) return stepsAround(operation, request, parsed) || stepsOfMade(operation, parsed) || stepsOfList(operation, request);
  // The response is only an ID; the state must be read from the record
  if (typeof parsed !== "object" && mayCall(reader)) return stepsOnceRead(reader, id, operation, readSteps(reader, id));
  const steps = stepsOf(operation, parsed, alternatives, reader, id);
  return steps.length ? stepsNode(reader, id, steps) : null;
}

/** Path of a part, such as /invoices/payments/7 → [reader, ID] of the record that it was listed with or made below. */
const wholes = new Map();

/** Return the steps of the record that a request is below, and of the part that it has made. */
function stepsAround(operation, request, parsed) {
  const whole = wholes.get(request.path);
  if (whole) return stepsOnceRead(...whole, operation, readSteps(...whole));
  const [reader, id] = recordOfPath(operation, request);
  const [around] = /^\/[^/{]+\/\{\w+\}(?=\/)/.exec(operation.path) || [];
  if (!reader || !around) return null;
  return stepsOnceRead(reader.id, id, operation, [...readSteps(reader.id, id), ...partSteps(operation, around, id, parsed)]);
}

/** Return the steps of a record that a service has beside its own kind, such as a group of users; null if none was made. */
function stepsOfMade({ id: called, verb, path }, parsed) {
  const id = parsed && typeof parsed === "object" ? parsed.id : parsed;
  // Made from another record, such as /invoices/templates/createfrominvoice/{id}
  const list = path.replace(/\/\w+\/\{\w+\}$/, "");
  if (verb !== "POST" || list.includes("{") || !POSITIVE.test(id)) return null;
  const isOfRecord = (each) => each.path.startsWith(`${list}/{`) && each.path.split("{").length === 2;
  const found = callable(called).filter(isOfRecord);
  const reader = found.find((each) => each.verb === "GET" && each.path.endsWith("}"));
  if (!reader) return null;
  const order = (each) => STEP_ORDER.indexOf(`${each.path === reader.path ? "record" : "below"} ${each.verb}`);
  const steps = found.map((each) => stepWith(each, [id])).sort((one, other) => order(one.operation) - order(other.operation));
  return stepsNode(reader.id, id, steps, "", titleOf(reader).replace(/^\S+ an? /, ""));
}

/**
 * Return the steps after a form that a list shares values with: the list with these values, such as the files of the
 * record that a file was uploaded to, and the form again; null without such a list.
 */
function stepsOfList({ id, service, spec }, { fields }) {
  const list = fields && callable(id).find((each) => each.verb === "GET" && each.path === `/${service}`);
  if (!list) return null;
  const taken = new Set((spec.paths[list.path].get.parameters || []).map((each) => resolve(each, spec).name));
  const shared = Object.entries(fields).filter(([name]) => taken.has(name));
  const values = String(new URLSearchParams(shared));
  const steps = [list.id, id].map((each) => callable(id).find((one) => one.id === each)).map((operation) => ({ operation, service, values, words: titleOf(operation) }));
  return shared.length ? stepsNode(id, shared.at(-1)[1], steps, "", nounOf(shared[0][1])) : null;
}

/** Return the step that reads a record. */
const readSteps = (reader, id) => callable(reader).filter((each) => each.id === reader).map((each) => stepWith(each, [id]));

/** Return a step; the values fill the last variables of its path. They come after the steps out of the state. */
function stepWith(operation, values) {
  return { operation, service: serviceOf(operation.id), values: pathValues(operation, values), words: titleOf(operation), rank: stepRank("move") - 0.5 };
}

/** Return values for the last variables of an operation's path, as the query of an address. */
function pathValues({ path }, values) {
  const names = path.match(/\{\w+\}/g).map((each) => each.slice(1, -1));
  return names.map((name, place) => `${name}=${values.at(place - names.length)}`).join("&");
}

/**
 * Return the steps for a part of a record, such as a line of an order or a payment: the list of such parts, and, after
 * the call that made one, the operations that change or delete it.
 */
function partSteps({ id: called, verb, path }, around, id, parsed) {
  const lists = callable(called).filter((each) => each.verb === "GET" && each.path === path && each.id !== called);
  const made = [parsed].flat().map((each) => (each && typeof each === "object" ? each.id : each));
  const isOne = verb === "POST" && made.length === 1 && POSITIVE.test(made[0]);
  const changes = isOne ? changesOfPart(called, around, path.slice(around.length)) : [];
  rememberWhole(changes[0], around, id, made[0]);
  return [...lists.map((each) => stepWith(each, [id])), ...changes.map((each) => stepWith(each, [id, made[0]]))];
}

/**
 * Return the operations that change or delete a part, as `/orders/{id}/lines/{lineid}` and `/invoices/payments/{id}` do;
 * without PUT beside PATCH.
 *
 * @param around the path of the record, such as /orders/{id}
 * @param part the rest of the path, such as /lines
 */
function changesOfPart(id, around, part) {
  const paths = [around + part, around.replace(/\/\{\w+\}$/, "") + part];
  const isOfPart = ({ path }) => path.endsWith("}") && paths.includes(path.replace(/\/\{\w+\}$/, ""));
  const found = callable(id).filter((each) => ["PATCH", "PUT", "DELETE"].includes(each.verb) && isOfPart(each));
  return found.filter(({ verb }) => verb !== "PUT" || !found.some((each) => each.verb === "PATCH"));
}

/** Remember the record of a part for the response to a change whose path lacks it, such as /invoices/payments/{id}. */
function rememberWhole(change, around, record, one) {
  const reader = change && callable(change.id).find(({ verb, path }) => verb === "GET" && path === around);
  if (reader) wholes.set(change.path.replace(/\{\w+\}$/, one), [reader.id, record]);
}

/**
 * Return a function from a part's ID to the link {href, title} that changes it, such as a line's of an order, or that deletes it, such
 * as a payment's; null if no operation does.
 *
 * @param id an operation of the record's service
 * @param record its ID
 */
function changeAddresses(id, around, part, record) {
  const changes = changesOfPart(id, around, part);
  const change = changes.find(({ verb, path }) => verb !== "DELETE" && path.startsWith(`${around}/`)) || changes.find(({ verb }) => verb === "DELETE");
  const open = (one) => {
    rememberWhole(change, around, record, one);
    return { href: `${addressOfOperation(change.id)}?${pathValues(change, [record, one])}`, title: titleOf(change) };
  };
  return change ? (one) => POSITIVE.test(one) && open(one) : null;
}

/** Return the operations of the same service that the key may call. */
const callable = (id) => indexState.index.services.find(({ name }) => name === serviceOf(id)).operations.filter((each) => !each.missing && !each.deprecated);

/** Return the steps of the record in a response, the most likely ones first. */
function stepsOf(operation, parsed, alternatives, reader, id, { id: called } = operation) {
  const kind = serviceOf(reader);
  const record = { ...(typeof parsed === "object" ? parsed : {}), id, service: kind };
  const moves = kind === operation.service ? (operation.spec.tags[0] || {})["x-transitions"] || [] : [];
  const known = moves.flatMap(({ from, to }) => [from, to]);
  const state = stateOf(record, known, alternatives, operation.spec);
  const closed = closedMoves(moves, state);
  const found = [...ownSteps(reader, record, moves, state), ...linkedSteps(kind, record, state)]
    .filter((each) => !closed.has(each.operation.id));
  return withoutDoubles(found, called).sort((one, other) => one.rank - other.rank);
}

/** Return an element that reads a record, then lists its steps without the operation just called, and others. */
function stepsOnceRead(reader, id, called, others = []) {
  const place = make("div", {});
  const fill = async () => {
    const { operations } = await documentOf(indexState.index.services.find(({ name }) => name === serviceOf(reader)));
    const operation = operations.get(reader);
    const path = operation.path.replace(/\{\w+\}$/, encodeURIComponent(id));
    const answer = await send({ verb: "GET", path, query: "", headers: {} });
    const record = answer.status === 200 ? parsedJson(await answer.blob.text()) : null;
    if (!record) return;
    const known = new Set([reader, ...others.map((each) => each.operation.id)]);
    const own = stepsOf(operation, record, answerAlternatives(operation, 200), reader, id, called).filter((each) => !known.has(each.operation.id));
    const steps = [...own, ...others].sort((one, other) => one.rank - other.rank);
    if (steps.length) place.append(stepsNode(reader, id, steps));
  };
  fill().catch((error) => {
    if (!(error instanceof Away || error instanceof KeyRefused)) throw error;
  });
  return place;
}

/** Return the noun for a record of a service: "third party" for "Third parties". */
const nounOf = (service) => titleOfService(service).toLowerCase().replace(/ies$/, "y").replace(/(?<![su])s$/, "");

function stepsNode(reader, id, steps, state = "", noun = nounOf(serviceOf(reader))) {
  const link = ({ operation, service, values, words }) => {
    const href = `${addressOf(service, operation.id)}?${values}`;
    return make("a", { href, title: operation.summary, click: isComplete(operation, values) && opening(href, openRead) },
      badge(operation.verb), make("span", {}, words));
  };
  const more = (event) => {
    const links = steps.slice(STEPS_SHOWN).map(link);
    event.currentTarget.replaceWith(...links);
    links[0].focus();
  };
  const left = steps.length - STEPS_SHOWN;
  const label = `Next for ${noun} ${id}${state && ` (${state})`}`;
  return make("nav", { class: "go-on", "aria-label": label }, make("span", { class: "quiet" }, `${label}:`),
    steps.slice(0, STEPS_SHOWN).map(link), left > 0 && button(`${left} more`, more, { class: "small" }));
}

/** Return whether a step only reads, and its values fill the path: it is called at once. */
const isComplete = ({ verb, path }, values) =>
  verb === "GET" && (path.match(/\{\w+\}/g) || []).every((each) => new URLSearchParams(values).has(each.slice(1, -1)));

/** Return an operation's title, or the first words of its summary. */
const titleOf = ({ title, summary, path }) => title || (summary || path).split(/[.:;,] /)[0].replace(/\.$/, "");

/** Return the operation that reads the record in a response, and the record's ID; otherwise []. */
function recordOf(parsed, alternatives, spec) {
  const isObject = parsed && typeof parsed === "object" && !Array.isArray(parsed);
  const value = isObject ? parsed.id : parsed;
  const meant = isObject ? innerAlternatives(alternatives, "id", spec) : alternatives;
  const named = meant.find((each) => typeof each["x-reads"] === "string");
  const isNumber = typeof value === "string" || Number.isSafeInteger(value);
  return named && isNumber && POSITIVE.test(value) ? [named["x-reads"], value] : [];
}

/** Return the operations of the record's service whose only variable is its ID. Transitions rank first. */
function ownSteps(reader, record, moves, state) {
  const service = serviceOf(reader);
  const { operations = [] } = indexState.index.services.find((each) => each.name === service) || {};
  const { path: own = "" } = operations.find((each) => each.id === reader) || {};
  const [, name] = /^[^{]*\{(\w+)\}$/.exec(own) || [];
  if (!name) return [];
  return operations
    .filter(({ path }) => path === own || (path.startsWith(`${own}/`) && path.split("{").length === 2))
    .filter((operation) => !operation.missing && !operation.deprecated && isNamedIn(operation, service, state, record))
    // Of /line and /lines, the one that takes several leads
    .filter(({ verb, path }) => !operations.some((each) => each.verb === verb && each.path === `${path}s`))
    .map((operation) => {
      const place = moves.findIndex((each) => each.operation === operation.id);
      const order = STEP_ORDER.indexOf(`${operation.path === own ? "record" : "below"} ${operation.verb}`);
      const isFirst = place >= 0 && state && moves[place].from === moves[0].from && mayBeIn([moves[0].from], state);
      const rank = place >= 0 ? stepRank(isFirst ? "begin" : "move") + place / moves.length : STEP_RANKS.length + (order < 0 ? STEP_ORDER.length : order);
      return { operation, service, values: `${name}=${record.id}`, words: titleOf(operation), rank };
    });
}

/** Return whether an operation fits a record: one of its author's labels for such records, and each limit without a label. */
function isNamedIn({ after = [] }, service, state, record) {
  const fits = (each) => !each.in || mayBeIn(each.in, state, record);
  const said = after.filter((each) => each.of === service);
  const labels = said.filter(({ words }) => words);
  return (!labels.length || labels.some(fits)) && said.filter(({ words }) => !words).every(fits);
}

/** Return the IDs of the transitions that can't start in the record's state. */
function closedMoves(moves, state) {
  const open = new Set(moves.filter(({ from }) => mayBeIn([from], state)).map(({ operation }) => operation));
  return new Set(moves.map(({ operation }) => operation).filter((each) => each && !open.has(each)));
}

/** Return the steps that operations of any service offer for such a record. */
function linkedSteps(kind, record, state) {
  return linksTo(kind)
    // Without a label, states only limit an operation that the record has anyway
    .filter((each) => !each.in || ((each.words || each.service !== kind) && mayBeIn(each.in, state, record)))
    .filter((each) => isNamedIn(each.operation, kind, state, record))
    .map((each) => ({ ...each, ...wordsOfLink(each), values: filledValues(each.with, record), rank: rankOfLink(each) }))
    .filter(({ values }) => values);
}

/** Return the author's words, else the operation's title and the record. `isSaid`: whether they are the author's. */
function wordsOfLink({ words, noun, operation }) {
  if (words) return { words, isSaid: true };
  const behind = noun ? ` ${operation.verb === "GET" ? "of" : "for"} this ${noun}` : "";
  return { words: titleOf(operation) + behind, isSaid: false };
}

function rankOfLink({ words, in: states, operation }) {
  const isRead = operation.verb === "GET";
  const variables = operation.path.split("{").length - 1;
  const isOfRecord = variables > 0;
  // A link that leaves another variable open comes after those that are ready to send
  if (words && !states && variables > 1) return stepRank("made");
  // Operations on the record itself come before those that only reference it
  if (words) return stepRank(states ? "named" : isRead ? "read" : "done") + (isOfRecord ? 0 : 0.5);
  return stepRank(isOfRecord ? "taken" : isRead ? "listed" : "made");
}

/** Return each step once, with its author's words. The operation just called stays only with an author's words. */
function withoutDoubles(steps, called) {
  const said = new Set(steps.filter(({ isSaid }) => isSaid).map(({ operation }) => operation.id));
  return steps.filter(({ operation, isSaid }) => isSaid || (!said.has(operation.id) && operation.id !== called));
}
