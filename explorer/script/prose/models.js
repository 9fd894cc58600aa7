// The models of a service: the schemas of its document. Each has a page with fields, relations and operations.

/** Schemas that aren't models. */
const NO_MODELS = ["Error", "Pagination", "Page", "Success", "Done", "BatchBody", "BatchRequestEntry", "BatchEntry", "BatchResult", "JsonObject", "WebhookEvent"];

/** The address of a model's page, under the service of the document. */
const addressOfModel = (spec, name) => addressOf((spec.tags[0] || {}).name || "", "", name);

const modelNames = (spec) =>
  Object.keys(spec.components.schemas)
    .filter((name) => !NO_MODELS.includes(name))
    .sort();

/** The models of a service as links; null if it has none. */
function modelsList(spec) {
  const names = modelNames(spec);
  if (!names.length || !(spec.tags || []).length) return null;
  const item = (name) => make("li", {}, modelLink(name, spec));
  return [make("h2", {}, "Models"), make("ul", { class: "models" }, names.map(item))];
}

const modelLink = (name, spec) => make("a", { href: addressOfModel(spec, name) }, make("code", {}, name));

/** A type in words; the name of a model leads to its page. */
function linkedType(schema, spec) {
  const words = typeText(schema);
  const names = modelsIn(schema).filter((name) => (spec.tags || []).length && !NO_MODELS.includes(name));
  if (!names.length) return words;
  const parts = words.split(new RegExp(`\\b(${names.join("|")})\\b`));
  return parts.map((part) => (names.includes(part) ? modelLink(part, spec) : part));
}

/** The names that a schema references directly. */
function modelsIn(value) {
  if (!value || typeof value !== "object") return [];
  if (typeof value.$ref === "string" && value.$ref.startsWith("#/components/schemas/")) return [nameOf(value)];
  return [...new Set(Object.values(value).flatMap(modelsIn))];
}

/** The page of a model. */
function modelNode(service, spec, name) {
  const schema = spec.components.schemas[name];
  const family = modelNames(spec).filter((each) => each !== name && plainModel(each, spec) === plainModel(name, spec));
  return make("article", { class: "one model" },
    make("header", {},
      make("p", { class: "above" }, make("a", { href: addressOf(service.name) }, serviceTitle(service))),
      make("h1", { tabindex: -1 }, name),
      make("p", { class: "quiet" }, modelPurpose(name, spec), family.map((each) => [" · ", modelLink(each, spec)]))),
    make("div", { class: "prose" }, prose(schema.description || "")),
    make("h2", {}, "Fields"),
    fieldsTable(schema, spec),
    relationsList(schema, spec),
    usedList("Returned by", (said) => said.responses, name, service, spec),
    usedList("Accepted by", (said) => said.requestBody, name, service, spec),
    exampleFold(((spec.components.examples || {})[name] || {}).value, "Example"));
}

/** The name of the record that a body creates or changes. */
function plainModel(name, spec) {
  const plain = name.replace(/(New|Change)$/, "");
  return Object.hasOwn(spec.components.schemas, plain) ? plain : name;
}

function modelPurpose(name, spec) {
  if (plainModel(name, spec) === name) return "A record in responses";
  return name.endsWith("New") ? "Fields of a new record" : "Fields you can change";
}

/** The records that the fields of a model name. */
function relationsList(schema, spec) {
  const { properties } = propertiesOf(schema, spec);
  const line = ([field, each]) => {
    const reader = saidOf(each, resolve(each, spec), "x-reads");
    if (reader && field !== "id" && !each["x-alias-of"]) {
      return make("li", {}, make("code", {}, field), ": ID of a record in ", make("a", { href: addressOf(serviceOf(reader)) }, titleOfService(serviceOf(reader))));
    }
    const inner = modelsIn(each).filter((name) => !NO_MODELS.includes(name));
    return inner.length ? make("li", {}, make("code", {}, field), ": ", linkedType(each, spec)) : null;
  };
  const lines = Object.entries(properties).map(line).filter(Boolean);
  return lines.length ? [make("h2", {}, "Relations"), make("ul", { class: "plain" }, lines)] : null;
}

/** The operations that return or take a model, or a list of it. */
function usedList(title, partOf, name, service, spec) {
  const isUsed = (said) => modelsIn(partOf(said) || {}).includes(name);
  const using = Object.values(spec.paths).flatMap((verbs) => Object.values(verbs)).filter(isUsed);
  const ids = new Set(using.map(({ operationId }) => operationId));
  const items = service.operations.filter(({ id }) => ids.has(id)).map((each) => operationItem(each, "service", addressOf(service.name, each.id)));
  return items.length ? [make("h2", {}, title), make("ul", { class: "operations" }, items)] : null;
}

/** An example in a fold; null if the value is undefined. */
function exampleFold(value, title = "Example response", label = title) {
  if (value === undefined) return null;
  const words = JSON.stringify(value, null, 2);
  return fold({ class: "answer-example" }, title, () => {
    const pre = make("pre", { tabindex: 0, "aria-label": label });
    const { write, all } = longCode(pre);
    write(words);
    return [make("p", { class: "buttons" }, button("Copy", (event) => copy(words, event.currentTarget), { class: "small" })), pre, all];
  });
}
