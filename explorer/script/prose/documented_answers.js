// What an operation answers, as it is documented.

const GENERIC_DENIAL = /^No valid key(?:, or the right \S+ is missing)?$/;

/** The class of a cell with words: a sentence begins with a capital, a name in code stays as it is. */
const sentenceClass = (words) => (/^\p{Ll}/u.test(words) ? "sentence" : null);

/** The documented answers of an operation: a table, the fields of the successful one, what any operation may answer. */
function answersDocs(operation) {
  const all = Object.entries(operation.responses || {});
  if (!all.length) return null;
  const { responses = {} } = (operation.spec || {}).components || {};
  const common = new Set(Object.values(responses).map((each) => each.description));
  const isGeneric = ([, each]) => common.has(each.description) || GENERIC_DENIAL.test(each.description);
  const own = all.filter((each) => !isGeneric(each));
  const generic = all.filter(isGeneric);
  const row = ([status, each]) => make("tr", {},
    make("th", { scope: "row" }, make("code", {}, status)),
    make("td", { class: sentenceClass(each.description) }, inline(each.description || "")),
    make("td", { class: "type" }, contentTypes(each, status)));
  const head = ["Status", "Meaning", "Content"].map((words) => make("th", { scope: "col" }, words));
  return make("section", { class: "answers" },
    make("h2", {}, "Answers"),
    own.length > 0 && make("table", {},
      make("caption", { class: "unseen" }, "Documented answers"),
      make("thead", {}, make("tr", {}, head)),
      make("tbody", {}, own.map(row))),
    own.filter(([status]) => status.startsWith("2")).map(([, each]) => contentFields(each, operation.spec)),
    generic.length > 0 && make("p", { class: "quiet generic" }, genericWords(generic)));
}

/** What any operation may answer, in a line. */
function genericWords(generic) {
  const named = generic.filter(([status]) => status !== "default");
  const other = generic.find(([status]) => status === "default");
  const words = ([status, each]) => [make("code", {}, status), " ", inline(each.description)];
  return [
    named.length > 0 && ["As everywhere: ", named.map((each, place) => [place > 0 && "; ", words(each)]), ". "],
    other && [inline(other[1].description), "."],
  ];
}

/** What an answer's content is, by content type; an error's is the same everywhere and goes without saying. */
function contentTypes(response, status) {
  if (!status.startsWith("2")) return null;
  return Object.entries(response.content || {}).map(([type, { schema }]) =>
    make("div", {}, type === "application/json" ? typeText(schema || {}) : [typeOf(schema || {}), ` (${type})`]));
}

function contentFields(response, spec) {
  const { schema } = (response.content || {})["application/json"] || {};
  return schema ? fieldsFold(schema, spec) : null;
}
