// In which format a list is answered: the header Accept, where an operation has more than one to offer.

const JSON_TYPE = "application/json";
const FORMATS = {
  [JSON_TYPE]: "JSON",
  "text/csv": "CSV",
  "application/x-ndjson": "JSON lines",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX",
};

/** The choice of a format: its element and the type that is asked for, "" for the default; null where there is no choice. */
function formatChoice(operation, chosen, changed) {
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith("2")) || [];
  const types = Object.keys((success && success.content) || {});
  if (types.length < 2 || !types.includes(JSON_TYPE)) return null;
  const option = (type) => make("option", { value: type === JSON_TYPE ? "" : type }, FORMATS[type] || type);
  const select = make("select", { change: changed, "data-key": "format" }, types.map(option));
  if (types.includes(chosen)) select.value = chosen;
  return { node: make("label", { class: "format quiet" }, "Response format ", select), accept: () => select.value };
}

/** The extension of a file in the format that was chosen, unless it is text. */
const savesInFormat = (format) => (format && FORMATS[format.accept()] === "XLSX" ? ".xlsx" : "");

/** The extension of the file that an operation of the index returns; "" if it returns none. */
const savesOf = (id) => (everyService().flatMap(({ operations }) => operations || []).find((each) => each.id === id) || {}).saves || "";

/** A request that asks for the format that was chosen. */
function inFormat(request, format) {
  const accept = format && format.accept();
  return accept ? { ...request, headers: { ...request.headers, Accept: accept } } : request;
}
