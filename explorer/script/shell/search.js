// The search over all operations: by path, summary and parameters, and by the words that people use.

/** The most operations that a search shows: nobody reads more. */
const FOUND_AT_MOST = 60;
/** Beyond this number of operations found, they are not ranked: the words say too little. */
const RANKED_AT_MOST = 2000;
/** Words that people look for, and what these things are called here. */
const SYNONYMS = {
  pdf: ["builddoc", "pdf"], new: ["create", "post "], add: ["add", "create"], edit: ["change", "patch "], update: ["change", "put "],
  remove: ["delete"], convert: ["createfrom"], filter: ["sqlfilters"], password: ["password", "login"], token: ["login", "key"],
};
let haystacks = [];

/** What the search looks through for each operation of a service: its path, its own words, those of the service. */
function haystacksOf(service) {
  const around = (service.summary || "").toLowerCase();
  return (service.operations || []).map((operation) => {
    const path = `${operation.verb} ${operation.path}`.toLowerCase();
    const rest = [operation.summary, operation.words, operation.id].join(" ").toLowerCase();
    return { service, operation, path, rest, all: `${path}\n${rest}\n${around}` };
  });
}

/** A word in singular and plural, and what the thing is called here. */
function meaningsOf(word) {
  const single = word.length > 3 && word.endsWith("s") ? [word.slice(0, -1)] : [];
  const several = word.length > 3 && word.endsWith("y") ? [`${word.slice(0, -1)}ies`] : [];
  return { own: [word, ...single, ...several], meant: SYNONYMS[word] || [] };
}

/** Whether a text holds one of some words; called for each of ten thousand operations at each key. */
function holds(text, words) {
  for (const word of words) if (text.includes(word)) return true;
  return false;
}

/** How far an operation is from a word: best if it is in the path, then in its own words, then in those of its service. */
function distance({ path, rest }, { own, meant }) {
  if (holds(path, own)) return 0;
  if (holds(path, meant)) return 1;
  if (holds(rest, own)) return 2;
  return holds(rest, meant) ? 3 : 8;
}

/** The operations in which every word occurs, the nearest first, and among equals the shortest paths. */
function findOperations(words) {
  const wanted = words.map(meaningsOf);
  const found = haystacks.filter(({ all }) => wanted.every(({ own, meant }) => holds(all, own) || holds(all, meant)));
  if (found.length > RANKED_AT_MOST) return found;
  const far = (each) => wanted.reduce((sum, word) => sum + distance(each, word), each.path.length / 1000);
  return found.map((each) => [far(each), each]).sort((one, other) => one[0] - other[0]).map((each) => each[1]);
}

function showFound() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  byId("services").hidden = words.length > 0;
  byId("found").hidden = !words.length;
  if (!words.length) {
    byId("found").replaceChildren();
    const { services } = indexState.index;
    byId("count").textContent = `${counted(services.length, "service")}, ${counted(haystacks.length, "operation")}`;
    return;
  }
  const failed = indexState.index.failures.filter((each) => words.every((word) => each.name.includes(word)));
  const found = findOperations(words);
  const shown = found.slice(0, FOUND_AT_MOST).map(({ service, operation }) =>
    operationItem(operation, "found", addressOf(service.name, operation.id)));
  const broken = failed.map((each) => make("li", {}, make("a", { href: addressOf(each.name), class: "operation" }, text("span", "mark", "501"), each.name)));
  byId("found").replaceChildren(...broken, ...shown);
  const more = found.length - shown.length;
  byId("count").textContent = `${counted(found.length, "operation")} found${more > 0 ? `, the first ${shown.length} shown` : ""}`;
  markCurrent();
}

function clearSearch() {
  byId("search").value = "";
  showFound();
}
