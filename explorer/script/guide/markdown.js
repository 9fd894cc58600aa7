// Guide pages in Markdown: headings, tables, fenced code. All other text is parsed as a docstring.

const FENCE = /^```(.*)$/;
const HEADING = /^(#{2,3}) +(.+)$/;
const ROW = /^\|(.*)\|$/;
const RULE = /^[\s|:-]+$/;
const MARKDOWN_LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

/**
 * Return a page of Markdown as nodes.
 *
 * @param fenced makes the node of a code block from its info string and its text
 */
function markdown(words, fenced) {
  const lines = words.replace(/\r\n?/g, "\n").split("\n");
  const nodes = [];
  let plain = [];
  const flush = () => {
    nodes.push(...blocksOf(plain.map(withLinks), 0));
    plain = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const fence = FENCE.exec(lines[at]);
    const heading = HEADING.exec(lines[at]);
    if (fence) {
      const begin = at + 1;
      at = endOf(lines, begin, (line) => line !== "```");
      flush();
      nodes.push(fenced(fence[1].trim(), lines.slice(begin, at).join("\n")));
    } else if (heading) {
      flush();
      nodes.push(make(`h${heading[1].length}`, {}, inlineMarkdown(heading[2])));
    } else if (ROW.test(lines[at])) {
      const begin = at;
      at = endOf(lines, begin, (line) => ROW.test(line)) - 1;
      flush();
      nodes.push(pipeTable(lines.slice(begin, at + 1)));
    } else plain.push(lines[at]);
  }
  flush();
  return nodes;
}

/** The line after those of a block. */
function endOf(lines, begin, belongs) {
  let end = begin;
  while (end < lines.length && belongs(lines[end])) end += 1;
  return end;
}

/** Links as docstrings write them. */
const withLinks = (line) => line.replace(MARKDOWN_LINK, "`$1 <$2>`_");
const inlineMarkdown = (words) => inline(withLinks(words));

/** A table from lines of cells; the first line is its head, the second the separator. */
function pipeTable(lines) {
  const cells = (line) => ROW.exec(line)[1].split("|").map((cell) => cell.trim());
  const rows = lines.filter((line, place) => place !== 1 || !RULE.test(line)).map(cells);
  const line = (tag, scope) => (row) => make("tr", {}, row.map((words) => make(tag, { scope }, inlineMarkdown(words))));
  return make("div", { class: "wide" }, make("table", {},
    make("thead", {}, line("th", "col")(rows[0])),
    make("tbody", {}, rows.slice(1).map(line("td")))));
}
