// The view of a record: a card with readable states, days and links, and its lines as a table.

// Records inside records; deeper ones are shown as short text
const CARD_DEPTH = 3;
// Minimum, to align amounts
const AMOUNT_DECIMALS = 2;
// Characters of a text in a card
const TEXT_SHOWN = 600;

/** Return the view "Card" of a response that is a record; otherwise null. */
function recordView(value, alternatives, context, { operation, request }) {
  if (value.kind !== "object" || !value.entries.length) return null;
  const columns = columnsOf([value], alternatives, context);
  const wanted = isRepeatable({ request }) && namesWanted(operation, alternatives, columns, context.spec);
  if (wanted) readNames(request, wanted).then(({ names }) => showNames(context, names));
  const show = (sifted) => [make("div", { class: "card-box" }, cardOf(value, alternatives, { ...context, sifted }, 0))];
  return { name: "Card", kind: "record", finds: true, controls: [], show };
}

/** Return the fields of a record: filled ones first, then aliases and empty fields, folded. */
function cardOf(value, alternatives, context, depth) {
  const { sifted, source, spec } = context;
  const fields = sifted.matching(value).map(([key, each]) => {
    const meant = innerFacts(alternatives, key, spec);
    const facts = factsOf(meant);
    const decimals = facts.kind === "amount" && !each.entries ? Math.max(AMOUNT_DECIMALS, decimalsOf(plainOf(each, source))) : 0;
    return { key, value: each, alternatives: meant, facts, kind: facts.kind, decimals, isEmpty: isEmptyValue(each, source) };
  });
  const filled = fields.filter((each) => !each.isEmpty && !each.facts.isAlias);
  const isSimple = (each) => !each.value.entries || depth >= CARD_DEPTH || isShortList(each.value);
  const lines = (chosen) => chosen.length > 0 && make("dl", { class: "card" }, chosen.map((each) => cardLine(each, { ...context, saysEmpty: !filled.length })));
  // Nothing but empty fields is a result as well
  const folded = (chosen, one, many) =>
    chosen.length > 0 && (sifted.wanted || !filled.length ? lines(chosen) : fold({ class: "card-fold" }, counted(chosen.length, one, many), () => lines(chosen)));
  return [
    lines(filled.filter(isSimple)),
    filled.filter((each) => !isSimple(each)).map((each) => nestedNode(each, context, depth)),
    folded(fields.filter((each) => each.facts.isAlias && !each.isEmpty), "alias", "aliases"),
    folded(fields.filter((each) => each.isEmpty), "empty field", "empty fields"),
  ];
}

const isShortList = ({ kind, entries }) => kind === "array" && entries.every(([, each]) => !each.entries);

/** Return a field: its name with the description as a tooltip, and its value. */
function cardLine(field, context) {
  const { key, value, facts, kind } = field;
  const { sifted, source } = context;
  const isFound = sifted.wanted && (sifted.isWanted(key) || sifted.isFound(value));
  const title = [facts.title, facts.description].filter(Boolean).join(": ");
  const sent = kind === "state" && !value.entries && readableWords(plainOf(value, source), facts) ? plainOf(value, source) : "";
  return [
    make("dt", { title: title || null }, visible(key)),
    make("dd", { class: [kind === "amount" && "right-aligned", isFound && "found"].filter(Boolean).join(" ") || null },
      context.saysEmpty && field.isEmpty ? text("span", "quiet", "empty") : isShortList(value) ? listOfValues(value, field, context) : valueNode(value, field, context, TEXT_SHOWN),
      text("span", "quiet as-sent", sent && sent !== "true" && sent !== "false" && ` ${sent}`)),
  ];
}

/** Return the values of a short list; references become links. */
function listOfValues(value, { alternatives }, context) {
  const inner = innerFacts(alternatives, 0, context.spec);
  const facts = factsOf(inner);
  return value.entries.slice(0, TREE_STEP).map(([, each], place) =>
    [place > 0 && ", ", valueNode(each, { alternatives: inner, facts, kind: facts.kind }, context)]);
}

/** Return a value that needs several lines: a list of records as a table, another record as a card of its own. */
function nestedNode({ key, value, alternatives, facts }, context, depth) {
  const { source, spec } = context;
  const number = counted(value.entries.length, value.kind === "array" ? "item" : "field");
  const heading = make("p", { class: "inner-head", title: facts.description || null }, visible(key), " ", text("span", "json-count", number));
  if (isRecordList(value)) {
    const rows = value.entries.map(([, each]) => each).filter((each) => each.kind === "object");
    return make("section", {}, heading, plainTable(rows, innerFacts(alternatives, 0, spec), { ...context, change: depth ? null : context.changesOf(key) }, key));
  }
  if (value.kind === "array") {
    const words = value.entries.slice(0, TREE_STEP).map(([, each]) => make("li", {}, each.entries ? previewOf(each, { source }) : plainOf(each, source)));
    return make("section", {}, heading, make("ul", {}, words));
  }
  return make("section", { class: "inner-card" }, heading, cardOf(value, alternatives, context, depth + 1));
}
