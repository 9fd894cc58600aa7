// The explorer's page. What comes from the server is put in with textContent only: docstrings may hold anything.
"use strict";

const here = new URL(".", document.currentScript.src);
const root = new URL("..", here);
const KEY = "comptoir-key";
const byId = (id) => document.getElementById(id);

let shown = { services: [], failures: [], schemas: {} };

/** An element with attributes and children; text becomes text, never markup. A function is a handler of its event. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** A `details` element whose content is made when it is first opened. */
function fold(attributes, summary, fill) {
  const details = make("details", attributes, make("summary", {}, summary));
  details.fill = () => {
    details.fill = () => {};
    details.append(...[fill()].flat());
  };
  details.addEventListener("toggle", () => details.open && details.fill());
  return details;
}

const text = (tag, kind, words) => (words ? make(tag, { class: kind }, words) : null);
const paragraphs = (words) => (words || "").split(/\n\s*\n/).filter(Boolean).map((part) => text("p", "prose", part));

// Key and catalogue ---------------------------------------------------------------------------------------------------

async function ask(path, options = {}) {
  const headers = { ...(options.headers || {}), DOLAPIKEY: sessionStorage.getItem(KEY) || "" };
  return fetch(path, { ...options, headers, credentials: "omit", referrerPolicy: "no-referrer" });
}

async function load() {
  let refusal = "";
  try {
    const answer = await ask(new URL("catalogue.json", here), { cache: "no-store" });
    const content = await answer.json();
    if (answer.ok) shown = content;
    else refusal = answer.status === 401 ? "This key is not valid." : content.error.message;
  } catch (error) {
    refusal = error instanceof TypeError ? "The server cannot be reached, or the key holds odd characters." : String(error);
  }
  if (refusal) return enter(refusal);
  byId("enter").hidden = true;
  byId("who").hidden = byId("catalogue").hidden = false;
  byId("login").textContent = shown.caller.login + (shown.caller.admin ? " (administrator)" : "");
  byId("about").textContent = `${shown.version}, profile ${shown.profile}`;
  show();
}

function enter(refusal) {
  sessionStorage.removeItem(KEY);
  shown = { services: [], failures: [], schemas: {} };
  byId("services").replaceChildren();
  byId("about").textContent = byId("login").textContent = "";
  byId("who").hidden = byId("catalogue").hidden = true;
  byId("enter").hidden = false;
  byId("refused").hidden = !refusal;
  byId("refused").textContent = refusal || "";
  byId("key").focus();
}

// Types in words ------------------------------------------------------------------------------------------------------

const named = (schema) => (schema.$ref ? schema.$ref.split("/").pop() : "");
const resolve = (schema) => (schema.$ref ? shown.schemas[named(schema)] || {} : schema);

function typeOf(schema) {
  if (schema.$ref) return named(schema);
  for (const many of ["anyOf", "oneOf", "allOf"]) {
    if (schema[many]) return schema[many].map(typeOf).join(many === "allOf" ? " with " : " or ");
  }
  if (schema.type === "array") return schema.items && Object.keys(schema.items).length ? `list of ${typeOf(schema.items)}` : "list";
  return [schema.type || "anything"].flat().join(" or ");
}

function limitsOf(schema) {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const range = (least, most, unit) => {
    if (least === undefined && most === undefined) return "";
    if (most === undefined) return `from ${least}${unit}`;
    return least === undefined ? `up to ${most}${unit}` : `${least} to ${most}${unit}`;
  };
  return [
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " values"),
    schema.enum ? `one of ${schema.enum.join(", ")}` : "",
    schema.format && schema.format !== "binary" ? schema.format : "",
    schema.pattern ? `like ${schema.pattern}` : "",
    schema.default !== undefined && schema.default !== "" ? `default ${JSON.stringify(schema.default)}` : "",
  ].filter(Boolean);
}

const typeText = (schema) => [typeOf(schema), ...limitsOf(schema)].join(", ");

// The list ------------------------------------------------------------------------------------------------------------

