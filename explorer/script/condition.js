// One condition of a filter: column, operator, and an input that suits both.

/** One condition: {node, condition(), first(), focus()}. */
function conditionLine(columns, { joint, column, operator, value }, first, changed, remove) {
  const byName = new Map(columns.map((each) => [each.name, each]));
  const option = (name, words = name) => make("option", { value: name }, words);
  const choose = (label, options, chosen, then) => {
    const select = make("select", { "aria-label": label, change: then }, options);
    if (chosen) select.value = chosen;
    return select;
  };
  const join = choose("Joined by", [option("and"), option("or")], joint, () => changed());
  const names = choose(
    "Column",
    columns.map(({ name }) => option(name)),
    column,
    () => (fit(), changed()),
  );
  const operators = choose("Operator", [], "", () => (fitValue(), changed()));
  const place = make("span", { class: "value" });
  const about = make("p", { class: "hint" });
  let input;

  const chosen = () => byName.get(names.value);
  const fit = () => {
    const { schema, kind } = chosen();
    const before = operators.value;
    operators.replaceChildren(...KIND_OPERATORS[kind].map((name) => option(name, FILTER_OPERATORS[name].words)));
    if (KIND_OPERATORS[kind].includes(before)) operators.value = before;
    about.replaceChildren(text("span", "type", typeText(schema)), authorsWords(schema.description) || "");
    fitValue();
  };
  /** The input that suits column and operator, with what was typed where it still fits. */
  const fitValue = () => {
    const { schema, kind } = chosen();
    const { many, none } = FILTER_OPERATORS[operators.value];
    const before = input ? input.value : value;
    const choices = kind === "choice" && !many ? choicesOf(schema) : null;
    if (choices)
      input = choose(
        "Value",
        ["", ...choices].map((each) => option(each, each || "–")),
        "",
        () => changed(),
      );
    else
      input = make("input", {
        type: "text",
        "aria-label": "Value",
        spellcheck: "false",
        autocomplete: "off",
        inputmode: kind === "number" && !many ? "decimal" : null,
        placeholder: many ? "separated by commas" : null,
        input: () => changed(),
      });
    input.value = before;
    if (choices && input.value !== before) input.value = "";
    place.replaceChildren(...(none ? [] : [input, ...(kind === "moment" ? [dayPicker(input, schema)] : [])]));
  };
  fit();
  if (operator) {
    operators.value = operator;
    if (!operators.value)
      (operators.append(option(operator, FILTER_OPERATORS[operator].words)), (operators.value = operator));
    fitValue();
  }
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
      about,
    ),
    condition: () => ({ joint: join.value, column: names.value, operator: operators.value, value: input.value }),
    first: () => (join.hidden = true),
    focus: () => names.focus(),
  };
}
