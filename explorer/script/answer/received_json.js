// Reads JSON without loss: 12345678901234567890 and 1.10 stay as they were sent, unlike with JSON.parse.

const DEEPEST_INDENT = 40;
const BRACKETS = "{}[]";
const [SPACE, QUOTE, COMMA, COLON, CLOSING_LIST, CLOSING_OBJECT] = [...' ",:]}'].map((letter) => letter.charCodeAt(0));

/**
 * Call take(begin, end, first character) for every token of a valid JSON text except commas and colons.
 * It compares character codes, for speed.
 */
function eachToken(source, take) {
  for (let at = 0; at < source.length; ) {
    const first = source.charCodeAt(at);
    if (first <= SPACE || first === COMMA || first === COLON) {
      at += 1;
      continue;
    }
    let end = at + 1;
    if (first === QUOTE) end = stringEnd(source, at);
    else if (!BRACKETS.includes(source[at])) while (end < source.length && !endsScalar(source.charCodeAt(end))) end += 1;
    take(at, end, source[at]);
    at = end;
  }
}

const endsScalar = (code) => code === COMMA || code === CLOSING_LIST || code === CLOSING_OBJECT || code <= SPACE;

function stringEnd(source, begin) {
  for (let end = begin; ; ) {
    end = source.indexOf('"', end + 1);
    let slashes = 0;
    while (source[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
}

/**
 * Return a valid JSON text as a tree of {begin, end, kind, entries: [[key or index, value], ...]}. A value without
 * entries is its text from begin to end. The function doesn't recurse, so any depth works.
 */
function readJson(source) {
  const outside = { kind: "array", entries: [] };
  const around = [outside];
  let inside = outside;
  let key = null;
  eachToken(source, (begin, end, first) => {
    if (first === "}" || first === "]") {
      inside.end = end;
      around.pop();
      inside = around[around.length - 1];
    } else if (inside.kind === "object" && key === null) {
      key = textBetween(source, begin, end);
    } else {
      const value = { begin, end, kind: jsonKind(first), entries: null };
      inside.entries.push([inside.kind === "object" ? key : inside.entries.length, value]);
      key = null;
      if (first !== "{" && first !== "[") return;
      value.entries = [];
      around.push(value);
      inside = value;
    }
  });
  return outside.entries[0][1];
}

/** Return the content of the quoted string from begin to end. */
function textBetween(source, begin, end) {
  const words = source.slice(begin + 1, end - 1);
  return words.includes("\\") ? JSON.parse(source.slice(begin, end)) : words;
}

const JSON_KINDS = { "{": "object", "[": "array", '"': "string", t: "word", f: "word", n: "word" };
const jsonKind = (first) => JSON_KINDS[first] || "number";

/** Return the JSON with each value on its own line. Indentation is limited, or deep nesting would use up the memory. */
function formatJson(source) {
  const lines = [];
  const around = [];
  let line = "";
  // Set if a key was just read, so its value follows
  let key = false;
  // Set if the innermost bracket is still empty
  let isFirst = true;
  const indented = () => "  ".repeat(Math.min(around.length, DEEPEST_INDENT));
  const newLine = (comma) => {
    lines.push(line + comma);
    line = indented();
  };
  eachToken(source, (begin, end, first) => {
    const token = source.slice(begin, end);
    if (first === "}" || first === "]") {
      around.pop();
      if (!isFirst) newLine("");
      line += token;
      isFirst = false;
    } else {
      if (key || around[around.length - 1] !== "{") {
        if (!key && around.length) newLine(isFirst ? "" : ",");
        line += token;
        key = false;
      } else {
        newLine(isFirst ? "" : ",");
        line += `${token}: `;
        key = true;
      }
      isFirst = first === "{" || first === "[";
      if (isFirst) around.push(first);
    }
  });
  lines.push(line);
  return lines.join("\n");
}
