// Variables in code: a value that isn't filled in, such as the ID in a path, becomes a variable with an example.

/** A variable inside a text, as the writers of each language find it; the characters are for private use. */
const VARIABLE = /\ue000(\w+)\ue001/g;
const markOf = (name) => `\ue000${name}\ue001`;
const hasVariable = (words) => words.includes("\ue000");
/** The name of the variable that is all of a text, or "". */
const onlyVariable = (words) => (/^\ue000(\w+)\ue001$/.exec(words) || ["", ""])[1];
/** Names that the code uses itself, and words of the languages. */
const TAKEN_NAMES = new Set("body call case catch default delete do enum export fetch file function let new os requests response static super switch this throw var void".split(" "));
const NOTE_CHARS = 60;

/** Return a request whose open values are marked; a name that the code can't use gets a suffix. */
function markVariables(request) {
  const { variables = [], headers, body } = request;
  if (!variables.length) return request;
  const own = (name) => (TAKEN_NAMES.has(name) ? `${name}_` : name);
  const open = new RegExp(`(?:\\{|%7B)(${variables.map(({ name }) => name).join("|")})(?:\\}|%7D)`, "g");
  const mark = (words) => words.replace(open, (_, name) => markOf(own(name)));
  return {
    ...request,
    path: mark(request.path),
    query: mark(request.query),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mark(value)])),
    ...(typeof body === "string" ? { body: mark(body) } : {}),
    variables: variables.map((each) => ({ ...each, name: own(each.name), note: noteOf(each.note) })),
  };
}

/** A remark on one line that ends no comment of any language. */
const noteOf = (words = "") => showHidden(words.replace(/\?>|`|\*/g, "").replace(/\s+/g, " ").trim().slice(0, NOTE_CHARS));

/** Return a JSON text in which each variable is inside a string, so that the text can be read as JSON. */
const quoteVariables = (body) => body.replace(JSON_TEXT_OR_VARIABLE, (part) => (part[0] === "\ue000" ? JSON.stringify(part) : part));
const JSON_TEXT_OR_VARIABLE = /"(?:\\.|[^"\\])*"|\ue000\w+\ue001/g;

/** The name of the file that a binary response is saved as: as the request calls it, or after its path. */
function fileNameFor({ path, query, saves }) {
  const parts = path.split("/").filter(Boolean).map(decoded);
  const named = [...new URLSearchParams(query).values(), parts.at(-1)].map((each) => each.split(/[/\\]/).pop());
  const found = named.find((each) => /^[^.].*\.\w{1,5}$/.test(each));
  const words = parts.filter((each) => each !== saves.slice(1)).map((each) => each.replace(/[^\w.\ue000\ue001-]+/g, "-"));
  return found || `${words.join("-")}${saves}`;
}
