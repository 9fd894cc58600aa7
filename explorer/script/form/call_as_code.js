// A request as code to copy. The key is never in it: it comes from the environment of those who run the code.

const CODE_DIGITS = 15; // so many digits of a number are kept exactly by every language
// Characters that are invisible or reverse the text: the code that is read must be the code that runs
const HIDDEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A request in code: kind is curl, python or javascript; base is the server's address with a slash at its end. */
function codeOf(kind, request, base) {
  const query = request.query ? `?${request.query}` : "";
  const said = { ...request, address: base.replace(/\/$/, "") + request.path, query };
  if (request.fields || request.files)
    said.form = { fields: Object.entries(request.fields || {}), files: request.files || [request.file] };
  else if (request.body !== undefined) said.json = plainTree(request.body);
  return { curl: curlOf, python: pythonOf, javascript: javascriptOf }[kind](said);
}

const showHidden = (words) => words.replace(HIDDEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
const quoteWords = (words) => showHidden(JSON.stringify(words));

/** The tree of a body that can be written as a value of a language; null where only its text is exact. */
function plainTree(words) {
  const exact = (node) => {
    if (node.kind === "number") {
      const digits = node.raw
        .replace(/[eE].*/, "")
        .replace(/\D/g, "")
        .replace(/^0+/, "").length;
      return digits <= CODE_DIGITS && !/[eE].?\d{3}/.test(node.raw);
    }
    return (node.items || (node.members || []).map((each) => each.node)).every(exact);
  };
  // In JavaScript this name would set the object's prototype
  const special = (node) =>
    (node.members || []).some((each) => each.key === "__proto__" || special(each.node)) ||
    (node.items || []).some(special);
  try {
    const tree = jsonTree(words);
    const isPlain = (tree.items || tree.members) && exact(tree) && !special(tree) && !jsonRepeated(tree).length;
    return isPlain ? tree : null;
  } catch {
    return null;
  }
}

// curl ----------------------------------------------------------------------------------------------------------------

const quoteShell = (words) => `'${words.replaceAll("'", "'\\''")}'`;
/** A value inside a part of `-F`: quoted, so that ; and , are letters. */
const quotePart = (words) => `"${words.replace(/[\\"]/g, "\\$&")}"`;

function curlOf({ verb, address, query, headers, body, json, form }) {
  const parts = [
    `curl ${verb === "GET" ? "" : `-X ${verb} `}${quoteShell(address + query)}`,
    '-H "DOLAPIKEY: $DOLAPIKEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(form ? form.fields.map(([name, value]) => `--form-string ${quoteShell(`${name}=${value}`)}`) : []),
    ...(form ? form.files.map(({ name, filename }) => `-F ${quoteShell(`${name}=@${quotePart(filename)}`)}`) : []),
    ...(!form && body !== undefined ? [`--data-raw ${quoteShell(json ? showHidden(body) : body)}`] : []),
  ];
  return parts.join(" \\\n  ");
}

// Python --------------------------------------------------------------------------------------------------------------

const PYTHON_WORDS = { true: "True", false: "False", null: "None" };
const codeLeaf = (node) => (node.kind === "string" ? quoteWords(JSON.parse(node.raw)) : node.raw);
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
  return `import os\n\nimport requests\n\nanswer = requests.request(\n${lines.map((line) => `    ${line},\n`).join("")})\nprint(answer.status_code, answer.text)`;
}

// JavaScript ----------------------------------------------------------------------------------------------------------

function javascriptOf({ verb, address, query, headers, body, json, form }) {
  const heads = [
    "DOLAPIKEY",
    ...Object.entries(headers).map(([name, value]) => `${quoteWords(name)}: ${quoteWords(value)}`),
  ];
  const content = form
    ? "body"
    : json
      ? `body: JSON.stringify(${jsonLines(json, codeLeaf).replaceAll("\n", "\n  ")})`
      : body !== undefined && `body: ${quoteWords(body)}`;
  const lines = [verb !== "GET" && `method: "${verb}"`, `headers: { ${heads.join(", ")} }`, content].filter(Boolean);
  const append = (name, value) => `body.append(${quoteWords(name)}, ${value});`;
  const parts = form && [
    "const body = new FormData();",
    ...form.fields.map(([name, value]) => append(name, quoteWords(value))),
    ...form.files.map(({ name, filename }) =>
      append(name, `new Blob([await readFile(${quoteWords(filename)})]), ${quoteWords(filename)}`),
    ),
  ];
  return [
    form &&
      form.files.length &&
      'import { readFile } from "node:fs/promises"; // in a page, take the file of an input instead\n',
    'const DOLAPIKEY = "your key";',
    ...(parts || []),
    `\nconst answer = await fetch(${quoteWords(address + query)}, {\n${lines.map((line) => `  ${line},\n`).join("")}});`,
    "console.log(answer.status, await answer.text());",
  ]
    .filter(Boolean)
    .join("\n");
}
