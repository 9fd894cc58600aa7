// Talking to the server: the key of the tab, requests, the index of all services, the documents of single ones.

const EXPLORER_ADDRESS = new URL(".", document.currentScript.src);
const SERVER_ADDRESS = new URL("..", EXPLORER_ADDRESS);
const KEY = "comptoir-key";

/** The index as last read, and its tag. */
const indexState = { index: { services: [], failures: [], skipped: [], caller: {} }, tag: "", behind: false };
/** Service → its document, with the tag it had in the index. */
const documents = new Map();

class KeyRefused extends Error {}
/** The server, or a proxy before it, doesn't respond. */
class Away extends Error {}

async function ask(path, options = {}) {
  const headers = { ...options.headers };
  const key = sessionStorage.getItem(KEY);
  if (key) headers.DOLAPIKEY = key;
  try {
    return await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" });
  } catch (failed) {
    throw new Away(failed.message);
  }
}

/** The response as data; a rejected key is an error of its own class. */
async function read(path, headers = {}) {
  const answer = await ask(new URL(path, EXPLORER_ADDRESS), { headers });
  if (answer.status === 304) return null;
  if (answer.status === 401) throw new KeyRefused("This key is not valid.");
  if (!answer.ok) throw new Away(answer.statusText);
  const content = await answer.json().catch(({ message }) => Promise.reject(new Away(message)));
  return { content, tag: answer.headers.get("ETag") || "" };
}

/** Read the index; return whether it has changed. */
async function readIndex() {
  const answer = await read("index.json", indexState.tag ? { "If-None-Match": indexState.tag } : {});
  if (!answer) return false;
  Object.assign(indexState, { index: answer.content, tag: answer.tag });
  return true;
}

/** The document of a service, fetched again only after a change. */
async function documentOf(service) {
  const kept = documents.get(service.name);
  const tag = `${service.tag} ${indexState.index.caller.login} ${service.operations.map((each) => each.missing || "").join()}`;
  if (kept && kept.tag === tag) return kept;
  const content = withEnumsInPlace((await read(`openapi/${service.name}.json?names=paths`)).content);
  const made = { tag, spec: content, operations: operationsOf(content, service), shared: JSON.stringify(content.components) };
  // A worker that hasn't seen the change yet may have sent it: then it is fetched again
  if (content.info["x-tag"] === service.tag) documents.set(service.name, made);
  else indexState.behind = true;
  return made;
}

/** A document with all enums in place, and with the keywords beside a `$ref` merged into the schema. */
function withEnumsInPlace(spec) {
  const named = spec.components.schemas;
  const inPlace = (value) => {
    if (Array.isArray(value)) return value.map(inPlace);
    if (!value || typeof value !== "object") return value;
    const target = typeof value.$ref === "string" && value.$ref.startsWith("#/components/schemas/") && named[nameOf(value)];
    if (target && (target.enum || value.properties)) {
      const { $ref, ...own } = value;
      return inPlace({ ...target, ...own, ...(own.properties && { properties: { ...target.properties, ...own.properties } }) });
    }
    const made = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inPlace(each)]));
    if ("const" in made && typeof made.const !== "object") made.enum = [made.const];
    const parts = Array.isArray(made.anyOf) && made.type === "string" ? made.anyOf : [];
    return parts.length && parts.every((each) => each.enum) ? { ...made, anyOf: undefined, enum: parts.flatMap((each) => each.enum) } : made;
  };
  const schemas = Object.fromEntries(Object.entries(named).filter(([, each]) => !each.enum));
  return inPlace({ ...spec, components: { ...spec.components, schemas } });
}

/** Operation ID → operation, with references of parameters, bodies and responses resolved. */
function operationsOf(spec, service) {
  const found = new Map();
  for (const [path, verbs] of Object.entries(spec.paths)) {
    for (const [verb, said] of Object.entries(verbs)) {
      found.set(said.operationId, {
        id: said.operationId,
        verb: verb.toUpperCase(),
        path,
        service: service.name,
        summary: said.summary || "",
        // A description equal to the summary only repeats the title
        description: said.description === `${said.summary}.` ? "" : said.description || "",
        permission: said["x-permission"],
        requires: said["x-requires"],
        searched: said["x-searched"] || [],
        allowed: said["x-allowed"] !== false,
        deprecated: said.deprecated ? said["x-deprecated"] || "" : undefined,
        isPublic: Array.isArray(said.security) && !said.security.length,
        parameters: (said.parameters || []).map((each) => parameterOf(each, spec)),
        body: said.requestBody ? bodyOf(said.requestBody, spec) : null,
        responses: Object.fromEntries(Object.entries(said.responses).map(([status, each]) => [status, responseOf(each, spec)])),
        spec,
        source: JSON.stringify([path, said]),
      });
    }
  }
  return found;
}

/** A documented response. isCommon: every operation shares it, so its page leaves it out. */
function responseOf(each, spec) {
  const response = resolve(each, spec);
  return { ...response, isCommon: "$ref" in each || response["x-common"] === true };
}

function parameterOf(each, spec) {
  const parameter = resolve(each, spec);
  const json = !parameter.schema;
  const schema = json ? parameter.content["application/json"].schema : parameter.schema;
  return { ...parameter, schema, json, shared: "$ref" in each };
}

function bodyOf(body, spec) {
  // A form takes files as well, which JSON can't; a CSV file is an alternative to JSON
  const type = Object.keys(body.content).findLast((each) => each !== "text/csv");
  const { schema } = body.content[type];
  const example = datedToday(body.content[type].example, alternativesOf(schema, spec), spec);
  return { schema, example, required: Boolean(body.required), description: body.description, type, takesCsv: "text/csv" in body.content };
}

/** Send the request of a form; never throws: a failure is part of what is returned. */
async function send(request) {
  const address = new URL(request.path.slice(1), SERVER_ADDRESS);
  address.search = request.query;
  const headers = { Accept: "application/json, */*;q=0.5", ...request.headers };
  const started = performance.now();
  try {
    const answer = await ask(address, { method: request.verb, headers, body: request.body });
    const blob = await answer.blob();
    const time = Math.round(performance.now() - started);
    return { status: answer.status, statusText: answer.statusText, headers: answer.headers, blob, time };
  } catch (failed) {
    return { failed, time: Math.round(performance.now() - started) };
  }
}

// The key -------------------------------------------------------------------------------------------------------------

/** A key for a login and a password. */
async function keyFor(login, password) {
  const body = JSON.stringify({ login, password });
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  const answer = await ask(new URL("login", SERVER_ADDRESS), options);
  const content = await answer.json();
  if (!answer.ok) throw new KeyRefused(content.error.message);
  return content.success.token;
}
