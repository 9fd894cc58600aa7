// A request as a line of a shell.

/** A text in single quotes, in which the shell reads nothing; variables in double ones between them. */
const quoteShell = (words) => {
  const quoted = `'${words.replaceAll("'", "'\\''")}'`;
  return hasVariable(words) ? quoted.replace(VARIABLE, `'"$$$1"'`).replace(/^''(?=")|(?<=")''$/g, "") : quoted;
};
/** A value inside a part of `-F`: quoted, so that ; and , are letters. */
const quotePart = (words) => `"${words.replace(/[\\"]/g, "\\$&")}"`;

function curlOf({ verb, address, query, headers, body, json, form, key, saveAs, variables = [] }) {
  const options = [
    /[[\]{}]/.test(address + query) && "-g",
    saveAs && `-f -o ${quoteShell(saveAs)}`,
    verb !== "GET" && `-X ${verb}`,
  ].filter(Boolean);
  const parts = [
    ["curl", ...options, quoteShell(address + query)].join(" "),
    `-H ${key ? quoteShell(`DOLAPIKEY: ${key}`) : '"DOLAPIKEY: $DOLAPIKEY"'}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(form ? form.fields.map(([name, value]) => `--form-string ${quoteShell(`${name}=${value}`)}`) : []),
    ...(form ? form.files.map(({ name, filename }) => `-F ${quoteShell(`${name}=@${quotePart(filename)}`)}`) : []),
    ...(!form && body !== undefined ? [`--data-raw ${quoteShell(json ? showHidden(body) : body)}`] : []),
  ];
  // No remarks: a shell that is typed into may run them
  const set = variables.map(({ name, value }) => `${name}=${typeof value === "number" ? value : quoteShell(value)}`);
  return [...set, parts.join(" \\\n  ")].join("\n");
}
