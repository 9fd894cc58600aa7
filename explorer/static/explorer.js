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
    else if (![false, null, undefined].includes(value)) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(Boolean));
  return element;
}

/** A `details` element whose content is made when it is first opened. */
function fold(attributes, summary, fill) {
  const details = make("details", attributes, make("summary", {}, summary));
  details.fill = () => {
    details.fill = () => {};
    details.append(...[fill()].flat().filter(Boolean));
  };
  details.addEventListener("toggle", () => details.open && details.fill());
  return details;
}

const text = (tag, kind, words) => (words ? make(tag, { class: kind }, words) : null);
/** Words with `code` between backticks, as docstrings have it. */
const marked = (words) => words.split(/``?([^`]+)``?/).map((part, place) => (place % 2 ? make("code", {}, part) : part));
const block = (label, words) => make("pre", { tabindex: 0, "aria-label": label }, words);
const prose = (tag, kind, words) => (words ? make(tag, { class: kind }, marked(words)) : null);
const paragraphs = (words) =>
  (words || "").split(/\n\s*\n/).filter(Boolean).map((part) => prose("p", "prose", part.replace(/\n(?!\s*[-*0-9])/g, " ")));

// Key and catalogue ---------------------------------------------------------------------------------------------------

async function ask(path, options = {}) {
  const headers = { ...options.headers, DOLAPIKEY: sessionStorage.getItem(KEY) || "" };
  return fetch(path, { ...options, headers, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" });
}

async function load() {
  try {
    const answer = await ask(new URL("catalogue.json", here));
    const content = await answer.json();
    if (!answer.ok) return enter(answer.status === 401 ? "This key is not valid." : content.error.message);
    shown = content;
  } catch {
    return enter("The server cannot be reached, or this cannot be a key.");
  }
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

const named = (schema) => schema.$ref.split("/").pop();
const resolve = (schema) => (schema.$ref ? shown.schemas[named(schema)] : schema);

function typeOf(schema) {
  if (schema.$ref) return named(schema);
  for (const many of ["anyOf", "oneOf", "allOf"]) {
    if (schema[many]) return schema[many].map(typeOf).join(many === "allOf" ? " with " : " or ");
  }
  if (schema.type === "array") return Object.keys(schema.items || {}).length ? `list of ${typeOf(schema.items)}` : "list";
  return schema.format === "binary" ? "a file" : [schema.type || "anything"].flat().join(" or ");
}

function limitsOf(schema) {
  const range = (least, most, unit) => {
    if (!(least in schema)) return most in schema && `up to ${schema[most]}${unit}`;
    return most in schema ? `${schema[least]} to ${schema[most]}${unit}` : `from ${schema[least]}${unit}`;
  };
  return [
    range("minimum", "maximum", ""),
    range("minLength", "maxLength", " characters"),
    range("minItems", "maxItems", " values"),
    schema.enum && `one of ${schema.enum.join(", ")}`,
    schema.format,
    schema.pattern && `like ${schema.pattern}`,
    ![undefined, ""].includes(schema.default) && `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
}

const plain = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));
const typeText = (schema) => [typeOf(schema), ...limitsOf(schema)].join(", ");

// The list ------------------------------------------------------------------------------------------------------------

const counted = (number, word, many = `${word}s`) => `${number} ${number === 1 ? word : many}`;
const badge = (verb, kind) => text("span", `verb ${kind || (verb === "GET" ? "reads" : "writes")}`, verb);

function show() {
  const all = [...shown.services, ...shown.failures].sort((one, other) => one.name.localeCompare(other.name, "en"));
  const nodes = all.map((each) => (each.operations ? serviceNode(each) : failureNode(each)));
  byId("services").replaceChildren(...nodes, ...skippedNodes());
  search();
  openLinked();
}

function serviceNode(service) {
  const summary = [
    make("h2", {}, service.name),
    prose("span", "summary", service.summary),
    text("span", "quiet", counted(service.operations.length, "operation")),
  ];
  const node = fold({ class: "service" }, summary, () => {
    node.operations = service.operations.map(operationNode);
    return [...paragraphs(service.description), ...node.operations];
  });
  const words = `${service.name} ${service.summary}`;
  node.words = service.operations.map((each) => `${each.verb} ${each.path} ${each.summary} ${words}`.toLowerCase());
  node.ids = service.operations.map((each) => each.id);
  return node;
}

