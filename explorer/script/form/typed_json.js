// Reads JSON during typing: a tree with the position of every value, and numbers as written.

// Levels that the server accepts
const JSON_DEPTH = 100;
const JSON_PIECES = {
  space: /[ \t\r\n]*/y,
  string: /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y,
  number: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y,
  word: /(?:true|false|null)(?!\w)/y,
};

/** A reason why a text isn't JSON: the message and the position in the text. */
class JsonProblem extends Error {
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

/**
 * Return the tree of a JSON text: {kind, at, end} with `raw` (string, number, word), `members` [{key, at, node}]
 * (object) or `items` (array). Throws JsonProblem.
 */
function jsonTree(words) {
  let at = 0;
  const fail = (message, place = at) => {
    throw new JsonProblem(message, place);
  };
  const take = (piece) => {
    const pattern = JSON_PIECES[piece];
    pattern.lastIndex = at;
    const found = pattern.exec(words);
    if (found) at += found[0].length;
    return found && found[0];
  };
  const next = () => (take("space"), words[at]);
  const shown = () =>
    at < words.length ? `got ${JSON.stringify(words.slice(at).match(/^[\w.+-]+|^[^]/u)[0])}` : "the text ends here";

  const badText = () => {
    const rest = words.slice(at + 1);
    const length = rest.match(/^[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/)[0]
      .length;
    if (rest[length] === "\\") fail("unknown escape sequence: write a backslash as \\\\", at + 1 + length);
    if (rest[length] === "\n" || length === rest.length) fail("the closing quote is missing");
    fail("control character in a string: write it as \\t or \\u0000", at + 1 + length);
  };
  const key = () => {
    if (words[at] === '"') return take("string") || badText();
    if (words[at] === "}") fail("trailing comma before }");
    return fail(`expected a name in double quotes, ${shown()}`);
  };
  /** Read an object or a list; `one` reads each part. */
  const series = (kind, close, name, one) => {
    const node = { kind, at, [name]: [] };
    at += 1;
    if (next() === close) return closed(node);
    for (;;) {
      node[name].push(one());
      const sign = next();
      if (sign === close) return closed(node);
      if (sign !== ",") fail(`expected a comma or ${close}, ${shown()}`);
      at += 1;
      if (next() === close) fail(`trailing comma before ${close}`);
    }
  };
  const closed = (node) => ((at += 1), { ...node, end: at });
  const member = (depth) => {
    const place = at;
    const name = JSON.parse(key());
    if (next() !== ":") fail(`expected a colon, ${shown()}`);
    at += 1;
    return { key: name, at: place, node: value(depth) };
  };
  const value = (depth) => {
    const sign = next();
    const place = at;
    if (depth > JSON_DEPTH) fail(`nested more than ${JSON_DEPTH} levels deep`);
    if (sign === "{") return series("object", "}", "members", () => member(depth + 1));
    if (sign === "[") return series("array", "]", "items", () => value(depth + 1));
    if (sign === "'") fail("strings need double quotes");
    for (const kind of ["string", "number", "word"]) {
      const raw = take(kind);
      if (raw) return { kind, at: place, end: at, raw };
    }
    return sign === '"' ? badText() : fail(`expected a value, ${shown()}`);
  };
  const whole = value(1);
  if (next() !== undefined) fail(`expected the end of the text, ${shown()}`);
  return whole;
}

/** Return the tree as text, each part on its own line; `leaf` formats strings, numbers and words, `unit` indents. */
function jsonLines(node, leaf = (each) => each.raw, unit = "  ", indent = "") {
  const name = (key) => leaf({ kind: "string", raw: JSON.stringify(key) });
  const inside = indent + unit;
  const several = (open, parts, close) =>
    parts.length ? `${open}\n${parts.map((part) => inside + part).join(",\n")}\n${indent}${close}` : open + close;
  if (node.kind === "array")
    return several(
      "[",
      node.items.map((each) => jsonLines(each, leaf, unit, inside)),
      "]",
    );
  if (node.kind !== "object") return leaf(node);
  return several(
    "{",
    node.members.map((each) => `${name(each.key)}: ${jsonLines(each.node, leaf, unit, inside)}`),
    "}",
  );
}

/** Return the node at a path such as ["lines", 0, "qty"], or the nearest one around it; -1 is a list's last element. */
function jsonNodeAt(node, path) {
  let found = node;
  for (const step of path) {
    const inner = found.kind === "array" ? found.items.at(step) : jsonMember(found, step);
    if (!inner) return found;
    found = inner;
  }
  return found;
}

/** Return an object's value for a key; if the key is repeated, the last one counts, as everywhere. */
function jsonMember(node, key) {
  const found = (node.members || []).filter((each) => each.key === key).pop();
  return found && found.node;
}

/** Return the paths of keys that are repeated in an object. */
function jsonRepeated(node, path = []) {
  if (node.kind === "array") return node.items.flatMap((each, place) => jsonRepeated(each, [...path, place]));
  const seen = new Set();
  return (node.members || []).flatMap(({ key, node: inner }) => {
    const twice = seen.has(key) ? [[...path, key]] : [];
    seen.add(key);
    return [...twice, ...jsonRepeated(inner, [...path, key])];
  });
}

/** Return a position in a text as line and column, both from 1. */
function lineAndColumn(words, at) {
  const before = words.slice(0, at).split("\n");
  return { line: before.length, column: before.pop().length + 1 };
}

/** Return a path as text: lines[0].qty */
const pathText = (path) =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