const badge = (verb, failed) => make("span", { class: `verb ${failed ? "broken" : verb === "GET" ? "reads" : "writes"}` }, verb);

function show() {
  const services = shown.services.map((service) => ({ name: service.name, node: serviceNode(service) }));
  const failures = shown.failures.map((failure) => ({ name: failure.name, node: failureNode(failure) }));
  const all = [...services, ...failures].sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  byId("services").replaceChildren(...all.map((each) => each.node), ...skippedNodes());
  search();
  openLinked();
}

const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

function serviceNode(service) {
  const summary = [
    make("h2", {}, service.name),
    text("span", "summary", service.summary),
    text("span", "quiet", counted(service.operations.length, "operation")),
  ];
  const node = fold({ class: "service" }, summary, () => {
    node.operations = service.operations.map(operationNode);
    return [...paragraphs(service.description), ...node.operations.map((each) => each.node)];
  });
  const words = `${service.name} ${service.summary}`;
  node.words = service.operations.map((each) => `${each.verb} ${each.path} ${each.summary} ${words}`.toLowerCase());
  node.ids = service.operations.map((each) => each.id);
  return node;
}

function failureNode(failure) {
  const why = failure.shadowed ? "not served" : "cannot be loaded";
  const summary = [make("h2", {}, failure.name), make("span", { class: "summary broken" }, why), make("span", { class: "verb broken" }, failure.shadowed ? "–" : "501")];
  const node = fold({ class: "service failed" }, summary, () => [
    text("p", "prose", failure.shadowed ? "Another file serves this name." : `The file of module ${failure.module} cannot be loaded; every call is answered 501.`),
    text("p", "notice", failure.reason),
    failure.file ? make("p", { class: "quiet" }, make("code", {}, failure.file)) : null,
    failure.trace ? make("pre", { tabindex: 0, "aria-label": "Traceback" }, failure.trace) : null,
    ...failure.methods.map((method) =>
      make("p", { class: "method" }, badge(method.verb, true), make("code", { class: "path" }, method.path), text("span", "summary", method.summary), make("span", { class: "quiet" }, failure.shadowed ? "" : String(method.status)))),
  ].filter(Boolean));
  node.words = [[failure.name, "501 broken", ...failure.methods.map((method) => `${method.verb} ${method.path} ${method.summary}`)].join(" ").toLowerCase()];
  return node;
}

function skippedNodes() {
  if (!shown.skipped || !shown.skipped.length) return [];
  const rows = shown.skipped.map((each) => make("p", {}, make("code", {}, each.file), ` ${each.reason}`));
  const node = fold({ class: "service" }, [make("h2", {}, "Passed over"), text("span", "quiet", counted(rows.length, "file"))], () => rows);
  node.words = [""];
  return [node];
}

/** Only what holds every word of the search box; few matches are unfolded. */
function search() {
  const wanted = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (words) => wanted.every((word) => words.includes(word));
  const nodes = [...byId("services").children];
  const matches = nodes.map((node) => node.words.map(fits));
  const total = matches.flat().filter(Boolean).length;
  nodes.forEach((node, place) => {
    const found = matches[place].some(Boolean);
    node.hidden = !found;
    if (wanted.length && found && total <= 60) {
      node.fill();
      node.open = true;
    }
    // What is not built yet shows all once it is opened; a node that is built shows what matches
    (node.operations || []).forEach((each, number) => (each.node.hidden = !matches[place][number]));
  });
  byId("count").textContent = wanted.length ? counted(total, "match").replace("matchs", "matches") : "";
}

function openLinked() {
  const id = decodeURIComponent(location.hash.slice(1));
  const service = id && [...byId("services").children].find((node) => (node.ids || []).includes(id));
  if (!service) return;
  service.fill();
  service.open = true;
  const operation = service.operations[service.ids.indexOf(id)].node;
  operation.open = true;
  operation.scrollIntoView();
}

// An operation --------------------------------------------------------------------------------------------------------