function failureNode(failure) {
  const [why, mark, words] = failure.shadowed
    ? ["not served", "–", "Calls do not end here."]
    : ["cannot be loaded", "501", `A file of module ${failure.module} cannot be loaded; every call is answered 501.`];
  const summary = [make("h2", {}, failure.name), text("span", "summary broken", why), text("span", "verb broken", mark)];
  const node = fold({ class: "service" }, summary, () => [
    text("p", "prose", words),
    text("p", "notice", failure.reason),
    text("code", "quiet", failure.file),
    failure.trace && block("Traceback", failure.trace),
    ...failure.methods.map((method) => make("p", { class: "method" }, badge(method.verb, "broken"),
      text("code", "path", method.path), prose("span", "summary", method.summary), text("span", "right", mark))),
  ]);
  const methods = failure.methods.map((method) => `${method.verb} ${method.path} ${method.summary}`);
  node.words = [`${failure.name} 501 broken ${methods.join(" ")}`.toLowerCase()];
  return node;
}

function skippedNodes() {
  const rows = (shown.skipped || []).map((each) => make("p", {}, make("code", {}, each.file), ` ${each.reason}`));
  if (!rows.length) return [];
  const summary = [make("h2", {}, "Passed over"), text("span", "quiet", counted(rows.length, "file"))];
  return [Object.assign(fold({ class: "service" }, summary, () => rows), { words: [""] })];
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
    if (wanted.length && found && total <= 60) unfold(node);
    // What is not built yet shows all once it is opened; a node that is built shows what matches
    (node.operations || []).forEach((each, number) => (each.hidden = !matches[place][number]));
  });
  byId("count").textContent = wanted.length ? counted(total, "match", "matches") : "";
}

function unfold(details) {
  details.fill();
  details.open = true;
}

function openLinked() {
  const id = decodeURIComponent(location.hash.slice(1));
  const service = id && [...byId("services").children].find((node) => (node.ids || []).includes(id));
  if (!service) return;
  unfold(service);
  const operation = service.operations[service.ids.indexOf(id)];
  unfold(operation);
  operation.scrollIntoView();
}

// An operation --------------------------------------------------------------------------------------------------------

const KEYS = { public: "no key needed", hybrid: "with or without a key" };
const rightText = ({ access, permission, held }) => (permission ? `${held ? "" : "needs "}${permission}` : KEYS[access]);

function operationNode(operation) {
  const summary = [
    badge(operation.verb),
    make("code", { class: "path" }, operation.path),
    prose("span", "summary", operation.summary),
    text("span", "tag", operation.deprecated !== null && "deprecated"),
    text("span", "right", rightText(operation)),
  ];
  const kind = `operation${operation.held ? "" : " missing"}${operation.deprecated === null ? "" : " deprecated"}`;
  return fold({ class: kind, id: operation.id }, summary, () => operationContent(operation));
}

function operationContent(operation) {
  const inputs = [];
  const field = (each) => parameterRow(operation, each, inputs);
  const [own, shared] = [false, true].map((kind) => operation.parameters.filter((each) => each.shared === kind).map(field));
  const body = operation.body ? bodyEditor(operation) : null;
  const type = operation.answer.type === "null" ? "nothing" : typeOf(operation.answer);
  const target = { status: make("p", { class: "status", role: "status" }), rest: make("div", {}) };
  const button = make("button", { type: "submit", class: "main" }, "Call");
  const call = async (event) => {
    event.preventDefault();
    button.disabled = true;
    await send(operation, inputs, body && body.querySelector("textarea").value, target);
    button.disabled = false;
  };
  return [
    ...paragraphs(operation.description),
    prose("p", "notice", operation.deprecated && `Deprecated: ${operation.deprecated}`),
    text("p", "notice", !operation.held && `Your key does not hold ${operation.permission}: a call is answered 401.`),
    make("form", { submit: call, autocomplete: "off" },
      own,
      shared.length ? make("details", { class: "shared" }, make("summary", {}, "Sorting, filtering and paging"), shared) : null,
      body,
      make("p", { class: "send" }, button, prose("span", "quiet", `answers ${operation.status}: ${operation.returns || type}`))),
    ...operation.errors.map(([status, words]) => prose("p", "error", `\`${status}\` ${words}`)),
    make("div", { class: "answer" }, target.status, target.rest),
  ];
}

function parameterRow(operation, parameter, inputs) {
  const schema = parameter.schema || parameter.content["application/json"].schema;
  const id = `${operation.id}--${parameter.in}-${parameter.name}`;
  const attributes = { id, name: parameter.name, required: !!parameter.required, "aria-describedby": `${id}-hint` };
  const values = schema.type === "boolean" ? ["true", "false"] : schema.enum;
  const option = (value) => make("option", { value: String(value) }, String(value));
  const mode = { type: "text", spellcheck: "false", inputmode: schema.type === "integer" ? "numeric" : "text" };
  const input = values
    ? make("select", attributes, make("option", { value: "" }, "–"), values.map(option))
    : make("input", { ...attributes, ...mode, placeholder: schema.default === undefined ? null : plain(schema.default) });
  inputs.push({ parameter, input });
  const type = `${parameter.in}, ${typeText(schema)}${schema.type === "array" ? ", separated by commas" : ""}`;
  const words = parameter.description || schema.description;
  return make("div", { class: "row" },
    make("label", { for: id }, schema.title || parameter.name, text("span", "needed", parameter.required && " required")),
    input,
    make("p", { class: "hint", id: `${id}-hint` }, text("span", "type", type), prose("span", "words", words)));
}

