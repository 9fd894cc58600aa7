// The response format of a list: the Accept header, if an operation offers several formats.

const JSON_TYPE = "application/json";
const FORMATS = {
  [JSON_TYPE]: "JSON",
  "text/csv": "CSV",
  "application/x-ndjson": "JSON lines",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX",
};

/** Return the choice of a format: {node, accept() (media type, "" for the default)}; null if only one is offered. */
function formatChoice(operation, chosen, changed) {
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith("2")) || [];
  const types = Object.keys((success && success.content) || {}).filter((type) => !type.includes("page"));
  if (types.length < 2 || !types.includes(JSON_TYPE)) return null;
  const option = (type) => make("option", { value: type === JSON_TYPE ? "" : type }, FORMATS[type] || type);
  const select = make("select", { change: changed, "data-key": "format" }, types.map(option));
  if (types.includes(chosen)) select.value = chosen;
  return { node: make("label", { class: "format quiet" }, "Response format ", select), accept: () => select.value };
}

/** Return the file extension of the chosen format, or "" for text. */
const savesInFormat = (format) => (format && FORMATS[format.accept()] === "XLSX" ? ".xlsx" : "");

/** Return the extension of the file that an operation of the index returns, or "". */
const savesOf = (id) => (everyService().flatMap(({ operations }) => operations || []).find((each) => each.id === id) || {}).saves || "";

/** Return a request for the chosen format. */
function inFormat(request, format) {
  const accept = format && format.accept();
  return accept ? { ...request, headers: { ...request.headers, Accept: accept } } : request;
}
