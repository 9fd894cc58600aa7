// The next calls of a list: another order, another page, fewer records. Each call fills in the form and sends it.

/** Parameters that change how a list is returned, not which records it contains. */
const ANSWERED_AS = ["sortfield", "sortorder", "limit", "page", "properties", "count", "after", "expand", "lang"];
const CSV_TYPE = "text/csv";
/** The `data-key` of the element to focus when the response to a call from the table is shown. */
let focusWanted = "";

/** Return whether repeating the request changes nothing. */
const isRepeatable = ({ request }) => request.verb === "GET";
const queryParameter = ({ parameters }, name) => parameters.find((each) => each.in === "query" && each.name === name);
const askedFor = (request) => new URLSearchParams(request.query);

/** Return the text of a parameter in an operation's form. */
const typedIn = (operation, name) => views.get(operation.id).form.snapshot()[`query:${name}`] || "";

/** Write values into the form and send it. The list starts at its first page unless `changes` sets another one. */
function callAgain(operation, changes, focus) {
  const view = views.get(operation.id);
  const all = { page: "", after: "", ...changes };
  const typed = Object.entries(all).map(([name, value]) => [`query:${name}`, value]);
  focusWanted = focus;
  view.form.fill({ ...view.form.snapshot(), ...Object.fromEntries(typed) });
  view.submit();
}

/** Focus the element that replaces the pressed button. */
function focusAgain(answer) {
  const wanted = focusWanted && answer.querySelector(`[data-key="${CSS.escape(focusWanted)}"]`);
  focusWanted = "";
  // Removing the pressed button left the focus on the body; any other focus is the user's and stays
  if (wanted && document.activeElement === document.body) wanted.focus({ preventScroll: true });
}

// Order ---------------------------------------------------------------------------------------------------------------

/** Return the columns that the server sorts and filters by: name in records → column. */
function comparedColumns(operation) {
  const all = queryParameter(operation, "sqlfilters") || queryParameter(operation, "sortfield") ? filterColumns(operation) : [];
  return new Map(all.filter(({ name }) => name.startsWith("t.")).map((each) => [each.name.slice(2), each]));
}

/** Return the first column that a list is sorted by: {name, isDown}. */
function sortedBy(request) {
  const [field = "", order = ""] = ["sortfield", "sortorder"].map((name) => (askedFor(request).get(name) || "").split(",")[0].trim());
  return { name: field.replace(/^t\./, ""), isDown: order.toLowerCase() === "desc" };
}

function sortAgain(operation, request, name) {
  const { name: before, isDown } = sortedBy(request);
  callAgain(operation, { sortfield: name, sortorder: before === name && !isDown ? "DESC" : "ASC" }, `sort:${name}`);
}

// Pages ---------------------------------------------------------------------------------------------------------------

/** Return a page's position: {from, number, total (null: not known), previous, next (changes for callAgain)}. */
function placeOfPage({ operation, request, answer, parsed }, number) {
  const asked = askedFor(request);
  const limitParameter = queryParameter(operation, "limit");
  const page = Number(asked.get("page")) || 0;
  const cursor = answer.headers.get("X-Next-Cursor");
  const wished = Number(asked.get("limit") || (limitParameter && limitParameter.schema.default)) || 0;
  const limit = cursor || !wished ? number : wished;
  const isPaged = Boolean(queryParameter(operation, "page"));
  const isBehind = asked.has("after");
  const counted = (parsed.pagination || {}).total;
  const from = isBehind ? null : page * limit;
  const isLast = isPaged && !cursor && from !== null && number > 0;
  return {
    from,
    number,
    total: counted !== undefined ? shownNumber(counted) : totalWords(answer.headers) ?? (isLast ? shownNumber(from + number) : null),
    previous: isPaged && !isBehind && page > 0 ? { page: page > 1 ? String(page - 1) : "" } : null,
    next: !isPaged || !cursor ? null : isBehind ? { after: cursor } : { page: String(page + 1) },
  };
}

const shownNumber = (number) => Number(number).toLocaleString("en");

