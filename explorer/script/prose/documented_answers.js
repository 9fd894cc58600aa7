// The documented responses of an operation.

/** The columns of the table. A row is a documented response with its status. */
const ANSWER_COLUMNS = [
  { head: "Status", cell: ({ status }) => make("th", { scope: "row" }, make("code", {}, status)) },
  { head: "Meaning", cell: ({ description = "" }) => make("td", { class: sentenceClass(description) }, inline(description)) },
  { head: "Content", cell: (answer) => make("td", { class: "type" }, contentTypes(answer)) },
];

/** The class of a cell with words: a sentence begins with a capital, a name in code stays as it is. */
const sentenceClass = (words) => (/^\p{Ll}/u.test(words) ? "sentence" : null);

/** The documented responses of an operation: a table, the fields of the successful one, and the common responses. */
function answersDocs(operation) {
  const all = Object.entries(operation.responses || {});
  if (!all.length) return null;
  const own = all.filter(([, each]) => !each.isCommon);
  const common = all.filter(([, each]) => each.isCommon);
  const row = ([status, each]) => make("tr", {}, columnCells(ANSWER_COLUMNS, { status, spec: operation.spec, ...each }));
  return make("section", { class: "answers" },
    make("h2", {}, "Responses"),
    own.length > 0 && make("table", {},
      make("caption", { class: "unseen" }, "Documented responses"),
      columnHeads(ANSWER_COLUMNS),
      make("tbody", {}, own.map(row))),
    own.filter(([status]) => status.startsWith("2")).map(([, each]) => contentFields(each, operation.spec)),
    common.length > 0 && make("p", { class: "quiet generic" }, commonWords(common)));
}

/** The responses that all operations share, in one line. */
function commonWords(common) {
  const named = common.filter(([status]) => status !== "default");
  const other = common.find(([status]) => status === "default");
  const words = ([status, each]) => [make("code", {}, status), " ", inline(each.description)];
  return [
    named.length > 0 && ["Common errors: ", named.map((each, place) => [place > 0 && "; ", words(each)]), ". "],
    other && [inline(other[1].description), "."],
  ];
}

/** The content of a response, by content type; that of errors doesn't differ and is left out. */
function contentTypes({ status, content, spec }) {
  if (!status.startsWith("2")) return null;
  return Object.entries(content || {}).map(([type, { schema }]) =>
    make("div", {}, type === "application/json" ? linkedType(schema || {}, spec) : [typeOf(schema || {}), ` (${type})`]));
}

function contentFields(response, spec) {
  const { schema, example, examples = {} } = (response.content || {})["application/json"] || {};
  if (!schema) return null;
  const shared = resolve(examples.success, spec);
  return [exampleFold(example ?? shared.value), fieldsFold(schema, spec)];
}
