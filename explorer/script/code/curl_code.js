// A request as a shell command.

/** Quote a text for the shell: text in single quotes, which expand nothing, and variables in double quotes. */
const quoteShell = (words) => {
  const quoted = `'${words.replaceAll("'", "'\\''")}'`;
  return hasVariable(words) ? quoted.replace(VARIABLE, `'"$$$1"'`).replace(/^''(?=")|(?<=")''$/g, "") : quoted;
};
/** Quote a value in a part of `-F`, where ; and , are separators outside quotes. */
const quotePart = (words) => `"${words.replace(/[\\"]/g, "\\$&")}"`;

function curlOf({ verb, address, query, headers, body, json, form, upload, key, saveAs, variables = [] }) {
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
    ...(upload ? [`--data-binary ${quoteShell(`@${upload}`)}`] : []),
    ...(!form && body !== undefined ? [`--data-raw ${quoteShell(json ? showHidden(body) : body)}`] : []),
  ];
  // No comments: an interactive shell may execute them
  const set = variables.map(({ name, value, isEncoded }) => `${name}=${typeof value === "number" ? value : quoteShell(isEncoded ? encodeURIComponent(value) : value)}`);
  return [...set, parts.join(" \\\n  ")].join("\n");
}
