// The columns that a list can be filtered and sorted by.

/** Return the columns of a list: [{name, kind, schema, title, description}], with extra fields last. */
function filterColumns(operation) {
  const { array_options: extras, ...own } = listedProperties(operation);
  const columns = (all, prefix) =>
    Object.entries(all)
      .map(([name, each]) => [name, resolve(each, operation.spec)])
      .filter(([, each]) => !each["x-computed"] && !typesOf(each).includes("array"))
      .map(([name, each]) => columnOf(prefix + name.replace(/^options_/, prefix === "ef." ? "" : "options_"), each));
  const extra = extras ? resolve(extras, operation.spec) : {};
  const object = (extra.anyOf || [extra]).find((each) => each.properties) || {};
  const all = [...columns(own, "t."), ...columns(object.properties || {}, "ef.")];
  return all.map((each) => describedAsOther(each, all));
}

/** Return a column. Amounts are sent as text, and compared as numbers. */
function columnOf(name, schema) {
  const kind = columnKind(schema);
  const { title = "", description = "" } = schema;
  const compared = kind === "number" && schema.pattern ? { ...schema, type: "number" } : schema;
  return { name, kind, schema: compared, title, description };
}

/** Return an alias of a column with the description of that column added. */
function describedAsOther(column, all) {
  const name = column.schema["x-alias-of"];
  const first = name && all.find((each) => each.name === `t.${name}`);
  if (!first || !first.description) return column;
  return { ...column, description: `${column.description}: ${first.description}` };
}

/** Return the fields of a list's records. */
function listedProperties(operation) {
  const answer = resolve((operation.responses || {})["200"], operation.spec);
  const schema = ((answer.content || {})["application/json"] || {}).schema;
  return propertiesOf(listedRecord(schema, operation.spec) || {}, operation.spec).properties;
}

/** Return the schema of a list's records: of the first alternative that is a list of records. */
function listedRecord(schema, spec, depth = 0) {
  const said = resolve(schema || {}, spec);
  if (said.items && Object.keys(propertiesOf(said.items, spec).properties).length) return said.items;
  const parts = depth > 5 ? [] : [said.oneOf, said.anyOf].flat().filter(Boolean);
  return parts.reduce((found, part) => found || listedRecord(part, spec, depth + 1), null);
}

/** Return how a column is compared. The first part of a union decides; exact decimals are sent as text. */
function columnKind(schema) {
  const [first] = (schema.anyOf || [schema]).filter((each) => each.type !== "null");
  const said = { ...schema, ...first };
  const [type] = typesOf(said).filter((each) => each !== "null");
  if (choicesOf(schema).length) return "choice";
  if (isDate(said)) return "date";
  if (type === "object") return "map";
  return ["integer", "number"].includes(type) || /^\^-\?\[0-9\]/.test(said.pattern || "") ? "number" : "text";
}

/** Suggest columns in the inputs that sort or select by them: {"query:sortfield": input, …}. */
function offerColumns(operation, columns, inputs) {
  const offers = {
    "query:sortfield": () => columns.map(({ name }) => name.replace(/^t\./, "")),
    "query:sortorder": () => ["ASC", "DESC"],
    "query:properties": () => Object.keys(listedProperties(operation)),
  };
  for (const [key, names] of Object.entries(offers)) if (inputs[key]) offerNames(inputs[key], names().sort());
}

/** Suggest names in an input of comma-separated names. The suggestion goes after the last comma. */
function offerNames(input, names) {
  const list = make("datalist", { id: `${input.id}-names` });
  const offer = () => {
    const before = /^(?:.*,)?\s*/.exec(input.value)[0];
    list.replaceChildren(...names.map((name) => make("option", { value: before + name })));
  };
  input.setAttribute("list", list.id);
  input.addEventListener("input", offer);
  input.after(list);
  offer();
}
