// The form of one operation: what is typed becomes a request.

/**
 * The form of an operation: {node, request(), problems(), snapshot(), fill(snapshot), changed(callback)}. The form element
 * itself and its button are the caller's.
 */
function formOf(operation) {
  const callbacks = [];
  const notify = () => callbacks.forEach((each) => each());
  const rows = operation.parameters.map((each) => inputRow(each, operation.spec));
  const isForm = operation.body && operation.body.type === "multipart/form-data";
  const body = operation.body ? (isForm ? multipartEditor : bodyEditor)(operation, notify) : null;
  const own = rows.filter(({ parameter }) => !parameter.shared);
  const [shared, headers] = ["query", "header"].map((place) =>
    rows.filter(({ parameter }) => parameter.shared && parameter.in === place),
  );
  const lists = foldOf("shared", "Sorting, filtering and paging", shared);
  const heads = foldOf("shared heads", "Headers", headers);
  const columns = shared.length ? filterColumns(operation) : [];
  const builders = rows.filter(({ key }) => key === "query:sqlfilters").map((row) => filterBuilder(columns, row));
  offerColumns(operation, columns, Object.fromEntries(rows.map(({ key, input }) => [key, input])));
  const node = make(
    "div",
    { class: "call-form", input: notify },
    own.map((row) => row.node),
    lists,
    body && body.node,
    heads,
  );

  offerExamples(operation, rows, body);
  const openFilled = (fold, inside) => fold && inside.some((row) => row.text()) && (fold.open = true);
  return {
    node,
    keys: new Set([...rows.map((row) => row.key), ...(body ? body.keys : [])]),
    request: () => requestOf(operation, rows, body),
    problems: () => [...rowProblems(rows), ...(body ? body.problems() : [])],
    snapshot: () => ({
      ...Object.fromEntries(rows.map((row) => [row.key, row.text()]).filter(([, words]) => words !== "")),
      ...(body ? body.snapshot() : {}),
    }),
    fill: (snapshot) => {
      rows.forEach((row) => row.fill(String(snapshot[row.key] ?? "")));
      if (body) body.fill(snapshot);
      builders.forEach((builder) => builder && builder.read());
      openFilled(lists, shared);
      openFilled(heads, headers);
      notify();
    },
    changed: (callback) => callbacks.push(callback),
  };
}

/** A fold of what operations have in common; null where there is nothing. */
function foldOf(name, words, rows) {
  const nodes = rows.map(({ node }) => node);
  return nodes.length ? make("details", { class: name }, make("summary", {}, words), nodes) : null;
}

/** What is wrong in rows: [{name: "query:limit", message}]; every row shows its own. */
function rowProblems(rows) {
  const found = rows.map((row) => ({ row, words: row.check() })).filter(({ words }) => words);
  return found.map(({ row, words }) => ({ name: row.key, message: `${row.parameter.name}: ${words}` }));
}

/** The request that rows and body make. */
function requestOf(operation, rows, body) {
  const filled = (place) => rows.filter((row) => row.parameter.in === place && row.text() !== "");
  const content = body ? body.content() : {};
  return {
    verb: operation.verb,
    path: pathOf(operation.path, filled("path")),
    query: filled("query")
      .flatMap(queryPairs)
      .map((pair) => pair.map(encodeQuery).join("="))
      .join("&"),
    headers: {
      ...Object.fromEntries(filled("header").map((row) => [row.parameter.name, row.text().trim()])),
      ...(typeof content.body === "string" ? { "Content-Type": "application/json" } : {}),
    },
    body: content.body,
    // Without a value, code has a variable
    variables: rows.filter((row) => row.parameter.in === "path" && row.text() === "").map(variableOf),
    file: (content.files || [])[0],
    files: content.files,
    fields: content.fields,
  };
}

/** The path with its values. What has none keeps its braces: an empty part, or "..", would make it another operation. */
function pathOf(template, rows) {
  const values = new Map(rows.map((row) => [row.parameter.name, pathParts(row)]));
  return template.replace(/\{([^{}]+)\}/g, (placeholder, name) => {
    const parts = values.get(name);
    if (!parts || parts.some(isDots)) return encodeURIComponent(placeholder);
    return parts.map((part) => encodeURIComponent(wellFormed(part))).join("/");
  });
}

/** A variable for a parameter: its name, an example, what it means. */
function variableOf({ parameter, kind }) {
  const { name, schema, description = "" } = parameter;
  const value = (schema.examples || [])[0] ?? (kind === "number" ? 1 : name.toUpperCase());
  return { name, value, note: description };
}

/** Names and values of the query that a row makes. */
function queryPairs(row) {
  if (row.kind !== "free") return [[row.parameter.name, row.text()]];
  const lines = row
    .text()
    .split("\n")
    .filter((line) => /^[^=]+=/.test(line.trim()));
  return lines.map((line) =>
    line
      .trim()
      .match(/^([^=]+)=([^]*)$/)
      .slice(1),
  );
}

// Legal in a query as they are, and easier to read
const PLAIN_IN_QUERY = { "%3A": ":", "%2C": ",", "%2F": "/", "%40": "@" };
const encodeQuery = (words) =>
  encodeURIComponent(wellFormed(words)).replace(/%3A|%2C|%2F|%40/g, (code) => PLAIN_IN_QUERY[code]);

/** A text that can stand in an address: half of a surrogate pair cannot. */
const wellFormed = (words) => words.replace(/\p{Surrogate}/gu, "\ufffd");
