// One row for each value of a call: label, control, hint. Values are text; a check reports their problems.

let inputCount = 0;

/** Return the kind of control for a parameter. */
function inputKind(parameter) {
  const { schema } = parameter;
  const types = typesOf(schema).filter((type) => type !== "null");
  if (schema.format === "binary") return "file";
  if (parameterChoices(schema).length) return "choice";
  if (types[0] === "object") return parameter.in === "query" && !parameter.json ? "free" : "json";
  if (parameter.json) return "json";
  if (isDate(schema)) return "date";
  return { array: "list", integer: "number", number: "number" }[types[0]] || "text";
}

const plainText = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));
const defaultOf = ({ schema }) => ([undefined, null, ""].includes(schema.default) ? "" : plainText(schema.default));

// kind → its control; each has a `value`
const CONTROLS = {
  text: (parameter, attributes) => make("input", { ...attributes, type: "text", placeholder: defaultOf(parameter) }),
  number: (parameter, attributes) => {
    const signed = !(parameter.schema.minimum >= 0);
    // Phone keyboards for numbers have no minus
    const inputmode = signed ? "text" : typesOf(parameter.schema)[0] === "integer" ? "numeric" : "decimal";
    return make("input", { ...attributes, type: "text", inputmode, placeholder: defaultOf(parameter) });
  },
  list: (parameter, attributes) => CONTROLS.text(parameter, attributes),
  date: (parameter, attributes) => CONTROLS.text(parameter, attributes),
  free: (parameter, attributes) => make("textarea", { ...attributes, rows: 2, placeholder: "name=value" }),
  json: (parameter, attributes) =>
    make("textarea", { ...attributes, rows: 2, placeholder: defaultOf(parameter) || "{}" }),
  file: (parameter, attributes) => make("input", { ...attributes, type: "file" }),
  choice: (parameter, attributes) => {
    const { schema } = parameter;
    const empty = schema.enum && parameter.in === "query" && !parameter.required ? "any" : "–";
    const none = defaultOf(parameter) ? `default: ${defaultOf(parameter)}` : empty;
    return make("select", attributes, choiceOptions(parameterChoices(schema), schema, none));
  },
};

const KIND_HINTS = {
  list: "separated by commas",
  free: "additional query parameters, one name=value per line",
  json: "as JSON",
};

/** Return an author's description of a field as an element, or null. */
const authorsWords = (words) => (words ? make("span", { class: "words" }, inline(words)) : null);

/** Keep Enter from sending the form, for an input outside the request. */
const keepEnter = (event) => event.key === "Enter" && !event.ctrlKey && !event.metaKey && event.preventDefault();

/** Return a file input with an area to drop a file on. */
function dropPlace(input) {
  const over = (is) => place.classList.toggle("over", is);
  const drop = (event) => {
    event.preventDefault();
    over(false);
    if (!event.dataTransfer.files.length) return;
    const files = new DataTransfer();
    files.items.add(event.dataTransfer.files[0]);
    input.files = files.files;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const place = make(
    "div",
    { class: "drop", dragover: (event) => (event.preventDefault(), over(true)), dragleave: () => over(false), drop },
    input,
    make("span", { class: "quiet" }, "or drop a file here"),
  );
  return place;
}

/**
 * Return the row of a parameter: {key, parameter, kind, input, node, text(), file(), fill(text), problem(), check()}.
 * problem() returns what is wrong now, or ""; check() also shows it.
 */
function inputRow(parameter, spec) {
  const schema = resolve(parameter.schema, spec);
  const said = { ...parameter, schema };
  const kind = inputKind(said);
  const key = `${parameter.in}:${parameter.name}`;
  const id = `input-${(inputCount += 1)}`;
  const input = CONTROLS[kind](said, {
    id,
    name: parameter.name,
    "data-key": key,
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": `${id}-hint ${id}-problem`,
    "aria-required": parameter.required && "true",
  });
  const beside = { date: () => [input, dayPicker(input, schema)], file: () => dropPlace(input) }[kind];
  const type = [parameter.in, typeText(schema), KIND_HINTS[kind]].filter(Boolean).join(", ");
  const hint = make(
    "p",
    { class: "hint", id: `${id}-hint` },
    text("span", "type", type),
    authorsWords(parameter.description || schema.description),
  );
  const message = make("p", { class: "problem", id: `${id}-problem`, hidden: true });
  const row = {
    key,
    parameter: said,
    kind,
    input,
    text: () => (kind === "file" ? "" : input.value),
    file: () => (kind === "file" ? input.files[0] : undefined),
    fill: (words) => {
      if (kind === "choice") chooseValue(input, words);
      else input.value = kind === "file" ? "" : words;
      show("");
      if (row.text().trim()) row.check();
    },
    problem: () => rowProblem(row, spec),
    check: () => show(row.problem()),
  };
  const show = (words) => {
    message.textContent = words;
    message.hidden = !words;
    if (words) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    return words;
  };
  // Report a problem only after typing; once reported, remove it as soon as the value is valid
  input.addEventListener("change", () => row.check());
  input.addEventListener("input", () => message.hidden || row.check());
  row.node = make(
    "div",
    { class: "row" },
    make(
      "label",
      { for: id },
      make("span", { class: "name" }, schema.title || parameter.name),
      text("span", "needed", parameter.required && " required"),
    ),
    make("div", { class: "control" }, make("div", { class: "field" }, beside ? beside() : input), message),
    hint,
  );
  return row;
}

/** Return the path segments that a row fills: one, or several for the rest of the path. */
const pathParts = (row) => (row.parameter.name === "rest" ? row.text().split("/") : [row.text()]);
const isDots = (part) => part === "." || part === "..";

/** Return what is wrong with a row's text, or "". */
function rowProblem(row, spec) {
  const { parameter, kind } = row;
  const words = row.text();
  if (kind === "file" ? !row.file() : words.trim() === "") return parameter.required ? "required" : "";
  if (kind === "file") return "";
  if (parameter.in === "path" && pathParts(row).some(isDots)) return "a path can't contain . or .. as a segment";
  // Servers treat even an escaped slash as the end of a segment, and would call another operation
  if (parameter.in === "path" && parameter.name !== "rest" && words.includes("/")) return "a path segment can't contain /";
  if (parameter.in === "header" && /[^\t\x20-\x7e\xa0-\xff]/.test(words))
    return "a header can contain only Latin-1 characters, on one line";
  if (kind === "free") {
    const wrong = words.split("\n").find((line) => line.trim() && !/^[^=]+=/.test(line.trim()));
    return wrong ? `expected name=value, got ${wrong.trim()}` : "";
  }
  if (kind !== "json") return checkText(words, parameter.schema, spec);
  try {
    jsonTree(words);
  } catch (problem) {
    return `invalid JSON: ${problem.message}`;
  }
  return checkText(words, parameter.schema, spec);
}