function rightText(operation) {
  if (operation.access === "public") return "no key needed";
  if (!operation.permission) return operation.access === "hybrid" ? "with or without a key" : "";
  return operation.held ? operation.permission : `needs ${operation.permission}`;
}

function operationNode(operation) {
  const summary = [
    badge(operation.verb),
    make("code", { class: "path" }, operation.path),
    text("span", "summary", operation.summary),
    operation.deprecated === null ? null : make("span", { class: "tag" }, "deprecated"),
    text("span", "right", rightText(operation)),
  ];
  const kind = `operation${operation.held ? "" : " missing"}${operation.deprecated === null ? "" : " deprecated"}`;
  const node = fold({ class: kind, id: operation.id }, summary, () => operationContent(operation));
  return { node };
}

function operationContent(operation) {
  const inputs = [];
  const field = (each) => parameterRow(operation, each, inputs);
  const own = operation.parameters.filter((each) => !each.shared).map(field);
  const shared = operation.parameters.filter((each) => each.shared).map(field);
  const body = operation.body ? bodyEditor(operation) : null;
  const answer = make("div", { class: "answer", "aria-live": "polite" });
  const button = make("button", { type: "submit", class: "main" }, "Call");
  const call = async (event) => {
    event.preventDefault();
    button.disabled = true;
    await send(operation, inputs, body && body.querySelector("textarea").value, answer);
    button.disabled = false;
  };
  return [
    ...paragraphs(operation.description),
    operation.deprecated ? text("p", "notice", `Deprecated: ${operation.deprecated}`) : null,
    operation.held ? null : text("p", "notice", `Your key does not hold the right ${operation.permission}: a call is answered 401.`),
    make("form", { submit: call, autocomplete: "off" },
      own, shared.length ? make("details", { class: "shared" }, make("summary", {}, `List: ${operation.parameters.filter((each) => each.shared).map((each) => each.name).join(", ")}`), shared) : null,
      body, make("p", { class: "send" }, button, make("span", { class: "quiet" }, answersText(operation)))),
    ...operation.errors.map(([status, words]) => make("p", { class: "error" }, make("code", {}, String(status)), ` ${words}`)),
    answer,
  ].filter(Boolean);
}

function answersText(operation) {
  const type = operation.answer.type === "null" ? "nothing" : typeOf(operation.answer);
  return `answers ${operation.status}: ${type}${operation.returns ? ` (${operation.returns})` : ""}`;
}

function parameterRow(operation, parameter, inputs) {
  const schema = parameter.schema || parameter.content["application/json"].schema;
  const id = `${operation.id}--${parameter.in}-${parameter.name}`;
  const attributes = { id, name: parameter.name, required: !!parameter.required, "aria-describedby": `${id}-hint` };
  const values = schema.type === "boolean" ? ["true", "false"] : schema.enum;
  const input = values
    ? make("select", attributes, make("option", { value: "" }, "–"), values.map((value) => make("option", { value: String(value) }, String(value))))
    : make("input", { ...attributes, type: "text", spellcheck: "false", inputmode: schema.type === "integer" ? "numeric" : "text",
        placeholder: schema.default === undefined ? null : typeof schema.default === "object" ? JSON.stringify(schema.default) : String(schema.default) });
  inputs.push({ parameter, input });
  const hint = make("p", { class: "hint", id: `${id}-hint` }, make("span", { class: "type" }, `${parameter.in}, ${typeText(schema)}${schema.type === "array" ? ", separated by commas" : ""}`), text("span", "words", parameter.description || schema.description));
  return make("div", { class: "row" }, make("label", { for: id }, schema.title || parameter.name, parameter.required ? make("span", { class: "needed" }, " required") : null), input, hint);
}

