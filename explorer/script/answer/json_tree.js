// JSON as a foldable tree. It builds only unfolded branches, in steps, which keeps large responses fast.

const TREE_STEP = 100;
// A level with no more rows than this is unfolded from the start
const TREE_AT_ONCE = 150;
// Rows that "Expand all" unfolds
const TREE_AT_MOST = 5000;
// Levels; deeper values are shown as text
const TREE_DEPTH = 100;
const STRING_SHOWN = 500;
const PREVIEW_SHOWN = 60;
const PREVIEW_ENTRIES = 30;
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
// Values that a preview leaves out
const DULL = new Set(["null", '""', "…"]);

/**
 * Return the tree of a response: {node, folds, expand(), collapse()}.
 *
 * @param {object} context source (the text), value (from readJson), alternatives (its schemas), spec, open,
 *   here (address of the record being shown), entriesOf and around (see chooseEntries),
 *   isFolded (whether the tree starts folded)
 */
function treeOf(context) {
  const { value, alternatives } = context;
  const top = { rows: [], depth: 0 };
  const node = make("ul", { class: "tree" }, treeRow(null, value, alternatives, top, context));
  const root = top.rows[0];
  if (root && context.around) unfoldAround(root, context.around);
  else if (root && !context.isFolded) unfoldFirst(root);
  return { node, folds: Boolean(root), expand: () => expandAll(root), collapse: () => collapseAll(root) };
}

/** Return one line of the tree: a value, or a branch with a button that unfolds it. */
function treeRow(key, value, alternatives, parent, context) {
  const described = alternatives.find((each) => each.description);
  const kind = typeof key === "number" ? "json-place" : "json-key";
  const title = described ? described.description : null;
  const label = key === null ? [] : [make("span", { class: kind, title }, visible(String(key))), ": "];
  if (!value.entries) return make("li", {}, label, treeLeaf(value, alternatives, context));
  const [opening, closing] = value.kind === "array" ? "[]" : "{}";
  if (!value.entries.length) return make("li", {}, label, `${opening}${closing}`);
  if (parent.depth >= TREE_DEPTH) return make("li", {}, label, shortened(context.source.slice(value.begin, value.end)));
  const entries = context.entriesOf(value);
  const branch = { value, entries, alternatives, context, depth: parent.depth + 1, rows: [], isOpen: false };
  parent.rows.push(branch);
  branch.list = make("ul", { hidden: true });
  branch.toggle = button([label, opening, text("span", "json-preview", previewOf(value, context)), closing,
    text("span", "json-count", countText(branch))],
  () => setUnfolded(branch, !branch.isOpen), { class: "fold", "aria-expanded": "false" });
  return make("li", {}, branch.toggle, branch.list);
}

function countText({ value, entries }) {
  const hidden = value.entries.length - entries.length;
  const number = counted(value.entries.length, value.kind === "array" ? "item" : "field");
  return hidden ? `${number}, ${hidden.toLocaleString("en")} hidden` : number;
}

function setUnfolded(branch, isOpen) {
  if (isOpen && !branch.list.firstChild) fillBranch(branch, 0);
  branch.isOpen = isOpen;
  branch.list.hidden = !isOpen;
  branch.toggle.setAttribute("aria-expanded", String(isOpen));
}

function fillBranch(branch, from) {
  const { value, entries, alternatives, context, list } = branch;
  const schemasOf = (key) => innerAlternatives(alternatives, key, context.spec);
  const items = value.kind === "array" ? schemasOf(0) : null;
  for (const [key, each] of entries.slice(from, from + TREE_STEP)) {
    list.append(treeRow(key, each, items || schemasOf(key), branch, context));
  }
  const left = entries.length - from - TREE_STEP;
  if (left <= 0) return;
  const more = (event) => {
    const row = event.currentTarget.parentNode;
    fillBranch(branch, from + TREE_STEP);
    const next = row.nextElementSibling;
    row.remove();
    next.tabIndex = -1;
    next.focus();
  };
  const words = `Show ${Math.min(left, TREE_STEP)} more`;
  const rest = text("span", "json-count", `${left.toLocaleString("en")} left`);
  list.append(make("li", {}, button(words, more, { class: "small" }), rest));
}

