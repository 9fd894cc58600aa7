// Links below a rejected call: the guide's page for its status, the record, and the operations its state allows.

/** Status → its page in the guide; the page `errors` covers all others. */
const STATUS_PAGES = { 401: "authenticate", 403: "authenticate", 412: "changes", 413: "limits", 414: "limits", 422: "changes", 429: "limits", 431: "limits" };
/** Statuses that concern a record you may read. */
const ABOUT_RECORD = [304, 400, 405, 409, 412];

/** Return the links below a rejected call. */
function refusalNodes({ allowed, state }, { operation, request, answer: { status } }) {
  const page = STATUS_PAGES[status] || "errors";
  const isServed = indexState.index.guide.some(({ name }) => name === page);
  const [reader, id] = ABOUT_RECORD.includes(status) ? recordOfPath(operation, request) : [];
  const links = [
    isServed && make("a", { href: addressOfGuide(page) }, `What ${status} means`),
    reader && make("a", { href: `${addressOfOperation(reader.id)}?${variableOfPath(reader.path)}=${id}` }, `Read this ${nounOf(operation.service)}`),
  ].filter(Boolean);
  const steps = reader && Array.isArray(allowed) ? allowedSteps(allowed, id) : [];
  return [
    links.length > 0 && make("nav", { class: "go-on", "aria-label": "About this error" }, links),
    steps.length > 0 ? stepsNode(reader.id, id, steps, state) : reader && status === 405 && stepsOnceRead(reader.id, id, operation),
  ];
}

const variableOfPath = (path) => /\{(\w+)\}/.exec(path)[1];

/** Return the operation that reads the record whose ID is in a request's path, and the ID; otherwise []. */
function recordOfPath(operation, request) {
  const [own] = /^\/[^/{]+\/\{\w+\}/.exec(operation.path) || [];
  const { operations = [] } = everyService().find(({ name }) => name === operation.service) || {};
  const reader = own && operations.find(({ verb, path, missing }) => verb === "GET" && !missing && path.replace(/\{\w+\}/, "") === own.replace(/\{\w+\}/, ""));
  return reader ? [reader, request.path.split("/")[2]] : [];
}

/**
 * Return the operations that the server lists as allowed, such as `POST /orders/{id}/close`, as steps.
 * The ID fills the first variable.
 */
function allowedSteps(allowed, id) {
  const operations = new Map(everyService().flatMap((each) => each.operations || []).map((each) => [`${each.verb} ${each.path}`, each]));
  const known = allowed.map((each) => operations.get((each || {}).operation)).filter((each) => each && !each.missing && each.path.includes("{"));
  return known.map((operation) => ({ operation, service: serviceOf(operation.id), values: `${variableOfPath(operation.path)}=${id}`, words: titleOf(operation) }));
}
