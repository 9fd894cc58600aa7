// One condition of a filter: column, operator, and an input that suits both.

/** Return one condition: {node, condition(), problem(), first(), focus()}. */
function conditionLine(columns, known, { joint, column, operator, value }, first, changed, remove) {
  const id = `condition-${(inputCount += 1)}`;
  const byName = new Map(columns.map((each) => [each.name, each]));
  const option = (name, words = name) => make("option", { value: name }, words);
  const choose = (label, options, then) => make("select", { "aria-label": label, change: then }, options);
  const join = choose("Joined by", [option("and"), option("or")], () => changed());
  const [own, aliases] = [false, true].map((isAlias) => sortedColumns(columns.filter(({ schema }) => Boolean(schema["x-alias-of"]) === isAlias)).map(columnOption));
  const names = choose("Column", [...own, aliases.length > 0 && make("optgroup", { label: "Aliases" }, aliases)], () => (fit(), changed()));
  const operators = choose("Operator", [], () => (fitValue(input.value), changed()));
  const place = make("span", { class: "value" });
  const problem = make("p", { class: "problem", id: `${id}-problem`, hidden: true });
  const about = make("p", { class: "hint" });
  let input;

  const chosen = () => byName.get(names.value);
  const offerOperators = (wanted) => {
    const suiting = operatorsFor(chosen().kind, known);
    operators.replaceChildren(...suiting.map((name) => option(name, known[name].words)));
    return suiting.includes(wanted);
  };
  /** Update operators and input for another column; keep what still fits. */
  const fit = () => {
    const before = operators.value;
    if (offerOperators(before)) operators.value = before;
    const choices = choicesOf(chosen().schema);
    const fitting = () => filterValues(input.value).filter((each) => choices.includes(each));
    fitValue(choices.length ? fitting().join(", ") : input.value);
  };
  /** Update the input for another operator; of several values, keep the first. */
  const fitValue = (words) => {
    const isChosen = chosen().kind === "choice" && !takesSeveral(known[operators.value]);
    showValue(isChosen ? filterValues(words)[0] || "" : words);
  };
  const showValue = (words) => {
    const { schema, kind, description } = chosen();
    const [many, none] = [takesSeveral, takesNone].map((asks) => asks(known[operators.value]));
    const attributes = { "aria-label": "Value", "aria-describedby": problem.id };
    if (kind === "choice" && !many) {
      input = make("select", { ...attributes, change: told }, choiceOptions(choicesOf(schema), schema, "–"));
      chooseValue(input, words);
    } else {
      const typed = () => (kind === "date" && problem.hidden ? changed() : told());
      input = make("input", {
        ...attributes,
        type: "text",
        spellcheck: "false",
        autocomplete: "off",
        placeholder: valueHint(kind, known[operators.value]),
        input: typed,
        change: () => check(),
      });
      input.value = words;
    }
    place.replaceChildren(...(none ? [] : [input, ...(kind === "date" ? [dayPicker(input, schema, () => known[operators.value].values || 1)] : [])]));
    names.title = names.value;
    // The hint would describe the stored number, but users type a day
    if (kind === "date") about.replaceChildren();
    else about.replaceChildren(text("span", "type", typeText(schema)), authorsWords(description) || "");
    check();
  };
  const check = () => {
    problem.textContent = valueProblem(chosen(), known[operators.value], input.value);
    problem.hidden = !problem.textContent;
    if (problem.hidden) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
  };
  const told = () => (check(), changed());

  join.value = joint;
  names.value = column;
  if (!offerOperators(operator) && operator) operators.append(option(operator, known[operator].words));
  if (operator) operators.value = operator;
  showValue(value);
  join.className = "joint";
  join.hidden = first;
  return {
    node: make(
      "li",
      {},
      join,
      names,
      operators,
      place,
      button("Remove", remove, { "aria-label": "Remove this condition" }),
      problem,
      about,
    ),
    condition: () => ({ joint: join.value, column: names.value, operator: operators.value, value: input.value }),
    /** Show what is wrong with the value, and return it, or "". */
    problem: () => (check(), problem.textContent),
    first: () => (join.hidden = true),
    focus: () => names.focus(),
  };
}

/** Return an example of what to type, or how several values are separated; null if any text will do. */
function valueHint(kind, operator) {
  const today = new Date().toISOString().slice(0, 10);
  if (kind === "date") return operator.values === 2 ? `${today.slice(0, 8)}01, ${today}` : today;
  if (operator.values === 2) return "from, to";
  return takesSeveral(operator) ? "separated by commas" : null;
}

/** Return the columns sorted by name, with extra fields last. */
function sortedColumns(columns) {
  const key = ({ name }) => `${name.startsWith("t.") ? 0 : 1}${name}`;
  return [...columns].sort((one, other) => key(one).localeCompare(key(other), "en"));
}

const columnOption = ({ name, title }) =>
  make("option", { value: name, title: [name, title].filter(Boolean).join(": ") }, name.replace(/^t\./, ""));

/** Return what is wrong with the value for a column, or "". A number is valid even if it isn't among the choices. */
function valueProblem({ schema, kind }, operator, words) {
  if (takesNone(operator) || operator.isPattern || !words.trim()) return "";
  const isWhole = kind === "choice" ? !choicesOf(schema).some(wholeProblem) : isWholeNumber(schema);
  const check = {
    number: isWhole ? wholeProblem : numberProblem,
    choice: isWhole ? wholeProblem : () => "",
    date: dateProblem,
  }[kind];
  const values = takesSeveral(operator) ? filterValues(words) : [words];
  return (check && values.map(check).find(Boolean)) || countProblem(operator, values);
}

const isWholeNumber = (schema) =>
  patternType(schema).startsWith("whole") || !typesOf(schema).some((type) => !["integer", "null"].includes(type));
const wholeProblem = (words) => (/^\s*-?\d+\s*$/.test(words) ? "" : `expected a whole number, got ${words.trim()}`);
const numberProblem = (words) =>
  PLAIN_NUMBER.test(words.trim()) ? "" : `expected a number such as 12.50, got ${words.trim()}`;
