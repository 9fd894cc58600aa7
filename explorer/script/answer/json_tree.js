// JSON as a tree that folds. Only what is unfolded is built, in steps, so that a large answer costs no more than what is seen of it.

const TREE_STEP = 100;
const TREE_AT_ONCE = 150; // a level with no more rows than this is unfolded from the start
const TREE_AT_MOST = 5000; // rows that "Expand all" unfolds
const TREE_DEPTH = 100; // levels; what lies deeper is shown as text
const STRING_SHOWN = 500;
const PREVIEW_SHOWN = 60;
const PREVIEW_ENTRIES = 30;
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
const DULL = new Set(["null", '""', "…"]); // values that a preview leaves out

/**
 * The tree of an answer: its element, and what unfolds and folds all of it.
 *
 * @param {object} context source (the text), value (what readJson made of it), alternatives (its schemas), spec, open,
 *   here (the address of what is read already), entriesOf and around (see chooseEntries), isFolded (whether it begins folded)
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

/** One line of the tree: a value, or a branch that is unfolded by its button. */
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

/** The first values of a branch that say something, so that one need not unfold it to see which record it is. */
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

/** What people read of a value: the name of a state, a day or an instant. */
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

/** A value that names a record leads to it, unless it is the one that was read. */
function readLink(shown, words, alternatives, context) {
  const href = readsOf(alternatives, words);
  return href && href !== context.here ? recordLink(href, shown, context) : shown;
}

/** With characters that would reverse the text written as JSON's escapes. */
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

/** Unfold down to what was found, as far as the limit allows. */
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

/** Unfold level by level; returns whether everything is unfolded. */
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
