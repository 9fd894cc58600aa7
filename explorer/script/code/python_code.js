// A request in Python, with the library that most know.

const PYTHON_WORDS = { true: "True", false: "False", null: "None" };
const pythonLeaf = (node) => PYTHON_WORDS[node.raw] || codeLeaf(node);
const indented = (words) => words.replaceAll("\n", "\n    ");

function pythonOf({ verb, address, query, headers, body, json, form }) {
  const pairs = [...new URLSearchParams(query)];
  const names = new Set(pairs.map(([name]) => name));
  const pair = ([name, value]) => `${quoteWords(name)}: ${quoteWords(value)}`;
  const tuple = ([name, value]) => `(${quoteWords(name)}, ${quoteWords(value)})`;
  const params = names.size === pairs.length ? `{${pairs.map(pair).join(", ")}}` : `[${pairs.map(tuple).join(", ")}]`;
  const sent = Object.entries(headers).filter(([name]) => !(json && name === "Content-Type"));
  const heads = ['"DOLAPIKEY": os.environ["DOLAPIKEY"]', ...sent.map(pair)];
  const fields = form ? form.fields : [];
  const files = form ? form.files : [];
  // Without a file, requests sends a form in parts only if its values look like files
  const parts = files.length
    ? files.map(({ name, filename }) => `${quoteWords(name)}: open(${quoteWords(filename)}, "rb")`)
    : fields.map(([name, value]) => `${quoteWords(name)}: (None, ${quoteWords(value)})`);
  const lines = [
    `"${verb}"`,
    quoteWords(address),
    pairs.length && `params=${params}`,
    `headers={${heads.join(", ")}}`,
    json && `json=${indented(jsonLines(json, pythonLeaf, "    "))}`,
    !json && !form && body !== undefined && `data=${quoteWords(body)}.encode()`,
    files.length && fields.length && `data={${fields.map(pair).join(", ")}}`,
    form && `files={${parts.join(", ")}}`,
  ].filter(Boolean);
  return `import os\n\nimport requests\n\nresponse = requests.request(\n${lines.map((line) => `    ${line},\n`).join("")})\nprint(response.status_code, response.text)`;
}
