// The search over all operations: by path, summary, parameters, and by what people call things.

/** Operations that a search shows at the most: more are not read by anybody. */
const FOUND_AT_MOST = 60;
/** Operations up to which the best come first; of more, none is what was meant. */
const RANKED_AT_MOST = 2000;
/** Words that people look for, and those that stand in their place here. */
const MEANT = {
  pdf: ["builddoc", "pdf"], new: ["create", "post "], add: ["add", "create"], edit: ["change", "patch "], update: ["change", "put "],
  remove: ["delete"], convert: ["createfrom"], filter: ["sqlfilters"], password: ["password", "login"], token: ["login", "key"],
};
let haystacks = [];

/** What the search looks through for each operation of a service. */
function haystacksOf(service) {
  return (service.operations || []).map((operation) => ({
    service,
    operation,
    path: `${operation.verb} ${operation.path}`.toLowerCase(),
    rest: [operation.summary, operation.words, operation.id].join(" ").toLowerCase(),
    around: (service.summary || "").toLowerCase(),
  }));
}

/** A word's own forms, of one thing and of several, and what it stands for. */
function meaningsOf(word) {
  const single = word.length > 3 && word.endsWith("s") ? [word.slice(0, -1)] : [];
  const several = word.length > 3 && word.endsWith("y") ? [`${word.slice(0, -1)}ies`] : [];
  return [[word, ...single, ...several], MEANT[word] || []];
}

/** How far an operation is from a word: best is the path; Infinity where it has nothing to do with it. */
function distance({ path, rest, around }, [own, meant]) {
  const within = (words, text) => words.some((word) => text.includes(word));
  if (within(own, path)) return 0;
  if (within(meant, path)) return 1;
  if (within(own, rest)) return 2;
  if (within(meant, rest)) return 3;
  return within(own, around) ? 8 : Infinity;
}

/** The operations in which every word stands, the nearest first, and of these the shortest paths. */
function find(words) {
  const wanted = words.map(meaningsOf);
  const found = [];
  for (const each of haystacks) {
    let far = each.path.length / 1000;
    for (const word of wanted) if (far < Infinity) far += distance(each, word);
    if (far < Infinity) found.push([far, each]);
  }
  if (found.length <= RANKED_AT_MOST) found.sort((one, other) => one[0] - other[0]);
  return found.map((each) => each[1]);
}

function search() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  byId("services").hidden = words.length > 0;
  byId("found").hidden = !words.length;
  if (!words.length) {
    byId("found").replaceChildren();
    const { services } = known.index;
    byId("count").textContent = `${counted(services.length, "service")}, ${counted(haystacks.length, "operation")}`;
    return;
  }
  const failed = known.index.failures.filter((each) => words.every((word) => each.name.includes(word)));
  const found = find(words);
  const shown = found.slice(0, FOUND_AT_MOST).map(({ service, operation }) => operationItem(service, operation, operation.summary));
  const broken = failed.map((each) => make("li", {}, make("a", { href: addressOf(each.name), class: "operation" }, text("span", "mark", "501"), each.name)));
  byId("found").replaceChildren(...broken, ...shown);
  const more = found.length - shown.length;
  byId("count").textContent = `${counted(found.length, "operation")} found${more > 0 ? `, the first ${shown.length} shown` : ""}`;
  markCurrent();
}

function clearSearch() {
  byId("search").value = "";
  search();
}