function bodyEditor(operation) {
  const id = `${operation.id}--body`;
  const example = JSON.stringify(operation.body.example, null, 2);
  const lines = Math.min(24, Math.max(4, example.split("\n").length + 1));
  const parts = (operation.body.schema.allOf || [operation.body.schema]).map(resolve);
  const required = parts.flatMap((part) => part.required || []);
  const fields = parts.flatMap((part) => Object.entries(part.properties || {}));
  const fieldLine = ([name, schema]) => make("p", {}, make("code", {}, name), make("span", {},
    text("span", "needed", required.includes(name) && "required "), text("span", "type", typeText(schema)),
    prose("span", "words", schema.description)));
  return make("div", { class: "row body" },
    make("label", { for: id }, "Body ", make("span", { class: "type" }, typeOf(operation.body.schema))),
    make("div", {},
      make("textarea", { id, rows: lines, spellcheck: "false" }, example),
      fields.length ? fold({ class: "fields" }, [counted(fields.length, "field")], () => fields.map(fieldLine)) : null));
}

// A call --------------------------------------------------------------------------------------------------------------

function addressOf(operation, inputs) {
  const query = new URLSearchParams();
  let path = operation.path;
  for (const { parameter, input } of inputs) {
    if (parameter.in === "path") {
      const parts = parameter.name === "rest" ? input.value.split("/") : [input.value];
      path = path.replace(`{${parameter.name}}`, () => parts.map(encodeURIComponent).join("/"));
    } else if (parameter.explode) {
      new URLSearchParams(input.value).forEach((value, name) => query.append(name, value));
    } else if (parameter.in === "query" && input.value !== "") {
      query.set(parameter.name, input.value);
    }
  }
  return Object.assign(new URL(path.slice(1), root), { search: query.toString() });
}

async function send(operation, inputs, body, target) {
  const filled = inputs.filter(({ parameter, input }) => parameter.in === "header" && input.value !== "");
  const headers = Object.fromEntries(filled.map(({ parameter, input }) => [parameter.name, input.value]));
  const options = { method: operation.verb, headers: { ...headers, Accept: "application/json, */*;q=0.5" } };
  if (body && body.trim()) {
    options.body = body;
    options.headers["Content-Type"] = "application/json";
  }
  const address = addressOf(operation, inputs);
  const started = performance.now();
  try {
    const answer = await ask(address, options);
    const content = await answer.blob();
    const time = Math.round(performance.now() - started);
    const size = content.size < 10000 ? counted(content.size, "byte") : `${Math.round(content.size / 1000)} kB`;
    target.status.className = `status ${answer.ok ? "good" : "bad"}`;
    target.status.replaceChildren(make("strong", {}, `${answer.status} ${answer.statusText}`), ` in ${time} ms, ${size}`);
    target.rest.replaceChildren(...(await answerNodes(operation, address, answer, content)));
  } catch (error) {
    target.status.className = "status bad";
    target.status.replaceChildren(make("strong", {}, "The call failed: "), error.message);
    target.rest.replaceChildren();
  }
}

async function answerNodes(operation, address, answer, content) {
  const type = answer.headers.get("Content-Type") || "";
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const nodes = [
    make("p", { class: "quiet" }, make("code", {}, `${operation.verb} ${address.pathname}${address.search}`)),
    fold({ class: "headers" }, ["Headers"], () => block("Headers", headers)),
  ];
  const file = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") || "");
  if (file || (content.size && !/json|^text\//.test(type))) {
    const link = make("a", { href: URL.createObjectURL(content), download: file ? file[1] : "answer" }, "Save the file");
    return [...nodes, make("p", {}, link)];
  }
  const words = await content.text();
  const pretty = type.includes("json") && words ? JSON.stringify(JSON.parse(words), null, 2) : words;
  return [...nodes, block("Answer", pretty || "(nothing)")];
}

// Start ---------------------------------------------------------------------------------------------------------------

byId("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, byId("key").value.trim());
  byId("key").value = "";
  load().then(() => byId("search").focus());
});
byId("leave").addEventListener("click", () => enter());
byId("refresh").addEventListener("click", load);
byId("search").addEventListener("input", search);
addEventListener("hashchange", openLinked);
if (sessionStorage.getItem(KEY)) load();
else enter();
