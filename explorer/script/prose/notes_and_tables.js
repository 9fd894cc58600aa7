// Notes, warnings and simple tables in a docstring.

const ADMONITION = /^\.\. (note|warning|caution|danger|attention|important|hint|tip|error|seealso)::(?: +(.*))?$/i;
const TABLE_BORDER = /^=+(?: +=+)+$/;

/** Add a note: its label, the text after it, and the indented lines below. */
function admonitionAt(lines, place, depth, nodes) {
  const [, kind, beside = ""] = ADMONITION.exec(lines[place]);
  const end = indentedEnd(lines, place + 1);
  const word = kind.toLowerCase() === "seealso" ? "See also" : kind[0].toUpperCase() + kind.slice(1).toLowerCase();
  const inside = unwrapped(blocksOf([beside, ...dedented(lines.slice(place + 1, end))], depth + 1));
  nodes.push(make("div", { class: "aside" }, make("strong", {}, `${word}. `), inside));
  return end;
}

/** Add the simple table that ends at the next blank line; return 0 if the lines aren't a table. */
function tableAt(lines, place, nodes) {
  const blank = lines.findIndex((line, at) => at > place && isBlank(line));
  const end = blank < 0 ? lines.length : blank;
  const table = simpleTable(lines.slice(place, end));
  if (table) nodes.push(table);
  return table ? end : 0;
}

/** A simple table, its columns marked by lines of ``=``; null if the lines aren't one. */
function simpleTable(lines) {
  const borders = lines.flatMap((line, place) => (TABLE_BORDER.test(line.trimEnd()) ? [place] : []));
  const isWhole = [2, 3].includes(borders.length) && borders[0] === 0 && borders.at(-1) === lines.length - 1;
  if (!isWhole) return null;
  const starts = [...lines[0].matchAll(/=+/g)].map((found) => found.index);
  const cells = (line) => starts.map((start, column) => line.slice(start, starts[column + 1]).trim());
  const rows = (from, to) => lines.slice(from, to).map(cells).reduce((all, row) => {
    // A row without its first cell continues the one above
    if (row[0] || !all.length) return [...all, row];
    return [...all.slice(0, -1), all.at(-1).map((words, column) => `${words} ${row[column]}`.trim())];
  }, []);
  const line = (tag) => (row) => make("tr", {}, row.map((words) => make(tag, {}, inline(words))));
  const [body, head] = borders.length === 3 ? [borders[1] + 1, rows(1, borders[1])] : [1, []];
  return make("table", {}, head.length > 0 && make("thead", {}, head.map(line("th"))),
    make("tbody", {}, rows(body, lines.length - 1).map(line("td"))));
}
