// Docstrings as text: the basics of reST. Other text stays unchanged. Failed searches are remembered, so a text with
// many unclosed markers is as fast as any other.

const MARKS = /[*`\\]/g;
const BEFORE_EMPHASIS = /[\s'"([{<\-/:]/;
const AFTER_EMPHASIS = /[\s'")\]}>\-/:.,;!?]/;
// "*" in quotes is not emphasis
const QUOTES = { "'": "'", '"': '"', "(": ")", "[": "]", "{": "}", "<": ">" };
const ROLE = /(?::[\w.+-]{1,30}){1,2}:$/;
const LONGEST_ROLE = 70;
// Side by side; the rest stays plain, as no person wrote it to be read
const MOST_NODES = 10_000;
const SAFE_SCHEMES = ["http:", "https:", "mailto:"];

/** One line, or one paragraph: code, emphasis and links among text. */
function inline(words) {
  const nodes = [];
  const unclosed = new Set();
  let plain = "";
  let [shown, at] = [0, 0];
  const show = (node, end) => {
    nodes.push(plain, node);
    plain = "";
    shown = at = end;
  };
  while (nodes.length < MOST_NODES && (at = nextMark(words, at)) < words.length) {
    plain += words.slice(shown, at);
    shown = at;
    const mark = words[at];
    if (mark === "\\") {
      shown += "*`\\".includes(words[at + 1] || " ") ? 1 : 0;
      at += 1 + (shown - at);
      continue;
    }
    const length = runLength(words, at);
    const marker = mark.repeat(Math.min(length, 3));
    const end = length > 2 || unclosed.has(marker) ? -1 : closingOf(words, marker, at);
    if (end > 0) {
      if (marker === "`") plain = withoutRole(plain);
      const after = end + length;
      const content = words.slice(at + length, end);
      if (mark === "*") show(make(length === 1 ? "em" : "strong", {}, content), after);
      else if (length === 1 && words[after] === "_") show(linked(content), after + (words[after + 1] === "_" ? 2 : 1));
      else show(make("code", {}, content), after);
    } else {
      if (end < 0 && length < 3) unclosed.add(marker);
      at += length;
    }
  }
  nodes.push(plain + words.slice(shown));
  return nodes.filter((node) => node !== "");
}

/** Words without the role that ends them, as in :class:`Order`. */
function withoutRole(words) {
  const found = ROLE.exec(words.slice(-LONGEST_ROLE));
  return found ? words.slice(0, words.length - found[0].length) : words;
}

function nextMark(words, from) {
  MARKS.lastIndex = from;
  const found = MARKS.exec(words);
  return found ? found.index : words.length;
}

function runLength(words, at) {
  let end = at + 1;
  while (words[end] === words[at]) end += 1;
  return end - at;
}

/** The index of the closing marker; 0 if the marker doesn't open anything, -1 if the rest has no closing one. */
function closingOf(words, marker, at) {
  let end = at + marker.length;
  if (marker[0] === "`") {
    end = words.indexOf(marker, end);
    while (marker === "``" && end > 0 && words[end + 2] === "`") end += 1;
    return end;
  }
  const before = words[at - 1] || " ";
  if (!BEFORE_EMPHASIS.test(before) || !/\S/.test(words[end] || " ") || QUOTES[before] === words[end]) return 0;
  while ((end = words.indexOf(marker, end)) > 0) {
    const closes = /[^\s*]/.test(words[end - 1]) && AFTER_EMPHASIS.test(words[end + marker.length] || " ");
    if (closes) return end;
    end += 1;
  }
  return -1;
}

/** A link without its `_`: a text with an address, or a name whose target is defined elsewhere. */
function linked(content) {
  const begin = content.lastIndexOf("<");
  if (begin < 0 || !content.endsWith(">")) return content;
  const address = content.slice(begin + 1, -1).trim();
  if (!isSafe(address)) return content;
  const elsewhere = address.startsWith("#") ? {} : { target: "_blank" };
  const words = content.slice(0, begin).trim() || address;
  return make("a", { href: address, rel: "noopener noreferrer", ...elsewhere }, words);
}

function isSafe(address) {
  try {
    return SAFE_SCHEMES.includes(new URL(address, location.href).protocol);
  } catch {
    return false;
  }
}
