// A request as code to copy. The code reads the key from the environment, unless you copy it with your key.

/** Languages → their labels. */
const CODE_LANGUAGES = { curl: "curl", python: "Python", php: "PHP", javascript: "JavaScript" };
const CODE_CHOSEN = "comptoir-code";
let codeChosen = "";

// Digits of a number that every language keeps exactly
const CODE_DIGITS = 15;
// Characters that are invisible or reverse the text: the code that is read must be the code that runs
const HIDDEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
// Half of a surrogate pair isn't a character in any of the languages
const HALF = /\p{Surrogate}/u;

/**
 * Return a request as code.
 *
 * @param kind one of CODE_LANGUAGES
 * @param request from the form; `upload` is the name of a file that is the body; `variables` lists values to fill in (encoded for a path: `isEncoded`), `saves` is the
 *   extension of a binary response
 * @param base the server's address with a slash at its end
 * @param key the key to write into the code; "": the code reads it from the environment
 */
function codeOf(kind, request, base, key = "") {
  const marked = markVariables(request);
  const { path, body, fields, files } = marked;
  const query = marked.query ? `?${marked.query}` : "";
  const said = { ...marked, body: undefined, key, address: base.replace(/\/$/, "") + path, query, headers: oneLined(marked.headers) };
  said.saveAs = request.saves ? fileNameFor(marked) : "";
  if (fields) said.form = { fields: Object.entries(fields), files };
  else if (request.upload) said.upload = request.upload;
  else if (body !== undefined) Object.assign(said, { body: wellFormed(body), json: plainTree(quoteVariables(body)) });
  return { curl: curlOf, python: pythonOf, php: phpOf, javascript: javascriptOf }[kind](said);
}

/** Return the language last chosen in this browser. */
function codeLanguage() {
  try {
    codeChosen ||= localStorage.getItem(CODE_CHOSEN);
  } catch {
    // Storage is forbidden: the choice lasts as long as the page
  }
  return Object.hasOwn(CODE_LANGUAGES, codeChosen) ? codeChosen : "curl";
}

function chooseCode(kind) {
  codeChosen = kind;
  try {
    localStorage.setItem(CODE_CHOSEN, kind);
  } catch {
    // As above
  }
}

/** Put each header on one line, because a line break would start another header. */
const oneLined = (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(/[\r\n\0]+/g, " ")]));
const showHidden = (words) => words.replace(HIDDEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
const quoteWords = (words) => showHidden(JSON.stringify(words));

/** Return the tree of a body that can be written as a value of a language; null if only its text is exact. */
function plainTree(words) {
  const exact = (node) => {
    if (node.kind === "string") return !HALF.test(JSON.parse(node.raw));
    if (node.kind === "number") {
      const digits = node.raw
        .replace(/[eE].*/, "")
        .replace(/\D/g, "")
        .replace(/^0+/, "").length;
      return digits <= CODE_DIGITS && !/[eE].?\d{3}/.test(node.raw);
    }
    return (node.items || (node.members || []).map((each) => each.node)).every(exact);
  };
  // In JavaScript, the key `__proto__` would set the object's prototype
  const special = (node) =>
    (node.members || []).some((each) => each.key === "__proto__" || HALF.test(each.key) || special(each.node)) ||
    (node.items || []).some(special);
  try {
    const tree = jsonTree(words);
    const isPlain = (tree.items || tree.members) && exact(tree) && !special(tree) && !jsonRepeated(tree).length;
    return isPlain ? tree : null;
  } catch {
    return null;
  }
}
