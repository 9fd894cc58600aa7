// What can be done next: the operations that take the identifier of the record that was answered.

const STEPS_SHOWN = 8;
/** The order of those that are not moves: first what adds to the record, then what changes it, then what reads. */
const STEP_ORDER =
  ["below POST", "record PATCH", "record PUT", "below GET", "record GET", "below PUT", "record DELETE"];

/** Links to what may be done with the record of an answer; null where there is no record of this service in it. */
function nextStepsNode(operation, parsed, alternatives) {
  const [reader, id] = recordOf(parsed, alternatives, operation.spec);
  const own = reader ? stepsOf(operation, reader) : [];
  if (!own.length) return null;
  const steps = [...own.slice(0, STEPS_SHOWN - 1), ...stepsElsewhere(operation), ...own.slice(STEPS_SHOWN - 1)];
  const link = ({ name, words, verb, said, service = operation.service, more = "" }) => {
    const href = `${addressOf(service, said.operationId)}?${more}${name}=${id}`;
    return make("a", { href, title: said.summary }, badge(verb), make("span", {}, words));
  };
  const more = (event) => {
    const links = steps.slice(STEPS_SHOWN).map(link);
    event.currentTarget.replaceWith(...links);
    links[0].focus();
  };
  const left = steps.length - STEPS_SHOWN;
  const label = `Go on with ${id}`;
  return make("nav", { class: "go-on", "aria-label": label }, make("span", { class: "quiet" }, `${label}:`),
    steps.slice(0, STEPS_SHOWN).map(link), left > 0 && button(`${left} more`, more, { class: "small" }));
}

/** The operation that reads the record an answer is or names, and its identifier. */
function recordOf(parsed, alternatives, spec) {
  const isObject = parsed && typeof parsed === "object" && !Array.isArray(parsed);
  const value = isObject ? parsed.id : parsed;
  const meant = isObject ? innerAlternatives(alternatives, "id", spec) : alternatives;
  const named = meant.find((each) => typeof each["x-reads"] === "string");
  const isNumber = typeof value === "string" || Number.isSafeInteger(value);
  return named && isNumber && POSITIVE.test(value) ? [named["x-reads"], value] : [];
}

/** The operations whose only variable is the identifier: the moves of the service first, never the one just called. */
function stepsOf({ id, spec }, reader) {
  const isRead = ([, verbs]) => verbs.get && verbs.get.operationId === reader;
  const [own = ""] = Object.entries(spec.paths).find(isRead) || [];
  const [, name] = /^[^{]*\{(\w+)\}$/.exec(own) || [];
  if (!name) return [];
  const moves = ((spec.tags[0] || {})["x-transitions"] || []).map((each) => each.operation);
  const steps = Object.entries(spec.paths)
    .filter(([path]) => path === own || (path.startsWith(`${own}/`) && path.split("{").length === 2))
    .flatMap(([path, verbs]) => Object.entries(verbs).map(([verb, said]) => {
      const step = { name, words: path.slice(own.length + 1) || "the record", verb: verb.toUpperCase(), said };
      return { ...step, rank: stepRank(step, path === own, moves) };
    }));
  return steps
    .filter(({ said }) => said.operationId !== id && said["x-allowed"] !== false && !said.deprecated)
    .sort((one, other) => one.rank - other.rank);
}

/** What operations of other services do with records of this one: those that are told its name beside the identifier. */
function stepsElsewhere({ service, id }) {
  const isMeant = ({ records, missing, deprecated, id: other }) =>
    records && records.services.includes(service) && !missing && !deprecated && other !== id;
  return indexState.index.services.flatMap(({ name, operations }) => operations.filter(isMeant).map((each) => ({
    name: "id", words: each.path.slice(1), verb: each.verb, service: name, more: `${each.records.parameter}=${service}&`,
    said: { operationId: each.id, summary: each.summary },
  })));
}

function stepRank({ verb, said }, isOwn, moves) {
  const move = moves.indexOf(said.operationId);
  if (move >= 0) return move;
  const order = STEP_ORDER.indexOf(`${isOwn ? "record" : "below"} ${verb}`);
  return moves.length + (order < 0 ? STEP_ORDER.length : order);
}
