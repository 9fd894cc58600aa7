// One row for each value of a call: label, control, hint. What is typed is text; a check tells what is wrong with it.

let inputCount = 0;

/** How a value is asked for. */
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

// kind → the control for it; what it holds is in `value` like any control's
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
    const none = defaultOf(parameter) ? `– (${defaultOf(parameter)})` : empty;
    return make("select", attributes, choiceOptions(parameterChoices(schema), schema, none));
  },
};

const KIND_HINTS = {
  list: "separated by commas",
  free: "additional query parameters, one name=value per line",
  json: "as JSON",
};

/** What an author says of a field, or nothing. */
const authorsWords = (words) => (words ? make("span", { class: "words" }, inline(words)) : null);

/** For an input that is no part of the request: Enter is not "send". */
const keepEnter = (event) => event.key === "Enter" && !event.ctrlKey && !event.metaKey && event.preventDefault();

/** A place to drop a file on, around a file input. */
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
 * The row of a parameter: {key, parameter, kind, node, input, text(), fill(text), problem(), check()}.
 * problem() is the message of what is wrong now, or ""; check() shows it, too.
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
  // Nobody is told what is wrong while still typing; once told, they see at once when it is right
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

/** The parts of a path that a row fills: one, or several where it stands for the rest of the path. */
const pathParts = (row) => (row.parameter.name === "rest" ? row.text().split("/") : [row.text()]);
const isDots = (part) => part === "." || part === "..";

/** What is wrong with a row's text; "" where nothing is. */
function rowProblem(row, spec) {
  const { parameter, kind } = row;
  const words = row.text();
  if (kind === "file" ? !row.file() : words.trim() === "") return parameter.required ? "required" : "";
  if (kind === "file") return "";
  if (parameter.in === "path" && pathParts(row).some(isDots)) return "a path can't contain . or .. as a segment";
  // Even when it is escaped, servers take it for the end of the part, and the path for that of another operation
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
