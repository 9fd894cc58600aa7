// The JSON body of a call, in an editor that checks it during typing.

// Milliseconds after the last key
const BODY_WAIT = 250;
// Maximum number of problems
const BODY_SHOWN = 8;
// Characters of a key that are compared with other keys
const NAME_LENGTH = 100;

/** Return the editor of a body: {node, keys, problems(), snapshot(), fill(snapshot), content(), renew(example)}. */
function bodyEditor(operation, notify) {
  const { schema, example, description, required } = operation.body;
  const id = `input-${(inputCount += 1)}`;
  let first = example === undefined ? "" : JSON.stringify(example, null, 2);
  const lines = Math.min(24, Math.max(5, first.split("\n").length + 1));
  const area = make("textarea", {
    id,
    name: "body",
    "data-key": "body",
    rows: lines,
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": `${id}-hint ${id}-state`,
    "aria-required": required && "true",
  });
  area.value = first;
  const state = make("p", { id: `${id}-state`, class: "state", role: "status" });
  const list = make("ul", { class: "problems" });
  let timer;

  const look = () => {
    clearTimeout(timer);
    const found = chosen() ? { problems: [], ignored: [] } : checkBody(area.value, operation.body, operation.spec);
    showBody(found, { area, state, list });
    if (chosen()) state.textContent = `Sends ${chosen().name} instead of the JSON`;
    return found;
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(look, BODY_WAIT);
  };
  /** Write a text into the editor, as a step that the browser can undo. */
  const write = (words, from = 0, to = area.value.length) => {
    // A disabled area takes no focus: the words would go into the input that has it
    if (chosen()) return undefined;
    area.focus();
    area.setSelectionRange(from, to);
    // No other call supports undo; it is deprecated, so browsers may remove it
    const done = document.execCommand && document.execCommand("insertText", false, words);
    if (!done) area.setRangeText(words, from, to, "end");
    look();
    return notify();
  };
  const format = () => {
    try {
      write(jsonLines(jsonTree(area.value)));
    } catch (problem) {
      if (!(problem instanceof JsonProblem)) throw problem;
      look();
      area.focus();
      area.setSelectionRange(problem.at, problem.at);
    }
  };
  const insert = (path, value) => {
    const made = insertedField(area.value, path, value);
    if (!made) return say("The field was not added: the body isn't JSON that can hold it.");
    if (made.words !== undefined) write(made.words, made.from, made.to);
    area.focus();
    area.setSelectionRange(...firstValue(jsonNodeAt(jsonTree(area.value), made.path || path)));
    return undefined;
  };
  const file = operation.body.takesCsv && make("input", {
    id: `${id}-file`, type: "file", accept: ".csv,text/csv", "data-key": "file:csv", "aria-label": "CSV file",
    input: () => showFile(),
  });
  const chosen = () => file && file.files[0];
  /** The file replaces the text: an empty choice brings the text back. */
  const showFile = () => {
    area.disabled = Boolean(chosen());
    remove.hidden = !chosen();
    for (const each of ofJson) each.hidden = Boolean(chosen());
    look();
  };
  const remove = button("Send the JSON instead", () => {
    file.value = "";
    showFile();
    notify();
  }, { hidden: true, class: "small" });
  // The text can be of an example from before `renew`
  const examples = [example];
  /** Return whether a part of the body is still as in an example. */
  const isExample = (path) => examples.some((each) => partText(each, path) === partText(JSON.parse(area.value), path));
  const finders = recordFinders(operation, { words: () => area.value, isExample, write });
  const fields = bodyFieldsFold(operation, insert);
  const ofJson = [finders, fields].filter(Boolean);
  const restore = button("Example", () => write(first), { hidden: !first });
  area.addEventListener("input", later);
  const node = make(
    "div",
    { class: "row body" },
    make("label", { for: id }, "Body", text("span", "needed", required && " required")),
    make(
      "div",
      { class: "control" },
      make(
        "p",
        { class: "hint", id: `${id}-hint` },
        text("span", "type", `application/json, ${typeOf(schema)}`),
        authorsWords(description),
      ),
      finders,
      area,
      make(
        "div",
        { class: "tools" },
        state,
        restore,
        button("Format", format),
      ),
      list,
      file && make("div", { class: "csv-file" }, make("p", { class: "hint" }, "Or a CSV file: field names in the first line", csvNames(operation.body), ", one new record in each further line"), dropPlace(file), remove),
      fields,
    ),
  );
  look();
  return {
    node,
    keys: ["body"],
    problems: () =>
      look().problems.map(({ path, message }) => ({
        name: ["body", pathText(path)].filter(Boolean).join(":"),
        message: `${pathText(path) || "body"}: ${message}`,
      })),
    // Don't save an unchanged example: if the definition changes, the example changes as well
    snapshot: () => (area.value === first ? {} : { body: area.value }),
    fill: (snapshot) => {
      area.value = String(snapshot.body ?? first);
      if (file) file.value = "";
      if (file) showFile();
      else look();
    },
    content: () => (chosen() ? { body: chosen(), type: "text/csv", upload: chosen().name } : { body: area.value.trim() ? area.value : undefined }),
    // Replace the example only if the user hasn't started to type
    renew: (better, words) => {
      const isUntouched = area.value === first && document.activeElement !== area;
      const isSame = first === JSON.stringify(better, null, 2);
      first = JSON.stringify(better, null, 2);
      examples.push(better);
      restore.textContent = words;
      if (!isUntouched || isSame) return;
      area.value = first;
      look();
      notify();
    },
  };
}

