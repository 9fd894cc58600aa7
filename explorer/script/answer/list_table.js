// A list of records as a table. Headings sort it, cell menus filter it, and scrolling adds rows.

const ROWS_AT_ONCE = 100;
// Characters that fit on one line
const SHORT_TEXT = 36;
/** Amounts that add up, unlike prices and rates. */
const SUMMED = /^(?:total_|remaintopay$|totalpaid$|amount$)/;
// Maximum, for search hits in hidden columns
const COLUMNS_ADDED = 4;

/**
 * Return the table of a list.
 *
 * @param {object} list rows, columns (all), compared (those the server sorts and filters by), chosen, isFitted (only those
 *   that fit are shown), shown, context
 * @param sifted the search (see chooseEntries)
 */
function listTable(list, sifted) {
  const { shown, context } = list;
  const rows = sifted.found.size ? list.rows.filter((row) => sifted.holds(row)) : list.rows;
  const columns = withFound(list, rows, sifted);
  const menu = cellMenu();
  const body = make("tbody", {});
  const table = make("table", { class: "records", role: "grid", "data-key": "table", tabindex: -1 },
    make("caption", { class: "unseen" }, `Records of ${shown.request.path}; press Enter on a cell for its menu`),
    make("thead", {}, make("tr", {}, columns.map((column) => headCell(column, list))), sumRow(rows, columns, list)), body);
  const cellOf = new Map();
  const grow = () => {
    for (const row of rows.slice(body.childElementCount, body.childElementCount + ROWS_AT_ONCE)) {
      const values = new Map(row.entries);
      body.append(make("tr", {}, columns.map((column) => {
        const value = values.get(column.key);
        const isFound = value && sifted.isFound(value);
        const shownValue = value && valueNode(value, column, context);
        const link = list.entryLink && column === columns[0] && shownValue && list.entryLink(plainEntry(row, context));
        const cell = make("td", { tabindex: -1 }, link ? make("a", link, shownValue) : shownValue);
        const classes = [isRight(column) && "right-aligned", lengthClass(column, cell), isFound && "found"];
        cell.className = classes.filter(Boolean).join(" ");
        cellOf.set(cell, { column, value });
        return cell;
      })));
    }
    rest.hidden = body.childElementCount >= rows.length;
    rest.textContent = `Show ${Math.min(ROWS_AT_ONCE, rows.length - body.childElementCount)} more`;
  };
  const rest = button("", grow, { class: "small more-rows" });
  grow();
  const first = body.querySelector("td");
  if (first) first.tabIndex = 0;
  const openMenu = (cell) => cellOf.has(cell) && menu.open(cell, cellActions(cellOf.get(cell), list));
  body.addEventListener("click", (event) => {
    if (!event.target.closest("a") && getSelection().isCollapsed) openMenu(event.target.closest("td"));
  });
  body.addEventListener("keydown", (event) => walkCells(event, openMenu));
  growInSight(rest, grow);
  if (list.isFitted && columns === list.chosen) fitColumns(table, columns, list.columnsDropped);
  return [table, rest, menu.node];
}

/** Drop the last columns while the table is wider than its box. Names that replace IDs make it wider. */
function fitColumns(table, columns, dropped) {
  const fit = () => {
    while (table.isConnected && columns.length > 2 && table.offsetWidth > table.parentElement.clientWidth) {
      columns.pop();
      for (const row of table.rows) row.lastElementChild.remove();
      dropped();
    }
  };
  requestAnimationFrame(fit);
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(table);
}

/**
 * Return the row with the sums of the amounts of documents and payments; null if the list has none. If the list has
 * other pages, the sums of all of them replace those of this page when the server has sent them.
 */
