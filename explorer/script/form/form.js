// The form of an operation: turns the typed values into a request.

/**
 * Return the form of an operation: {node, keys, request(), problems(), snapshot(), fill(snapshot), settled(), changed(callback)}.
 * The caller provides the form element and its button.
 */
function formOf(operation) {
  const callbacks = [];
  const rank = (row) => (row.parameter.in === "path" ? 0 : isWords(row) ? 1 : 2);
  const notify = () => callbacks.forEach((each) => each());
  const rows = operation.parameters.map((each) => inputRow(each, operation.spec));
  const editor = operation.body && (operation.body.type === "application/json" ? bodyEditor : fileEditor);
  const body = editor && editor(operation, notify);
  // Many users first look for a record by its name
  const isWords = ({ parameter }) => parameter.shared && parameter.name === "q";
  const own = rows.filter((row) => !row.parameter.shared || isWords(row)).sort((one, other) => rank(one) - rank(other));
  const [shared, headers] = ["query", "header"].map((place) =>
    rows.filter((row) => row.parameter.shared && row.parameter.in === place && !isWords(row)),
  );
  const isList = shared.some(({ parameter }) => parameter.name === "limit");
  const lists = foldOf("shared", isList ? "Filters by field, sorting and paging" : "More parameters", shared);
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

  offerExamples(operation, rows);
  const renewal = body && body.renew && operation.body.example !== undefined ? renewExamples(operation, rows, body) : null;
  let copied = null;
  const openFilled = (fold, inside) => fold && inside.some((row) => row.text()) && (fold.open = true);
  return {
    node,
    keys: new Set([...rows.map((row) => row.key), ...(body ? body.keys : [])]),
    request: () => requestOf(operation, rows, body),
    problems: () => [...rowProblems(rows), ...builderProblems(builders), ...(body ? body.problems() : [])],
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
      if (renewal) renewal.look();
      copied = snapshot.given ? takeLines(operation, body, snapshot).then(notify) : null;
      notify();
    },
    // A body that is sent has the values of the record that the path refers to, not of the one before
    settled: async () => {
      await copied;
      if (renewal) await renewal.settled();
    },
    changed: (callback) => callbacks.push(callback),
  };
}

/** Return a fold of the parameters that operations share; null without parameters. */
function foldOf(name, words, rows) {
  const nodes = rows.map(({ node }) => node);
  return nodes.length ? make("details", { class: name }, make("summary", {}, words), nodes) : null;
}

/** Return the problems of rows: [{name: "query:limit", message}]. Each row also shows its own problem. */
function rowProblems(rows) {
  const found = rows.map((row) => ({ row, words: row.check() })).filter(({ words }) => words);
  return found.map(({ row, words }) => ({ name: row.key, message: `${row.parameter.name}: ${words}` }));
}

/** Return the problems of the values typed into the builder of a filter. */
const builderProblems = (builders) =>
  builders.filter(Boolean).flatMap((each) => each.problems()).map((words) => ({ name: "builder:sqlfilters", message: `sqlfilters: ${words}` }));

/** Return the request of the rows and the body. */
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
      ...(typeof content.body === "string" || content.type ? { "Content-Type": content.type || "application/json" } : {}),
    },
    body: content.body,
    // In generated code, a missing value is a variable
    variables: rows.filter((row) => row.parameter.in === "path" && row.text() === "").map(variableOf),
    upload: content.upload,
    files: content.files,
    fields: content.fields,
  };
}

/** Return the path with its values. A missing value or ".." keeps the braces, or another operation would be called. */
function pathOf(template, rows) {
  const values = new Map(rows.map((row) => [row.parameter.name, pathParts(row)]));
  return template.replace(/\{([^{}]+)\}/g, (placeholder, name) => {
    const parts = values.get(name);
    if (!parts || parts.some(isDots)) return encodeURIComponent(placeholder);
    return parts.map((part) => encodeURIComponent(wellFormed(part))).join("/");
  });
}

/** Return a variable for a parameter: its name, an example, its description. */
function variableOf({ parameter, kind }) {
  const { name, schema, description = "" } = parameter;
  const value = (schema.examples || [])[0] ?? (kind === "number" ? 1 : name.toUpperCase());
  return { name, value, note: description, isEncoded: typeof value === "string" };
}

/** Return the names and values of the query for a row. */
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

// Legal in a query without escapes, and easier to read
const PLAIN_IN_QUERY = { "%3A": ":", "%2C": ",", "%2F": "/", "%40": "@" };
const encodeQuery = (words) =>
  encodeURIComponent(wellFormed(words)).replace(/%3A|%2C|%2F|%40/g, (code) => PLAIN_IN_QUERY[code]);

/** Replace lone surrogates, which a URL can't contain. */
const wellFormed = (words) => words.replace(/\p{Surrogate}/gu, "\ufffd");
