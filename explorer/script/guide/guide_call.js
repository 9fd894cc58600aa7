// A call of a guide page: its code, a button that sends it to this server, and a short form of the response.

// Characters shown of a response from which no value is saved
const ANSWER_SHOWN = 300;

/**
 * Return {node, call, refresh()} for a call of a guide page.
 *
 * @param guide the page as {calls, values, made, changed()}
 */
function guideCall(call, guide) {
  const number = guide.calls.length + 1;
  const operation = operationOfCall(call);
  const status = make("p", { class: "status", role: "status", "aria-label": `Response to call ${number}` });
  const rest = make("div", {});
  const line = make("p", { class: "call-line" });
  const running = button("Run", () => run(), { class: "main", "data-key": `run-${number}`, "aria-label": `Run call ${number}` });
  const view = { call, number, operation, guide, status, rest };
  const saves = operation && operation.saves;
  const code = codeBlock(`Call ${number} as code`, () =>
    ({ ...requestOfCall(call, guide.values), saves, variables: openVariables(call, guide) }));
  const refresh = () => {
    const request = requestOfCall(call, guide.values);
    const { path, query } = request;
    code.refresh();
    line.replaceChildren(text("span", "number", `${number}`), badge(call.verb), " ",
      make("code", { class: "path" }, breakable(query ? `${path}?${decoded(query)}` : path)));
    // Show that a value is missing before the button is pressed
    running.classList.toggle("waiting", missingValues(call, guide.values).length > 0);
  };
  const run = async () => {
    if (running.getAttribute("aria-disabled") === "true") return;
    running.setAttribute("aria-disabled", "true");
    try {
      await runGuideCall(view);
    } finally {
      running.removeAttribute("aria-disabled");
    }
  };
  const open = () => openPast(addressOfOperation(operation.id), snapshotOfCall(operation, requestOfCall(call, guide.values)));
  const node = make("section", { class: "guide-call", "aria-label": `Call ${number}: ${call.verb} ${call.address.split("?")[0]}` },
    line, code.node,
    operation
      ? make("p", { class: "buttons" }, running, code.copyButtons,
        button("Open the form", open, { class: "small" }))
      : make("p", { class: "notice" }, "This operation doesn't exist on this server, or your key can't access it."),
    operation && operation.missing && make("p", { class: "quiet" }, `Your key doesn't have the permission ${operation.missing}, so this call fails with 401.`),
    status, rest);
  refresh();
  return { node, call, refresh };
}

/** Send the call, show the response, and save the values for later calls. */
async function runGuideCall(view) {
  const { call, operation, guide, status, rest } = view;
  const missing = missingValues(call, guide.values);
  if (missing.length) {
    status.className = "status bad";
    status.textContent = missing.map((name) => missingWords(name, guide)).join(" ");
    return rest.replaceChildren();
  }
  const request = requestOfCall(call, guide.values);
  if (!(await confirmed(request))) return null;
  const answer = await send(request);
  rememberCall({
    id: operation.id, service: serviceOf(operation.id), verb: request.verb, path: request.path, query: request.query,
    snapshot: snapshotOfCall(operation, request), status: answer.status || 0, time: answer.time, moment: Date.now(),
  });
  showStatus(status, answer);
  if (answer.failed) return rest.replaceChildren();
  if (answer.status === 401 && answer.headers.has("WWW-Authenticate")) askForKey("The key is no longer valid.");
  const words = /json|text/.test(answer.headers.get("Content-Type") || "") ? await answer.blob.text() : "";
  const content = parsedJson(words);
  const isExpected = call.statuses.includes(answer.status);
  const kept = isExpected && answer.status < 400 ? keptOf(call, content, answer.headers) : [];
  kept.forEach(([name, value]) => guide.values.set(name, value));
  if (isExpected) forgetEnded(call, guide);
  noteMade(view, kept);
  rest.replaceChildren(...shortAnswer({ isExpected, kept, content, words }).filter(Boolean), wholeAnswer(operation, request, answer, !words));
  return guide.changed();
}

/** Remove the values of deleted records, whose IDs may be reused; the new `once` keeps idempotency keys unique. */
function forgetEnded({ ends }, { values }) {
  ends.forEach((name) => values.delete(name));
  if (ends.length) values.set("once", valuesToBegin().get("once"));
}

