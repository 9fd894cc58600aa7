// The view of a list: its table, with the page's position, filters, columns and downloads above it.

/** Return the view "Table" of a response that is a list of records; otherwise null. */
function listView(value, alternatives, context, shown) {
  const [rows, meant] = recordsIn(value, alternatives, context.spec);
  if (!rows) return null;
  const columns = columnsOf(rows, meant, context);
  const { operation } = shown;
  const list = { rows, columns, alternatives: meant, compared: isRepeatable(shown) ? comparedColumns(operation) : new Map(), shown, context: { ...context, change: context.changesOf("") }, entryLink: entryLinks(shown) };
  list.chosen = shownColumns(columns, operation.id);
  list.isFitted = !chosenColumns()[operation.id];
  list.place = placeOfPage(shown, rows.length);
  list.totalKnown = () => {};
  const bar = make("div", { class: "list-bar" },
    pageNode(list), columnsFold(list, () => view.changed()), sheetButtons(list));
  const view = { name: "Table", kind: "list", finds: true, controls: [bar], changed: () => {}, show: (sifted) => listTable(list, sifted) };
  return view;
}

/**
 * Return a function from an entry of a list to the link {href, title} of the first operation that an author offers for
 * entries without an ID, such as the download of a file; null without one.
 */
function entryLinks({ operation, request, parsed }) {
  const [first] = [(parsed || {}).data || parsed].flat();
  if (!first || typeof first !== "object" || Object.hasOwn(first, "id") || operation.path !== `/${operation.service}`) return null;
  const given = Object.fromEntries(new URLSearchParams(request.query));
  return (entry) => {
    for (const link of linksTo(operation.service).filter(({ words }) => words)) {
      const values = filledValues(link.with, { ...given, ...entry });
      if (values) return { href: `${addressOf(link.service, link.operation.id)}?${values}`, title: link.words };
    }
    return null;
  };
}

/** Return the records of a list, at the top level or in `data`, and the schemas of one record; otherwise []. */
function recordsIn(value, alternatives, spec) {
  if (isRecordList(value)) return [value.entries.map(([, each]) => each).filter(({ kind }) => kind === "object"), innerFacts(alternatives, 0, spec)];
  const isWrapped = value.kind === "object" && value.entries.some(([key]) => key === "pagination");
  const [, data] = (isWrapped && value.entries.find(([key]) => key === "data")) || [];
  return data ? recordsIn(data, innerFacts(alternatives, "data", spec), spec) : [];
}

/** Return the page's position and buttons for other pages. A missing total is requested after the response is shown. */
function pageNode(list) {
  const { columns, alternatives, shown, context, place } = list;
  const words = make("span", { class: "place", role: "status" });
  const tell = (total) => {
    words.textContent = placeWords(place, total);
    list.totalKnown(total);
  };
  const { operation, request } = shown;
  const wanted = isRepeatable(shown) && namesWanted(operation, alternatives, columns, context.spec);
  const asksTotal = place.total === null && Boolean(place.next);
  tell(place.total);
  if (wanted) {
    readNames(request, wanted).then(({ names, total }) => {
      showNames(context, names);
      if (asksTotal && total !== null) tell(total);
    });
  } else if (asksTotal) totalOf(operation, request).then((total) => total !== null && tell(total));
  const go = (name, changes, key) =>
    button(name, () => changes && callAgain(operation, changes, key), { class: "small", "data-key": key, "aria-disabled": changes ? null : "true" });
  const isAlone = !place.previous && !place.next;
  return make("div", { class: "page-place" }, words,
    !isAlone && [go("Previous", place.previous, "previous"), go("Next", place.next, "next")]);
}

/** Return a page's position as text: 101–200 of 301. */
function placeWords({ from, number, next }, total) {
  const [first, last] = [from + 1, from + number].map((each) => each.toLocaleString("en"));
  const of = total === null ? (next ? "of more" : "") : `of ${total}`;
  if (from === null) return [counted(number, "record"), of].filter(Boolean).join(" ");
  if (from === 0 && !next) return counted(number, "record");
  return [`${first}–${last}`, of].filter(Boolean).join(" ");
}

/** Return the active filters, each with a button that removes it; null if all records are listed. */
function narrowedNode({ operation, request }) {
  const parts = isRepeatable({ request }) ? narrowedBy(operation, request) : [];
  if (!parts.length) return null;
  return make("ul", { class: "narrowed", "aria-label": "Active filters" }, parts.map(({ words, without }) =>
    make("li", {}, button(visible(shortened(words)), without, { class: "small", title: "Remove", "aria-label": `Remove: ${visible(words)}` }))));
}