/** Return the total from the headers as text; null without the header. */
function totalWords(headers) {
  const total = headers.get("X-Total-Count");
  return total === null ? null : shownNumber(total);
}

/** Request the total of all pages and return it as text; null if the server doesn't send it. */
async function totalOf(operation, request) {
  if (!queryParameter(operation, "count")) return null;
  const asked = askedFor(request);
  for (const name of ["page", "after", "expand"]) asked.delete(name);
  asked.set("limit", "1");
  asked.set("count", "true");
  const answer = await send({ ...request, query: String(asked) });
  return answer.status === 200 ? totalWords(answer.headers) : null;
}

/** Request the sums of some columns over all pages; null if the server doesn't sum them. */
async function sumsOf({ operation, request }, columns) {
  const path = `${operation.path}/sums`;
  if (!operation.spec.paths[path]) return null;
  const asked = askedFor(request);
  for (const name of ANSWERED_AS) if (name !== "lang") asked.delete(name);
  asked.set("fields", columns.map(({ key }) => key).join(","));
  const answer = await send({ ...request, path, query: String(asked) });
  return answer.status === 200 ? JSON.parse(await answer.blob.text())[0] : null;
}

// Filters -------------------------------------------------------------------------------------------------------------

const filterOperators = (operation) => operatorsOf(queryParameter(operation, "sqlfilters") || {});

/** Add a condition to the form's filter, and send the form. */
function filterAgain(operation, column, operator, value) {
  const operators = filterOperators(operation);
  const condition = { joint: "and", column, operator, value };
  const words = typedIn(operation, "sqlfilters").trim();
  const before = filterConditions(words, operators) || null;
  const isSame = (each) => each.column === column && each.operator === operator;
  const isChain = before && before.every(({ joint }) => joint === "and");
  const sqlfilters = isChain
    ? filterText([...before.filter((each) => !isSame(each) || operator === "<>"), condition], operators)
    : `(${words}) and ${filterText([condition], operators)}`;
  callAgain(operation, { sqlfilters }, "table");
}

/** Return the active filters of a request: [{words, without() (sends it without the filter)}]. */
function narrowedBy(operation, request) {
  const asked = askedFor(request);
  const operators = filterOperators(operation);
  const conditions = filterConditions((asked.get("sqlfilters") || "").trim(), operators);
  const isChain = conditions && conditions.every(({ joint }) => joint === "and");
  const parts = [...asked.keys()].filter((name) => !ANSWERED_AS.includes(name) && queryParameter(operation, name) && asked.get(name));
  return parts.flatMap((name) => {
    if (name !== "sqlfilters" || !isChain) {
      return [{ words: `${name}: ${asked.get(name)}`, without: () => callAgain(operation, { [name]: "" }, "table") }];
    }
    const columns = comparedColumns(operation);
    return conditions.map((each) => {
      const others = filterText(conditions.filter((other) => other !== each), operators);
      return { words: conditionWords(each, columns, operators), without: () => callAgain(operation, { sqlfilters: others }, "table") };
    });
  });
}

/** Return a condition as readable text: status is paid. */
function conditionWords({ column, operator, value }, columns, operators) {
  const name = column.replace(/^t\./, "");
  const { schema = {} } = columns.get(name) || {};
  const facts = factsOf(alternativesOf(schema, {}));
  const said = takesNone(operators[operator]) ? "" : takesSeveral(operators[operator]) ? value : readableWords(value, facts) || value;
  return [name, operators[operator].words, said].filter(Boolean).join(" ");
}

// Sheets --------------------------------------------------------------------------------------------------------------

/** Return the media types other than JSON in which the server returns a list. */
function sheetTypes({ responses }, status) {
  return Object.keys(((responses || {})[status] || {}).content || {}).filter((type) => type !== JSON_TYPE && FORMATS[type]);
}

/** Return the request for all records of a list. */
function allOf(request) {
  const asked = askedFor(request);
  for (const name of ["page", "after", "limit", "count"]) asked.delete(name);
  asked.set("all", "1");
  return { ...request, query: String(asked) };
}

/** Send the same request for another media type. */
const askForSheet = (request, type) => send({ ...request, headers: { ...request.headers, Accept: type } });
