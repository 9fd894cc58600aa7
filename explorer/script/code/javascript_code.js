// A request in JavaScript, for Node.js.

/** Return a JavaScript string; with variables, a template literal. */
function javascriptText(words) {
  if (!hasVariable(words)) return quoteWords(words);
  const inside = quoteWords(words).slice(1, -1).replace(/`|\$\{/g, "\\$&");
  return onlyVariable(words) || `\`${inside.replace(VARIABLE, "${$1}")}\``;
}
const javascriptLeaf = (node) => (node.kind === "string" ? javascriptText(JSON.parse(node.raw)) : node.raw);
/** Return a body that isn't JSON as a string; it may also contain variables. */
const javascriptBody = (words) => (hasVariable(words) ? `\`${quoteWords(words).slice(1, -1).replace(/`|\$\{/g, "\\$&").replace(VARIABLE, "${$1}")}\`` : quoteWords(words));

function javascriptOf({ verb, address, query, headers, body, json, form, upload, key, saveAs, variables = [] }) {
  const heads = [
    key ? `DOLAPIKEY: ${quoteWords(key)}` : "DOLAPIKEY: process.env.DOLAPIKEY",
    ...Object.entries(headers).map(([name, value]) => `${quoteWords(name)}: ${javascriptText(value)}`),
  ];
  const content = upload
    ? `body: await readFile(${quoteWords(upload)})`
    : form
      ? "body"
      : json
        ? `body: JSON.stringify(${jsonLines(json, javascriptLeaf).replaceAll("\n", "\n  ")})`
        : body !== undefined && `body: ${javascriptBody(body)}`;
  const lines = [verb !== "GET" && `method: "${verb}"`, `headers: { ${heads.join(", ")} }`, content].filter(Boolean);
  const append = (name, value) => `body.append(${quoteWords(name)}, ${value});`;
  const parts = form
    ? [
      "const body = new FormData();",
      ...form.fields.map(([name, value]) => append(name, quoteWords(value))),
      ...form.files.map(({ name, filename }) =>
        append(name, `new Blob([await readFile(${quoteWords(filename)})]), ${quoteWords(filename)}`),
      ),
      "",
    ]
    : [];
  const used = [(upload || (form && form.files.length)) && "readFile", saveAs && "writeFile"].filter(Boolean);
  const last = saveAs
    ? [
      "if (!response.ok) throw new Error(await response.text());",
      `await writeFile(${javascriptText(saveAs)}, Buffer.from(await response.arrayBuffer()));`,
    ]
    : ["console.log(response.status, await response.text());"];
  return [
    ...(used.length ? [`import { ${used.join(", ")} } from "node:fs/promises";\n`] : []),
    ...variables.map(({ name, value, note, isEncoded }) => {
      const written = typeof value === "number" ? value : quoteWords(value);
      return `const ${name} = ${isEncoded ? `encodeURIComponent(${written})` : written};${note && ` // ${note}`}`;
    }),
    ...(variables.length ? [""] : []),
    ...parts,
    `const response = await fetch(${javascriptText(address + query)}, {\n${lines.map((line) => `  ${line},\n`).join("")}});`,
    ...last,
  ].join("\n");
}