/** Return the choice of columns. The choice is remembered for the list. */
function columnsFold(list, changed) {
  const { columns, shown: { operation } } = list;
  const summary = make("span", {});
  const boxes = new Map();
  const tell = () => {
    summary.textContent = `Columns: ${list.chosen.length} of ${columns.length}`;
    for (const [each, box] of boxes) box.checked = list.chosen.includes(each);
  };
  list.columnsDropped = tell;
  const take = (chosen, names) => {
    list.chosen = chosen;
    list.isFitted = !names.length;
    rememberColumns(operation.id, names);
    tell();
    changed();
  };
  const choose = () => {
    const chosen = columns.filter((each) => boxes.get(each).checked);
    if (chosen.length) take(chosen, chosen.map(({ key }) => key));
  };
  const atFirst = () => take(firstColumns(columns), []);
  const line = (each) => {
    const box = make("input", { type: "checkbox", change: choose });
    boxes.set(each, box);
    return make("label", { class: each.filled ? "check" : "check quiet", title: each.title || null }, box, each.key);
  };
  tell();
  return fold({ class: "column-choice" }, summary, () => {
    const lines = columns.map(line);
    tell();
    const narrow = (event) => {
      const wanted = event.target.value.trim().toLowerCase();
      for (const each of lines) each.hidden = !`${each.textContent} ${each.title}`.toLowerCase().includes(wanted);
    };
    return [
      make("p", { class: "buttons" }, make("label", { class: "find quiet" }, "Find a column ", make("input", { input: narrow })),
        button("Reset", atFirst, { class: "small" })),
      make("div", { class: "column-boxes", role: "group", "aria-label": "Columns" }, lines),
    ];
  });
}

/** Return buttons that request the whole list in other formats to download, and to copy the page. */
function sheetButtons(list) {
  const { place, shown: { operation, request, answer, keep } } = list;
  const types = sheetTypes(operation, answer.status);
  if (!types.length || !isRepeatable({ request })) return null;
  const isPart = Boolean(place.previous || place.next || place.from === null);
  const isWhole = isPart && queryParameter(operation, "all");
  const fetched = async (type, pressed, use, of = request) => {
    pressed.setAttribute("aria-disabled", "true");
    const sheet = await askForSheet(of, type);
    pressed.removeAttribute("aria-disabled");
    if (sheet.status === 200) return use(sheet);
    return say(`Not downloaded as ${FORMATS[type]}: ${sheet.status || sheet.failed.message}`);
  };
  const download = (type) => ({ currentTarget: pressed }) => fetched(type, pressed, ({ blob, headers }) => {
    const name = fileNameOf(headers.get("Content-Disposition") || "") || `${nameOfFile(operation)}.${FORMATS[type].toLowerCase()}`;
    saveLink(blob, name, keep).click();
    say(`Downloaded ${name}`);
  }, isWhole ? allOf(request) : request);
  const copyAll = ({ currentTarget: pressed }) => fetched(CSV_TYPE, pressed, async ({ blob }) => copy(await blob.text(), pressed));
  const page = counted(place.number, "record");
  const words = make("span", { class: "quiet" }, isWhole ? "All records:" : isPart ? `This page, ${page}:` : `${page}:`);
  if (isWhole) list.totalKnown = (total) => total !== null && (words.textContent = `All ${total} records:`);
  list.totalKnown(place.total);
  const title = `All columns of ${isWhole ? "all records" : page}, generated by the server`;
  return make("div", { class: "sheets" }, words,
    types.map((type) => button(FORMATS[type], download(type), { class: "small", title, "aria-label": `Download as ${FORMATS[type]}` })),
    types.includes(CSV_TYPE) && button(isPart ? "Copy this page as CSV" : "Copy as CSV", copyAll, { class: "small" }));
}

/** Keys of phone numbers. */
const PHONES = /phone|fax/;

/** Return a button that finds the words of `q` inside of texts and numbers; null if the list can't. */
function insideButton(operation, request) {
  const wanted = askedFor(request).get("q");
  if (!wanted || !operation.searched.length) return null;
  const operators = filterOperators(operation);
  const has = (value, digits) => filterText(operation.searched.map((name) => ({ joint: "or", column: `t.${name}`,
    ...(digits && PHONES.test(name) ? { operator: "like", value: `%${[...digits].join("%")}%` } : { operator: "contains", value }) })), operators);
  const digits = wanted.replace(/[\s.()+/-]/g, "");
  // Phone numbers are stored with spaces; the last digits leave room for the server's limit of wildcards
  const isNumber = /^\d{4,}$/.test(digits);
  const words = isNumber ? [wanted.trim()] : wanted.trim().split(/\s+/);
  const inside = words.map((word) => `(${has(word, isNumber && digits.slice(-7))})`).join(" and ");
  const before = typedIn(operation, "sqlfilters").trim();
  return button("find it inside words", () => callAgain(operation, { q: "", sqlfilters: before ? `(${before}) and ${inside}` : inside }, "table"), { class: "small" });
}

/** Return help for an empty list: filters to remove, the first page, or a link that creates a record. */
function emptyListNode({ operation, request, answer }) {
  const narrowed = narrowedNode({ operation, request });
  const inside = insideButton(operation, request);
  const page = askedFor(request).get("page") > 0 || askedFor(request).has("after");
  if (narrowed || page) {
    return make("div", { class: "empty-list" },
      make("p", {}, narrowed ? "No matching records. Remove a filter:" : "This page is empty."),
      narrowed,
      // Users type the middle of a phone number, or the end of a name
      inside && make("p", { class: "quiet" }, "q finds beginnings of words. ", inside), page && button("Go to the first page", () => callAgain(operation, {}, "table"), { class: "small" }));
  }
  if (!isRepeatable({ request })) return text("p", "quiet", "The list is empty.");
  if (answer.headers.get("Visible-Records")) return text("p", "quiet", "There are no records that you may see.");
  const made = ((operation.spec.paths || {})[operation.path] || {}).post;
  return make("div", { class: "empty-list" },
    make("p", {}, "The list is empty. There are no records yet",
      made ? [": ", make("a", { href: addressOfOperation(made.operationId) }, inline(made.summary || "create one"))] : "."));
}
