// A request in JavaScript, for a page as for Node.

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
    `\nconst response = await fetch(${quoteWords(address + query)}, {\n${lines.map((line) => `  ${line},\n`).join("")}});`,
    "console.log(response.status, await response.text());",
  ]
    .filter(Boolean)
    .join("\n");
}