/** Return which call to run first for a missing value. */
function missingWords(name, guide) {
  const maker = makerOf(name, guide);
  return maker ? `Run call ${maker} first: it returns {${name}}.` : `No call on this page returns {${name}}.`;
}

/** The values that a call still needs, as variables of its code: a bare one in a body is a number, one in a text is a text. */
function openVariables(call, guide) {
  return missingValues(call, guide.values).map((name) => {
    const isNumber = call.address.split("?")[0].includes(`{${name}}`) || new RegExp(`[:[,] *\\{${name}\\}`).test(call.body);
    return { name, value: isNumber ? 1 : name.toUpperCase(), note: `from call ${makerOf(name, guide)}` };
  });
}

/** The number of the call that returns a value; 0: none does. */
const makerOf = (name, { calls }) => calls.findIndex(({ call }) => call.keeps.some((each) => each.name === name)) + 1;

/** The part of a response that is shown at once. */
function shortAnswer({ isExpected, kept, content, words }) {
  const error = errorOf(content);
  const beginning = words.slice(0, ANSWER_SHOWN);
  return [
    !isExpected && make("p", { class: "notice" }, "The text above expects a different response."),
    error && errorNode(error),
    kept.length > 0 && make("p", { class: "kept" }, ["Saved: ", kept.map(([name, value], place) => [place > 0 && ", ", make("code", {}, name), ` = ${value}`])]),
    !error && !kept.length && beginning && make("pre", { tabindex: 0, "aria-label": "Start of the response" },
      beginning + (words.length > ANSWER_SHOWN ? " …" : "")),
  ];
}

/** The response as the operation's page shows it: tables and next calls; a file is shown at once. */
function wholeAnswer(operation, request, answer, open) {
  const target = make("div", { class: "answer" });
  const show = async () => {
    const service = indexState.index.services.find(({ name }) => name === serviceOf(operation.id));
    const { operations } = await documentOf(service);
    showAnswer(operations.get(operation.id), request, answer, target, openRead, -1);
  };
  return fold({ class: "whole", open }, "Full response", () => {
    show();
    return target;
  });
}

/** Remember the record that a call has made, to show and remove it later. */
function noteMade({ call, operation, guide }, kept) {
  const service = serviceOf(operation.id);
  const reader = operationOfCall({ verb: "GET", address: `/${service}/1` });
  const own = call.keeps.find(({ place }) => !place);
  const [, id] = kept.find(([name]) => own && name === own.name) || [];
  if (call.verb !== "POST" || !id || !reader || guide.made.some((each) => each.service === service && each.id === id)) return;
  guide.made.push({ service, id, href: `${addressOfOperation(reader.id)}?id=${encodeURIComponent(id)}` });
}

/** The operation that a call uses: its path matches with the most literal parts; undefined if none matches. */
function operationOfCall({ verb, address }) {
  const parts = address.split("?")[0].split("/");
  const fits = (path) => {
    const own = path.split("/");
    return own.length === parts.length && own.every((part, place) => part === parts[place] || part.startsWith("{"));
  };
  const service = indexState.index.services.find(({ name }) => name === parts[1]);
  return (service ? service.operations : []).filter((each) => each.verb === verb && fits(each.path))
    .sort((one, other) => one.path.split("{").length - other.path.split("{").length)[0];
}

/** Return a body in which what no call has returned yet is null: braces wouldn't be JSON. */
const valuesLeft = (body) => body.replace(/([:[,]\s*)\{\w+\}/g, "$1null");

/** Return the values of the operation's form for this call. */
function snapshotOfCall({ path }, request) {
  const parts = request.path.split("/").map(decoded);
  const inPath = path.split("/").flatMap((part, place) => (part.startsWith("{") ? [[`path:${part.slice(1, -1)}`, parts[place]]] : []));
  const inQuery = [...new URLSearchParams(request.query)].map(([name, value]) => [`query:${name}`, value]);
  const inHead = Object.entries(request.headers).filter(([name]) => name !== "Content-Type").map(([name, value]) => [`header:${name}`, value]);
  return Object.fromEntries([...inPath, ...inQuery, ...inHead, ...(request.body ? [["body", valuesLeft(request.body)]] : [])]);
}
