// A request in Python, with the library `requests`.

const PYTHON_WORDS = { true: "True", false: "False", null: "None" };
/** Return a Python string; with variables, an f-string. */
function pythonText(words) {
  if (!hasVariable(words)) return quoteWords(words);
  return onlyVariable(words) || `f${quoteWords(words).replace(/[{}]/g, "$&$&").replace(VARIABLE, "{$1}")}`;
}
const pythonLeaf = (node) => PYTHON_WORDS[node.raw] || (node.kind === "string" ? pythonText(JSON.parse(node.raw)) : node.raw);
const LONG_LINE = 60;
const indented = (words) => words.replaceAll("\n", "\n    ");

function pythonOf({ verb, address, query, headers, body, json, form, upload, key, saveAs, variables = [] }) {
  const pairs = [...new URLSearchParams(query)];
  const names = new Set(pairs.map(([name]) => name));
  const pair = ([name, value]) => `${quoteWords(name)}: ${pythonText(value)}`;
  const tuple = ([name, value]) => `(${quoteWords(name)}, ${pythonText(value)})`;
  const inLines = (open, parts, close) => {
    const line = open + parts.join(", ") + close;
    return line.length <= LONG_LINE ? line : `${open}\n${parts.map((part) => `        ${part},\n`).join("")}    ${close}`;
  };
  const params = names.size === pairs.length ? inLines("{", pairs.map(pair), "}") : inLines("[", pairs.map(tuple), "]");
  const sent = Object.entries(headers).filter(([name]) => !(json && name === "Content-Type"));
  const heads = [`"DOLAPIKEY": ${key ? quoteWords(key) : 'os.environ["DOLAPIKEY"]'}`, ...sent.map(pair)];
  const fields = form ? form.fields : [];
  const files = form ? form.files : [];
  // Without a file, requests sends a form in parts only if its values look like files
  const parts = files.length
    ? files.map(({ name, filename }) => `${quoteWords(name)}: open(${quoteWords(filename)}, "rb")`)
    : fields.map(([name, value]) => `${quoteWords(name)}: (None, ${quoteWords(value)})`);
  const lines = [
    `"${verb}"`,
    pythonText(address),
    pairs.length && `params=${params}`,
    `headers=${inLines("{", heads, "}")}`,
    json && `json=${indented(jsonLines(json, pythonLeaf, "    "))}`,
    !json && !form && body !== undefined && `data=${pythonText(body)}.encode()`,
    upload && `data=open(${quoteWords(upload)}, "rb")`,
    files.length && fields.length && `data={${fields.map(pair).join(", ")}}`,
    form && `files={${parts.join(", ")}}`,
  ].filter(Boolean);
  return [
    ...(key ? [] : ["import os"]),
    ...(variables.some(({ isEncoded }) => isEncoded) ? ["from urllib.parse import quote"] : []),
    "\nimport requests\n",
    ...variables.map(({ name, value, note, isEncoded }) => {
      const written = typeof value === "number" ? value : quoteWords(value);
      return `${name} = ${isEncoded ? `quote(${written}, safe="")` : written}${note && `  # ${note}`}`;
    }),
    ...(variables.length ? [""] : []),
    `response = requests.request(\n${lines.map((line) => `    ${line},\n`).join("")})`,
    ...(saveAs
      ? ["response.raise_for_status()", `with open(${pythonText(saveAs)}, "wb") as file:\n    file.write(response.content)`]
      : ["print(response.status_code, response.text)"]),
  ].join("\n").trimStart();
}
