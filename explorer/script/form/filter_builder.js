// Builds a filter of a list from its columns.

/**
 * Add the button "Build a filter" to a row. Return {read(), problems()}: read() reads the row's text again, problems()
 * are those of the typed values; null without columns.
 */
function filterBuilder(columns, row) {
  const operators = operatorsOf(row.parameter);
  if (!columns.length || !Object.keys(operators).length) return null;
  const id = `${row.input.id}-builder`;
  const list = make("ol", { class: "conditions" });
  const note = make("p", { class: "quiet", role: "status" });
  const panel = make("div", {
    id,
    class: "builder",
    role: "group",
    "aria-label": "Filter",
    hidden: true,
  });
  let lines = [];

  const write = () => {
    const conditions = lines.map((line) => line.condition());
    row.input.value = filterText(conditions, operators);
    row.input.dispatchEvent(new Event("input", { bubbles: true }));
    tell(conditions);
  };
  const tell = (conditions) => {
    const waiting = conditions.filter((each) => !isWhole(each, operators)).length;
    const mixed = new Set(conditions.slice(1).map((each) => each.joint)).size > 1;
    const words = [
      waiting > 0 && conditions.length > 1 && `${counted(waiting, "condition")} without a value left out.`,
      mixed && "“and” is evaluated before “or”.",
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
    const line = conditionLine(columns, operators, condition, lines.length === 0, write, () => remove(line)());
    lines.push(line);
    list.append(line.node);
    return line;
  };
  const add = button("Add a condition", () => {
    append({ joint: "and", column: columns[0].name, operator: "", value: "" }).focus();
    write();
  });
  const read = () => {
    if (panel.hidden) return undefined;
    const words = row.text().trim();
    const found = filterConditions(words, operators);
    const foreign = found && found.find((each) => !columns.some(({ name }) => name === each.column));
    const fits = found && !foreign;
    lines = [];
    list.replaceChildren();
    (fits && found.length ? found : [{ joint: "and", column: columns[0].name, operator: "", value: "" }]).forEach(
      append,
    );
    if (fits) return tell(lines.map((line) => line.condition()));
    const fault = found ? "" : filterFault(words);
    const beyond = foreign
      ? `${foreign.column} is not a column of this list`
      : "The filter is too complex for the builder";
    note.textContent = `${fault ? `Incomplete filter: ${fault}` : beyond}. Edit it as text, or build a new one here.`;
  };
  const toggle = button(
    "Build a filter",
    () => {
      panel.hidden = !panel.hidden;
      toggle.setAttribute("aria-expanded", String(!panel.hidden));
      read();
      if (!panel.hidden) lines[0].focus();
    },
    { class: "builder-opener", "aria-expanded": "false", "aria-controls": id },
  );
  // Only the row's own input reports changes to the form
  panel.addEventListener("input", (event) => event.stopPropagation());
  panel.append(list, make("p", { class: "tools" }, add), note);
  row.input.addEventListener("change", read);
  row.input.parentElement.after(toggle, panel);
  return {
    read,
    // A condition that can't be sent must not be left out silently: the whole list would look like a result
    problems: () => (panel.hidden ? [] : lines.map((line) => line.problem()).filter(Boolean)),
  };
}