function bodyEditor(operation) {
  const id = `${operation.id}--body`;
  const example = JSON.stringify(operation.body.example, null, 2);
  const lines = Math.min(24, Math.max(4, example.split("\n").length + 1));
  const parts = (operation.body.schema.allOf || [operation.body.schema]).map(resolve);
  const required = new Set(parts.flatMap((part) => part.required || []));
  const fields = parts.flatMap((part) => Object.entries(part.properties || {}));
  return make("div", { class: "row body" },
    make("label", { for: id }, "Body ", make("span", { class: "type" }, typeOf(operation.body.schema))),
    make("div", {},
      make("textarea", { id, rows: lines, spellcheck: "false" }, example),
      fields.length ? fold({ class: "fields" }, [counted(fields.length, "field")], () => fields.map(([name, schema]) =>
        make("p", {}, make("code", {}, name), required.has(name) ? make("span", { class: "needed" }, " required ") : " ",
          make("span", { class: "type" }, typeText(schema)), text("span", "words", schema.description)))) : null));
}

// A call --------------------------------------------------------------------------------------------------------------

function addressOf(operation, inputs) {
  const query = new URLSearchParams();
  let path = operation.path;
  for (const { parameter, input } of inputs) {
    if (parameter.in === "path") {
      const parts = parameter.name === "rest" ? input.value.split("/") : [input.value];
      path = path.replace(`{${parameter.name}}`, () => parts.map(encodeURIComponent).join("/"));
    } else if (parameter.in === "query" && input.value !== "") {
      query.set(parameter.name, input.value);
    }
  }
  const written = query.toString();
  return new URL(path.slice(1) + (written ? `?${written}` : ""), root);
}

async function send(operation, inputs, body, target) {
  const headers = { Accept: "application/json, */*;q=0.5" };
  for (const { parameter, input } of inputs) {
    if (parameter.in === "header" && input.value !== "") headers[parameter.name] = input.value;
  }
  const options = { method: operation.verb, headers, cache: "no-store" };
  if (body !== null && body.trim() !== "") {
    options.body = body;
    headers["Content-Type"] = "application/json";
  }
  const address = addressOf(operation, inputs);
  const started = performance.now();
  try {
    const answer = await ask(address, options);
    const content = await answer.blob();
    const time = Math.round(performance.now() - started);
    target.replaceChildren(...(await answerNodes(operation, address, answer, content, time)));
  } catch (error) {
    target.replaceChildren(text("p", "notice", `The call failed: ${error.message}`));
  }
}

async function answerNodes(operation, address, answer, content, time) {
  const type = answer.headers.get("Content-Type") || "";
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const size = content.size < 10000 ? `${content.size} bytes` : `${Math.round(content.size / 1000)} kB`;
  const status = make("p", { class: `status ${answer.ok ? "good" : "bad"}` }, make("strong", {}, `${answer.status} ${answer.statusText}`), ` in ${time} ms, ${size}`);
  const request = make("p", { class: "quiet" }, make("code", {}, `${operation.verb} ${address.pathname}${address.search}`));
  const nodes = [status, request, fold({ class: "headers" }, ["Headers"], () => [make("pre", { tabindex: 0 }, headers)])];
  if (/json|^text\//.test(type) && !answer.headers.has("Content-Disposition")) {
    nodes.push(make("pre", { tabindex: 0, "aria-label": "Answer" }, indented(await content.text(), type) || "(nothing)"));
  } else if (content.size) {
    const link = URL.createObjectURL(content);
    const name = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") || "");
    nodes.push(make("p", {}, make("a", { href: link, download: name ? name[1] : "answer" }, "Save the file")));
  }
  return nodes;
}

function indented(content, type) {
  try {
    return type.includes("json") ? JSON.stringify(JSON.parse(content), null, 2) : content;
  } catch {
    return content;
  }
}

// Start ---------------------------------------------------------------------------------------------------------------

byId("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, byId("key").value.trim());
  byId("key").value = "";
  load();
});
byId("leave").addEventListener("click", () => enter());
byId("refresh").addEventListener("click", load);
byId("search").addEventListener("input", search);
addEventListener("hashchange", openLinked);
if (sessionStorage.getItem(KEY)) load();
else enter();
