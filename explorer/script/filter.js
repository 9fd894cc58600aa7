// Building a filter of a list from its real columns.

const COMPARED = ["=", "<>", "<", "<=", ">", ">="];
const EMPTY = ["is", "isnot"];
// kind of a column → its operators
const KIND_OPERATORS = {
  text: ["=", "<>", "contains", "begins", "like", "notlike", "in", "notin", ...EMPTY],
  number: [...COMPARED, "in", "notin", ...EMPTY],
  moment: [...COMPARED, ...EMPTY],
  choice: ["=", "<>", "in", "notin", ...EMPTY],
  map: ["like", "notlike", ...EMPTY],
};

/** The columns that a list can be filtered by: [{name, kind, schema}], extra fields behind the record's own. */
function filterColumns(operation) {
  const answer = resolve((operation.responses || {})["200"], operation.spec);
  const { properties } = propertiesOf(
    listedRecord(((answer.content || {})["application/json"] || {}).schema, operation.spec) || {},
    operation.spec,
  );
  const { array_options: extras, ...own } = properties;
  const columns = (all, prefix) =>
    Object.entries(all)
      .map(([name, each]) => [name, resolve(each, operation.spec)])
      .filter(([, each]) => !each["x-computed"] && !typesOf(each).includes("array"))
      .map(([name, each]) => ({
        name: prefix + name.replace(/^options_/, prefix === "ef." ? "" : "options_"),
        kind: columnKind(each),
        schema: each,
      }));
  const extra = extras ? resolve(extras, operation.spec) : {};
  const object = (extra.anyOf || [extra]).find((each) => each.properties) || {};
  return [...columns(own, "t."), ...columns(object.properties || {}, "ef.")];
}

/** The schema of a list's records: those of the first alternative that is a list of records. */
function listedRecord(schema, spec, depth = 0) {
  const said = resolve(schema || {}, spec);
  if (said.items && Object.keys(propertiesOf(said.items, spec).properties).length) return said.items;
  const parts = depth > 5 ? [] : [said.oneOf, said.anyOf].flat().filter(Boolean);
  return parts.reduce((found, part) => found || listedRecord(part, spec, depth + 1), null);
}

/** How a column is compared. A union is what its first part is; an exact decimal is answered as text. */
function columnKind(schema) {
  const [first, ...rest] = (schema.anyOf || [schema]).filter((each) => each.type !== "null");
  const said = { ...schema, ...first };
  const [type] = typesOf(said).filter((each) => each !== "null");
  if (choicesOf(schema).length) return "choice";
  if (isMoment(said) || (type === "integer" && rest.some((each) => each.maxLength === 0))) return "moment";
  if (type === "object") return "map";
  return ["integer", "number"].includes(type) || /^\^-\?\[0-9\]/.test(said.pattern || "") ? "number" : "text";
}

function choicesOf(schema) {
  const parts = [schema, ...(schema.anyOf || [])];
  const known = parts.flatMap((each) => each.enum || []);
  // The column of a boolean may be a number, which compares with 1 and 0; a real one takes them, too
  const values = known.length || !parts.some((each) => typesOf(each).includes("boolean")) ? known : [1, 0];
  return [...new Set(values.filter((each) => each !== null).map(String))];
}

const keepEnterInText = (event) => event.target.tagName === "INPUT" && keepEnter(event);

/** Put the button "Build a filter" below a row; {read()} reads the row's text anew, null where there are no columns. */
function filterBuilder(operation, row) {
  const columns = filterColumns(operation);
  if (!columns.length) return null;
  const id = `${row.input.id}-builder`;
  const list = make("ol", { class: "conditions" });
  const note = make("p", { class: "quiet", role: "status" });
  const panel = make("div", {
    id,
    class: "builder",
    role: "group",
    "aria-label": "Filter",
    hidden: true,
    keydown: keepEnterInText,
  });
  let lines = [];

  const write = () => {
    const conditions = lines.map((line) => line.condition());
    row.input.value = filterText(conditions);
    row.input.dispatchEvent(new Event("input", { bubbles: true }));
    tell(conditions);
  };
  const tell = (conditions) => {
    const waiting = conditions.filter((each) => !isWhole(each)).length;
    const mixed = new Set(conditions.slice(1).map((each) => each.joint)).size > 1;
    const words = [
      waiting > 0 && conditions.length > 1 && `${counted(waiting, "condition")} without a value: left out.`,
      mixed && "“and” binds tighter than “or”.",
    ];
    note.textContent = words.filter(Boolean).join(" ");
  };
  const remove = (line) => () => {
    const place = lines.indexOf(line);
    lines = lines.filter((each) => each !== line);
    line.node.remove();
    if (lines[0]) lines[0].first();
    write();
    (lines[place] || lines[place - 1] || { focus: () => add.focus() }).focus();
  };
  const append = (condition) => {
    const line = conditionLine(columns, condition, lines.length === 0, write, () => remove(line)());
    lines.push(line);
    list.append(line.node);
    return line;
  };
  const add = button("Add a condition", () => {
    append({ joint: "and", column: columns[0].name, operator: "", value: "" }).focus();
    write();
  });
  const read = () => {
    if (panel.hidden) return;
    const known = new Set(columns.map(({ name }) => name));
    const found = filterConditions(row.text().trim());
    const fits = found && found.every((each) => known.has(each.column));
    lines = [];
    list.replaceChildren();
    (fits && found.length ? found : [{ joint: "and", column: columns[0].name, operator: "", value: "" }]).forEach(
      append,
    );
    if (fits) tell(lines.map((line) => line.condition()));
    else note.textContent = "The filter that stands there is beyond this builder: what you build takes its place.";
  };
  const toggle = button(
    "Build a filter",
    () => {
      panel.hidden = !panel.hidden;
      toggle.setAttribute("aria-expanded", String(!panel.hidden));
      read();
      if (!panel.hidden) lines[0].focus();
    },
    { "aria-expanded": "false", "aria-controls": id },
  );
  // What happens inside is told by the row's own input
  panel.addEventListener("input", (event) => event.stopPropagation());
  panel.append(list, make("p", { class: "tools" }, add), note);
  row.input.addEventListener("change", read);
  row.input.parentElement.after(toggle, panel);
  return { read };
}
