// Variables in code: a value that isn't filled in, such as the ID in a path, becomes a variable with an example.

/** A variable in a text, between two private-use characters, for the generator of each language. */
const VARIABLE = /\ue000(\w+)\ue001/g;
const markOf = (name) => `\ue000${name}\ue001`;
const hasVariable = (words) => words.includes("\ue000");
/** Return the variable's name if the text is only a variable, or "". */
const onlyVariable = (words) => (/^\ue000(\w+)\ue001$/.exec(words) || ["", ""])[1];
/** Names that the generated code uses itself, and reserved words of the languages. */
const TAKEN_NAMES = new Set("body call case catch default delete do enum export fetch file function let new os quote requests response static super switch this throw var void".split(" "));
const NOTE_CHARS = 60;

/** Return a request whose missing values are marked; a name that the code can't use gets a suffix. */
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

/** Return a note as one line that can't end a comment in any language. */
const noteOf = (words = "") => showHidden(words.replace(/\?>|`|\*/g, "").replace(/\s+/g, " ").trim().slice(0, NOTE_CHARS));

/** Return a JSON text in which each variable is inside a string, so that the text can be read as JSON. */
const quoteVariables = (body) => body.replace(JSON_TEXT_OR_VARIABLE, (part) => (part[0] === "\ue000" ? JSON.stringify(part) : part));
const JSON_TEXT_OR_VARIABLE = /"(?:\\.|[^"\\])*"|\ue000\w+\ue001/g;

/** Return the file name for a binary response: the one in the request, or one made from its path. */
function fileNameFor({ path, query, saves }) {
  const parts = path.split("/").filter(Boolean).map(decoded);
  const named = [...new URLSearchParams(query).values(), parts.at(-1)].map((each) => each.split(/[/\\]/).pop());
  const found = named.find((each) => /^[^.].*\.\w{1,5}$/.test(each));
  const words = parts.filter((each) => each !== saves.slice(1)).map((each) => each.replace(/[^\w.\ue000\ue001-]+/g, "-"));
  return found || `${words.join("-")}${saves}`;
}