const partText = (value, path) => JSON.stringify(path.reduce((each, key) => (each || {})[key], value));

/** Return the fields of the example's first creation that a CSV file can have, as `, such as name,client`. */
function csvNames({ example }) {
  const { body } = ((example || {}).entries || []).find(({ method }) => method === "POST") || {};
  const names = Object.entries(body || {}).filter(([, value]) => typeof value !== "object").map(([name]) => name);
  return names.length > 0 && [", such as ", make("code", {}, names.join(","))];
}

/** Return the problems of a body's text: {problems: [{path, message, at}], ignored: [{path, meant, at}]}. */
function checkBody(words, { schema, required }, spec) {
  if (!words.trim()) return { problems: required ? [{ path: [], message: "required", at: 0 }] : [], ignored: [] };
  try {
    const tree = jsonTree(words);
    const found = checkValue(JSON.parse(words), schema, spec);
    const placed = found.map((each) => ({ ...each, at: jsonNodeAt(tree, each.path).at }));
    const twice = jsonRepeated(tree).map((path) => ({
      path,
      message: "duplicate field; the last one applies",
      at: jsonNodeAt(tree, path).at,
    }));
    return {
      problems: [...placed.filter(({ kind }) => kind !== "ignored"), ...twice],
      ignored: placed
        .filter(({ kind }) => kind === "ignored")
        .map(({ path, known, at }, place) => ({ path, at, meant: place < BODY_SHOWN && meantKey(tree, path, known) })),
    };
  } catch (problem) {
    if (!(problem instanceof JsonProblem)) throw problem;
    const { line, column } = lineAndColumn(words, problem.at);
    return {
      problems: [{ path: [], message: `invalid JSON, line ${line}, column ${column}: ${problem.message}`, at: problem.at }],
      ignored: [],
    };
  }
}

/** Return the key that an unknown one probably means, if the object doesn't contain it yet; or null. */
function meantKey(tree, path, known) {
  const around = jsonNodeAt(tree, path.slice(0, -1));
  const taken = new Set((around.members || []).map(({ key }) => key));
  const key = String(path.at(-1)).slice(0, NAME_LENGTH);
  return nearestName(key, [...known].filter((each) => !taken.has(each)));
}

/** Return the state of a body as short text. Ignored fields are valid, although they are seldom intended. */
function bodyWords({ problems, ignored }) {
  if (problems.length) return counted(problems.length, "problem");
  return ignored.length ? `Valid; ${counted(ignored.length, "field")} will be ignored` : "Valid";
}

function showBody(found, { area, state, list }) {
  const { problems, ignored } = found;
  const words = problems.length || area.value.trim() ? bodyWords(found) : "";
  if (state.textContent !== words) state.textContent = words;
  state.classList.toggle("wrong", problems.length > 0);
  state.classList.toggle("doubtful", !problems.length && ignored.length > 0);
  if (problems.length) area.setAttribute("aria-invalid", "true");
  else area.removeAttribute("aria-invalid");
  const go = (at) => () => {
    area.focus();
    area.setSelectionRange(at, at);
  };
  const line = ({ path, message, at }, kind) => {
    const words = [text("code", "", pathText(path)), path.length ? `: ${message}` : message];
    const place = path.length > 0 && ` – line ${lineAndColumn(area.value, at).line}`;
    return make("li", { class: kind }, button(words, go(at)), text("span", "quiet", place));
  };
  const ignoredLine = ({ path, at, meant }) =>
    line({ path, at, message: `ignored by the server${meant ? `; did you mean ${meant}?` : ""}` }, "doubtful");
  const lines = [...problems.map((each) => line(each)), ...ignored.map(ignoredLine)];
  list.replaceChildren(...lines.slice(0, BODY_SHOWN));
  if (lines.length > BODY_SHOWN) list.append(make("li", { class: "quiet" }, `and ${lines.length - BODY_SHOWN} more`));
}