/** Return the first non-empty values of a branch as text. They identify a record without unfolding it. */
function previewOf({ kind, entries }, { source }) {
  const parts = [];
  let length = 0;
  for (const [key, each] of entries.slice(0, PREVIEW_ENTRIES)) {
    const words = each.entries ? "…" : source.slice(each.begin, Math.min(each.end, each.begin + PREVIEW_SHOWN));
    if (kind === "object" && DULL.has(words)) continue;
    parts.push(kind === "object" ? `${key}: ${words}` : words);
    length += parts[parts.length - 1].length + 2;
    if (length > PREVIEW_SHOWN) break;
  }
  const words = parts.join(", ");
  const isWhole = words.length <= PREVIEW_SHOWN && parts.length === entries.length;
  return visible(isWhole ? words : `${words.slice(0, PREVIEW_SHOWN)}…`);
}

function treeLeaf(value, alternatives, context) {
  const { source } = context;
  if (value.kind === "string") return stringLeaf(JSON.parse(source.slice(value.begin, value.end)), alternatives, context);
  const words = source.slice(value.begin, value.end);
  const shown = text("span", `json-${value.kind}`, words);
  if (value.kind === "word") return shown;
  return [readLink(shown, words, alternatives, context), meaningNode(words, alternatives)];
}

/** Return the readable form of a value (the name of a state, a day or an instant) as an element, or null. */
function meaningNode(words, alternatives) {
  const facts = factsOf(alternatives);
  const readable = words !== "" && readableWords(words, facts);
  if (!readable || readable === words) return null;
  return facts.kind === "moment" ? make("time", {}, readable) : text("span", "json-count", readable);
}

function stringLeaf(words, alternatives, context) {
  const shown = make("span", { class: "json-string" }, visible(JSON.stringify(words.slice(0, STRING_SHOWN))));
  if (words.length <= STRING_SHOWN) return [readLink(shown, words, alternatives, context), meaningNode(words, alternatives)];
  const more = (event) => {
    shown.textContent = visible(JSON.stringify(words));
    shown.tabIndex = -1;
    shown.focus();
    event.currentTarget.remove();
  };
  return [shown, button(`… all ${words.length.toLocaleString("en")} characters`, more, { class: "small" })];
}

/** Link a value to the record that it references, unless this is the record being shown. */
function readLink(shown, words, alternatives, context) {
  const href = readsOf(alternatives, words);
  return href && href !== context.here ? recordLink(href, shown, context) : shown;
}

/** Return a text with direction-changing characters written as JSON escapes. */
const visible = (words) => words.replace(TURNING, (letter) => `\\u${letter.charCodeAt(0).toString(16)}`);
const shortened = (words) => (words.length > STRING_SHOWN ? `${words.slice(0, STRING_SHOWN)}…` : words);

// Many at once --------------------------------------------------------------------------------------------------------

const rowsIn = (branch) => Math.min(branch.entries.length, TREE_STEP);

/** Unfold level by level from the top, as long as a whole level has few rows. */
function unfoldFirst(root) {
  let level = [root];
  let rows = 0;
  do {
    for (const branch of level) setUnfolded(branch, true);
    rows += level.reduce((sum, branch) => sum + rowsIn(branch), 0);
    level = level.flatMap((branch) => branch.rows);
  } while (level.length && rows + level.reduce((sum, branch) => sum + rowsIn(branch), 0) <= TREE_AT_ONCE);
}

/** Unfold the branches that contain search hits, up to the row limit. */
function unfoldAround(root, around) {
  let rows = 0;
  const waiting = [root];
  for (const branch of waiting) {
    rows += rowsIn(branch);
    if (rows > TREE_AT_MOST) return;
    if (!around.has(branch.value)) continue;
    setUnfolded(branch, true);
    waiting.push(...branch.rows);
  }
}

/** Unfold level by level; return whether everything is unfolded. */
function expandAll(root) {
  let rows = 0;
  const waiting = [root];
  for (const branch of waiting) {
    rows += branch.list.firstChild ? branch.list.childElementCount : rowsIn(branch);
    if (rows > TREE_AT_MOST) return false;
    setUnfolded(branch, true);
    waiting.push(...branch.rows);
  }
  return true;
}

function collapseAll(root) {
  const waiting = [...root.rows];
  for (const branch of waiting) {
    setUnfolded(branch, false);
    waiting.push(...branch.rows);
  }
}
