// A request as a line of a shell.

const quoteShell = (words) => `'${words.replaceAll("'", "'\\''")}'`;
/** A value inside a part of `-F`: quoted, so that ; and , are letters. */
const quotePart = (words) => `"${words.replace(/[\\"]/g, "\\$&")}"`;

function curlOf({ verb, address, query, headers, body, json, form }) {
  const parts = [
    `curl ${/[[\]{}]/.test(address + query) ? "-g " : ""}${verb === "GET" ? "" : `-X ${verb} `}${quoteShell(address + query)}`,
    '-H "DOLAPIKEY: $DOLAPIKEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(form ? form.fields.map(([name, value]) => `--form-string ${quoteShell(`${name}=${value}`)}`) : []),
    ...(form ? form.files.map(({ name, filename }) => `-F ${quoteShell(`${name}=@${quotePart(filename)}`)}`) : []),
    ...(!form && body !== undefined ? [`--data-raw ${quoteShell(json ? showHidden(body) : body)}`] : []),
  ];
  return parts.join(" \\\n  ");
}
