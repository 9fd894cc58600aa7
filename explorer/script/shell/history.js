// The calls made in this tab, kept until the tab closes, without keys, passwords and responses.

const HISTORY = "comptoir-history";
const HISTORY_LENGTH = 100;
// Characters of all entries
const HISTORY_SIZE = 200_000;
// Characters of one form; larger ones are not kept
const SNAPSHOT_SIZE = 20_000;
// Characters of a body in the list
const TYPED_SHOWN = 60;
const SECRET = /key|token|secret|pass|pwd|authorization|cookie/i;
const SECRET_MEMBER = /"[^"]{0,40}(?:key|token|secret|pass|pwd)[^"]{0,40}"\s{0,9}:/i;
// An address can't contain half of a surrogate pair
const WELL_FORMED = /^[^\ud800-\udfff]*$/u;
const CALL_TEXTS = ["id", "service", "verb", "path", "query"];
const historyCallbacks = [];
let calls = null;

/** Called whenever the list has changed. */
function historyChanged(callback) {
  historyCallbacks.push(callback);
}

/** A query without parameters whose names indicate a secret. */
function withoutKeys(query) {
  return (query || "").split("&").filter((each) => !SECRET.test(nameInQuery(each))).join("&");
}

function nameInQuery(part) {
  try {
    return decodeURIComponent(part.split("=")[0]);
  } catch {
    return part.split("=")[0];
  }
}

/** Put a call into the history. */
function rememberCall(call) {
  const { id, service, verb, path, query, status, time, moment } = call;
  const snapshot = snapshotKept(call.snapshot);
  writeCalls([{ id, service, verb, path, query: withoutKeys(query), status, time, moment, snapshot }, ...readCalls()]);
}

/** A snapshot without secrets; null when it is too large. */
function snapshotKept(snapshot) {
  const kept = Object.entries(snapshot || {}).filter(([name, words]) =>
    typeof words === "string" && !SECRET.test(name) && !(name === "body" && SECRET_MEMBER.test(words)));
  const size = kept.reduce((sum, [, words]) => sum + words.length, 0);
  return size > SNAPSHOT_SIZE ? null : Object.fromEntries(kept);
}

function readCalls() {
  if (calls) return calls;
  try {
    const stored = JSON.parse(sessionStorage.getItem(HISTORY) || "[]");
    calls = Array.isArray(stored) ? stored.filter(isCall).slice(0, HISTORY_LENGTH) : [];
  } catch {
    calls = [];
  }
  return calls;
}

/** Return whether a stored value is a call; another page of the same origin may have written anything. */
function isCall(entry) {
  return Boolean(entry) && CALL_TEXTS.every((name) => typeof entry[name] === "string" && WELL_FORMED.test(entry[name]));
}

function writeCalls(entries) {
  calls = entries.slice(0, HISTORY_LENGTH);
  let size = 0;
  const fitting = calls.findIndex((entry) => (size += JSON.stringify(entry).length + 1) > HISTORY_SIZE);
  if (fitting >= 0) calls = calls.slice(0, fitting);
  try {
    sessionStorage.setItem(HISTORY, JSON.stringify(calls));
  } catch {
    // Storage is full or forbidden: the list then lasts only as long as the page
  }
  for (const callback of historyCallbacks) callback();
}

/** The calls of this tab, newest first. */
function historyNode(open) {
  const entries = readCalls();
  const node = make("section", { class: "history", "aria-label": "Calls in this tab" });
  if (!entries.length) {
    node.append(
      make("p", { class: "empty" }, "No calls in this tab yet."),
      make("p", { class: "quiet" }, "Your calls and their input appear here until you close the tab. Keys and responses aren't stored. ",
        make("a", { href: "#/" }, "Choose an operation")));
    return node;
  }
  const clear = () => {
    writeCalls([]);
    node.replaceChildren(make("p", { class: "quiet", tabindex: -1 }, "The list is empty."));
    node.firstChild.focus();
  };
  const number = text("span", "quiet", counted(entries.length, "call"));
  node.append(
    make("p", { class: "buttons" }, number, button("Clear", clear, { class: "small" })),
    make("ol", { class: "calls" }, entries.map((entry) => historyRow(entry, open))));
  return node;
}

/** The first typed values, without those that the address already shows. */
function typedText(snapshot) {
  const typed = Object.entries(snapshot || {}).filter(([name]) => !/^(path|query):/.test(name));
  const words = typed.map(([name, value]) => (name === "body" ? value : `${name.split(":").pop()}: ${value}`));
  return words.join(", ").replace(/\s+/g, " ").slice(0, TYPED_SHOWN);
}

function historyRow(entry, open) {
  const moment = new Date(entry.moment);
  const isKnown = !Number.isNaN(moment.getTime());
  const title = moment.toLocaleString();
  const href = `#/${[entry.service, entry.id].map(encodeURIComponent).join("/")}`;
  const openLink = (event) => {
    event.preventDefault();
    open(href, entry.snapshot && typeof entry.snapshot === "object" ? entry.snapshot : {});
  };
  const status = Number(entry.status) || 0;
  return make("li", {},
    isKnown && make("time", { datetime: moment.toISOString(), title }, moment.toLocaleTimeString()),
    make("a", { href, click: openLink },
      badge(entry.verb), " ", make("code", { class: "path" }, visible(decoded(addressShown(entry)))),
      text("span", "typed quiet", visible(typedText(entry.snapshot)))),
    make("span", { class: status >= 200 && status < 400 ? "good" : "bad" }, status ? String(status) : "failed"));
}
