// The blocks of a docstring: paragraphs, lists, definitions, literal text. Lines are grouped by their indentation.

const LISTS = [
  { tag: "ul", mark: /^[-*+•] +(?=\S)/ },
  { tag: "ol", mark: /^\(?(\d{1,9}|#)[.)] +(?=\S)/ },
];
const FIELD = /^:[A-Za-z][\w -]{0,60}[^:]{0,60}:(?: |$)/;
const CODE_DIRECTIVE = /^\.\. (?:code|code-block|sourcecode)::/;
const DRAWN = /^(?:>>> |\+-|={2,} +=)/;
const DEEPEST = 8;

const isBlank = (line) => !/\S/.test(line);
const isIndented = (line) => line[0] === " ";
const listOf = (line) => LISTS.find(({ mark }) => mark.test(line));
const literal = (lines) => make("pre", { class: "literal" }, dedented(lines).join("\n").trimEnd());

/** A docstring as nodes. */
function prose(words) {
  return blocksOf((words || "").replace(/\r\n?/g, "\n").replace(/\t/g, "    ").trimEnd().split("\n"), 0);
}

function blocksOf(lines, depth) {
  if (depth > DEEPEST) return [literal(lines)];
  const nodes = [];
  for (let place = 0; place < lines.length; ) {
    if (nodes.length > MOST_NODES) return [...nodes, literal(lines.slice(place))];
    if (isBlank(lines[place])) place += 1;
    else place = blockAt(lines, place, depth, nodes);
  }
  return nodes;
}

/** Add the block that begins at a line to the nodes; returns the line after it. */
function blockAt(lines, place, depth, nodes) {
  const line = lines[place];
  if (isIndented(line)) {
    const end = indentedEnd(lines, place);
    nodes.push(make("blockquote", {}, blocksOf(dedented(lines.slice(place, end)), depth + 1)));
    return end;
  }
  if (listOf(line)) return listAt(lines, place, depth, nodes);
  if (ADMONITION.test(line)) return admonitionAt(lines, place, depth, nodes);
  const table = TABLE_BORDER.test(line.trimEnd()) && tableAt(lines, place, nodes);
  if (table) return table;
  if (CODE_DIRECTIVE.test(line)) return literalAt(lines, place + 1, nodes);
  if (isTerm(lines, place)) return definitionsAt(lines, place, depth, nodes);
  return paragraphAt(lines, place, depth, nodes);
}

/** The line after an indented block; blank lines belong to it. */
function indentedEnd(lines, place) {
  let end = place;
  while (end < lines.length && (isBlank(lines[end]) || isIndented(lines[end]))) end += 1;
  return end;
}

function dedented(lines) {
  const least = lines.reduce((found, line) => (isBlank(line) ? found : Math.min(found, line.search(/\S/))), Infinity);
  return lines.map((line) => line.slice(least));
}

function listAt(lines, place, depth, nodes) {
  const { tag, mark } = listOf(lines[place]);
  const items = [];
  const first = Number(mark.exec(lines[place])[1]);
  let at = place;
  while (items.length < MOST_NODES && at < lines.length && mark.test(lines[at])) {
    const end = indentedEnd(lines, at + 1);
    const inside = [lines[at].replace(mark, ""), ...dedented(lines.slice(at + 1, end))];
    items.push(make("li", {}, unwrapped(blocksOf(inside, depth + 1))));
    at = end;
  }
  nodes.push(make(tag, { start: first > 1 ? first : null }, items));
  return at;
}

/** Without the paragraph around the first words: an item of a list is mostly a single one. */
function unwrapped(nodes) {
  return nodes.length && nodes[0].tagName === "P" ? [...nodes[0].childNodes, ...nodes.slice(1)] : nodes;
}

/** A line right above an indented one, unless it announces literal text or is a field with more lines. */
function isTerm(lines, place) {
  const [line, next] = [lines[place], lines[place + 1] || ""];
  return isIndented(next) && !isBlank(next) && !line.endsWith("::") && !FIELD.test(line) && !line.startsWith(".. ");
}

function definitionsAt(lines, place, depth, nodes) {
  const items = [];
  let at = place;
  while (items.length < MOST_NODES && at < lines.length && !isIndented(lines[at]) && isTerm(lines, at)) {
    const end = indentedEnd(lines, at + 1);
    const inside = blocksOf(dedented(lines.slice(at + 1, end)), depth + 1);
    items.push(make("dt", {}, inline(lines[at])), make("dd", {}, unwrapped(inside)));
    at = end;
  }
  nodes.push(make("dl", {}, items));
  return at;
}

/** Return whether an indented block follows, with or without blank lines between. */
function announces(lines, place) {
  let at = place;
  while (at < lines.length && isBlank(lines[at])) at += 1;
  return at < lines.length && isIndented(lines[at]);
}

function literalAt(lines, place, nodes) {
  const end = indentedEnd(lines, place);
  let begin = place;
  while (begin < end && isBlank(lines[begin])) begin += 1;
  if (begin < end) nodes.push(literal(lines.slice(begin, end)));
  return end;
}

function paragraphAt(lines, place, depth, nodes) {
  const isField = FIELD.test(lines[place]);
  // Authors forget the blank line before a list; after a colon, or within a list, they mean one
  const isList = (at) => listOf(lines[at]) && (depth > 0 || lines[at - 1].endsWith(":"));
  let end = place + 1;
  while (end < lines.length && !isBlank(lines[end]) && !isList(end)) {
    if (isField ? FIELD.test(lines[end]) || !isIndented(lines[end]) : isIndented(lines[end])) break;
    end += 1;
  }
  const own = lines.slice(place, end);
  if (DRAWN.test(own[0])) {
    nodes.push(literal(own));
    return end;
  }
  const words = own.map((line) => line.trim()).join("\n");
  if (!words.endsWith("::") || !announces(lines, end)) {
    nodes.push(make("p", {}, inline(words)));
    return end;
  }
  const said = words.slice(0, -2);
  if (said.trim()) nodes.push(make("p", {}, inline(/\s$/.test(said) ? said.trimEnd() : `${said}:`)));
  return literalAt(lines, end, nodes);
}