function sumRow(rows, columns, { place, shown, context: { source } }) {
  if (rows.length < 2 || !columns.some(isSummed)) return null;
  const isPart = Boolean(place.previous || place.next);
  const sum = ({ key, decimals }) => {
    const values = rows.flatMap(({ entries }) => entries).filter(([name, value]) => name === key && !isEmptyValue(value, source));
    const total = values.reduce((before, [, value]) => before + Number(plainOf(value, source)), 0);
    // Floats that cancel out may leave -0.00
    return amountWords((Math.round(total * 10 ** decimals) / 10 ** decimals || 0).toFixed(decimals), decimals);
  };
  const others = columns.slice(1);
  const cells = new Map(others.map((column) => [column, make("td", { class: "right-aligned" }, isSummed(column) ? sum(column) : "")]));
  const head = make("th", { scope: "row", title: `Sums of ${isPart ? "this page" : counted(rows.length, "record")}` }, isPart ? "Page" : "Sum");
  if (isPart) sumsOf(shown, others.filter(isSummed)).then((sums) => {
    if (!sums) return;
    head.textContent = "All";
    head.title = `Sums of all ${counted(sums.count, "record")}`;
    for (const [column, cell] of cells) if (isSummed(column)) cell.textContent = amountWords(sums[column.key], Math.max(column.decimals, decimalsOf(sums[column.key])));
  });
  return make("tr", { class: "sums" }, head, [...cells.values()]);
}

const isSummed = ({ key, kind }) => kind === "amount" && SUMMED.test(key);

/** Return how a cell shows a long text: sentences over several lines, names and addresses on one, cut off. */
const lengthClass = ({ kind }, { textContent: words }) => (words.length > SHORT_TEXT && words.includes(" ") ? "long" : kind === "text" && "cut");

/** Return the plain values of an entry of a list, by key. */
const plainEntry = ({ entries }, { source }) =>
  Object.fromEntries(entries.filter(([, value]) => !value.entries).map(([key, value]) => [key, isEmptyValue(value, source) ? null : plainOf(value, source)]));

/** Return the chosen columns, and a few hidden ones with search hits. */
function withFound({ columns, chosen }, rows, sifted) {
  if (!sifted.wanted) return chosen;
  const looked = rows.slice(0, ROWS_AT_ONCE);
  const isFoundIn = ({ key }) =>
    sifted.isWanted(key) || looked.some((row) => row.entries.some(([name, value]) => name === key && sifted.isFound(value)));
  return [...chosen, ...columns.filter((each) => !chosen.includes(each)).filter(isFoundIn).slice(0, COLUMNS_ADDED)];
}

/** Return a heading: a button if the server can sort by the column. */
function headCell(column, { shown: { operation, request }, compared }) {
  const attributes = { scope: "col", title: column.title || null, class: isRight(column) ? "right-aligned" : null };
  if (!compared.has(column.key) || !queryParameter(operation, "sortfield")) return make("th", attributes, breakable(column.key));
  const { name, isDown } = sortedBy(request);
  const isSorted = name === column.key;
  const sort = () => sortAgain(operation, request, column.key);
  return make("th", { ...attributes, "aria-sort": isSorted ? (isDown ? "descending" : "ascending") : null },
    button(breakable(column.key), sort, { class: "sort", "data-key": `sort:${column.key}` }));
}

/** Add rows when the button for more rows becomes visible. */
function growInSight(rest, grow) {
  if (rest.hidden) return;
  const watcher = new IntersectionObserver((seen) => {
    if (seen.some((each) => each.isIntersecting)) grow();
    if (rest.hidden || !rest.isConnected) watcher.disconnect();
  });
  // Wait until the caller has added the button to the page
  setTimeout(() => watcher.observe(rest), 0);
}

const CELL_STEPS = {
  ArrowLeft: (cell) => cell.previousElementSibling,
  ArrowRight: (cell) => cell.nextElementSibling,
  ArrowUp: (cell) => cellBeside(cell, "previousElementSibling"),
  ArrowDown: (cell) => cellBeside(cell, "nextElementSibling"),
  Home: (cell) => cell.parentElement.firstElementChild,
  End: (cell) => cell.parentElement.lastElementChild,
};
const cellBeside = (cell, where) => (cell.parentElement[where] || { cells: [] }).cells[cell.cellIndex];

/** Move the focus between cells with the arrow keys; open a cell's menu with Enter or Space. */
function walkCells(event, openMenu) {
  const cell = event.target.closest("td");
  if (event.target === cell && ["Enter", " "].includes(event.key)) {
    event.preventDefault();
    return openMenu(cell);
  }
  const next = CELL_STEPS[event.key] && CELL_STEPS[event.key](cell);
  if (!next) return undefined;
  event.preventDefault();
  cell.tabIndex = -1;
  next.tabIndex = 0;
  return next.focus();
}
