// JSON read without loss: 12345678901234567890 and 1.10 stay as they were sent, which JSON.parse would not do.

const NEXT_TOKEN = /\S/g;
const REST_OF_SCALAR = /[^\s,\]}]+/y;
const DEEPEST_INDENT = 40;

/** Every token of a text that is valid JSON, as [begin, end]. */
function* jsonTokens(source) {
  for (let end = 0; ; ) {
    NEXT_TOKEN.lastIndex = end;
    const found = NEXT_TOKEN.exec(source);
    if (!found) return;
    const begin = found.index;
    if (source[begin] === '"') end = stringEnd(source, begin);
    else if ("{}[],:".includes(source[begin])) end = begin + 1;
    else {
      REST_OF_SCALAR.lastIndex = begin;
      end = begin + REST_OF_SCALAR.exec(source)[0].length;
    }
    yield [begin, end];
  }
}

function stringEnd(source, begin) {
  for (let end = begin; ; ) {
    end = source.indexOf('"', end + 1);
    let slashes = 0;
    while (source[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
}

/**
 * A text as a tree of {begin, end, kind, entries: [[key or place, value], ...]}; a value without entries is its text
 * from begin to end. Nothing here recurses, so no depth is too deep.
 *
 * @throws SyntaxError when it is no JSON
 */
function readJson(source) {
  JSON.parse(source);
  const outside = { kind: "array", entries: [] };
  const around = [outside];
  let key = null;
  for (const [begin, end] of jsonTokens(source)) {
    const first = source[begin];
    const inside = around[around.length - 1];
    if (first === "," || first === ":") continue;
    if (first === "}" || first === "]") {
      around.pop().end = end;
    } else if (inside.kind === "object" && key === null) {
      key = JSON.parse(source.slice(begin, end));
    } else {
      const value = { begin, end, kind: jsonKind(first) };
      inside.entries.push([inside.kind === "object" ? key : inside.entries.length, value]);
      key = null;
      if (first === "{" || first === "[") {
        value.entries = [];
        around.push(value);
      }
    }
  }
  return outside.entries[0][1];
}

const JSON_KINDS = { "{": "object", "[": "array", '"': "string", t: "word", f: "word", n: "word" };
const jsonKind = (first) => JSON_KINDS[first] || "number";

/** The same JSON with a line for every value. Indentation ends somewhere, or deep nesting would take all memory. */
function formatJson(source) {
  const parts = [];
  let depth = 0;
  let before = "";
  const newLine = () => `\n${"  ".repeat(Math.min(depth, DEEPEST_INDENT))}`;
  for (const [begin, end] of jsonTokens(source)) {
    const token = source.slice(begin, end);
    const opened = before === "{" || before === "[";
    if (token === "}" || token === "]") {
      depth -= 1;
      if (!opened) parts.push(newLine());
    } else if (opened || before === ",") {
      parts.push(newLine());
    }
    parts.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return parts.join("");
}
