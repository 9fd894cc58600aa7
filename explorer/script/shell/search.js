// The search over all operations and the guide: by title, path, parameters, values and fields, and by the words that
// people use (`search_words.tsv` beside a module, and the explorer's own).

/** The maximum number of operations that a search shows. */
const FOUND_AT_MOST = 60;
/** With more matches than this, results aren't ranked: the query is too general. */
const RANKED_AT_MOST = 2000;
/** Stop words: they are ignored in a query. */
const SAID_ANYHOW = new Set("a an the of to in on for from by with and or my all one how why what when where which do does can i is are it this that at le la les l un une d de des du partir der die das ein eine einen".split(" "));
/** Words that limit what is meant: they are ignored if nothing is found with them. */
const SAID_CLOSER = new Set("last next first past today yesterday day week month quarter year half part partly some every each now again please older newer than before after since ago".split(" "));
/** The distance of a match by its place: title, synonyms, path or service, parameters, fields. */
const FOUND_IN = [["near", 0], ["also", 0.4], ["place", 1], ["rest", 4], ["fields", 7]];
/** Subtracted if the whole query is a search word of the operation, or the name of the service that it lists. */
const CALLED_SO = 2.5;
/** Added for a match through a synonym. */
const MEANT = 0.5;
/** Added for a guide page: an operation of the same name comes first. */
const GUIDE = 0.8;
let haystacks = null;
/** Word → its synonyms, from the tables of the explorer and the modules. */
let meanings = new Map();

/** A text in lower case without accents, words separated by single spaces; optimised for ten thousand texts. */
function plain(words) {
  const small = unaccented(words);
  const between = isAscii(small) ? /[^a-z0-9]+/g : /[^\p{L}\p{N}]+/gu;
  return ` ${small.replace(between, " ").trim()} `;
}

const isAscii = (words) => !/[^\0-\x7f]/.test(words);

function unaccented(words) {
  const small = words.toLowerCase();
  return isAscii(small) ? small : small.normalize("NFD").replace(/\p{M}/gu, "");
}

/** The index has changed: rebuild the searched texts when the browser is idle. */
function forgetHaystacks() {
  haystacks = null;
  (window.requestIdleCallback || setTimeout)(() => haystacks || readHaystacks());
}

/** Build the searched texts: operations with their services, and the guide pages. */
function readHaystacks() {
  const { services: all, guide = [], meanings: told = {} } = indexState.index;
  meanings = new Map();
  const called = all.filter((each) => each.also).map(({ name, also }) => [name.replace(/s$/, ""), also]);
  for (const [word, also] of [...Object.entries(told), ...called]) {
    for (const each of phrasesOf(also)) {
      const key = each.trim();
      meanings.set(key, [...meanings.get(key) || [], unaccented(word)]);
    }
  }
  haystacks = [...all.flatMap(haystacksOf), ...guide.map(haystackOfGuide)];
}

/** For each operation of a service: title and own words, path and service, parameters, fields. */
function haystacksOf(service) {
  const around = plain([service.name, service.title, service.also].join(" "));
  const told = (service.summary || "").toLowerCase();
  const index = `get /${service.name}`;
  const fields = Object.fromEntries(Object.entries(service.fields || {}).map(([name, words]) => [name, words.toLowerCase()]));
  return (service.operations || []).map((operation) => {
    const path = `${operation.verb} ${operation.path}`.toLowerCase();
    const { title = "", also: own = "" } = operation;
    const near = plain(title);
    const also = own && plain(own);
    const calls = path === index ? phrasesOf([own, ...namesOf(service), service.also].join(",")) : phrasesOf(own);
    const place = plain(path) + around;
    const rest = `${path} ${operation.summary || ""} ${operation.words || ""} ${operation.id} ${own}`.toLowerCase();
    const used = [told, ...(operation.models || []).map((name) => fields[name])].join(" ");
    const weight = (path.length + title.length) / 1000 + (operation.deprecated ? 0.2 : 0);
    return { service, operation, calls, near, also, place, rest, fields: used, weight, all: `${near}\n${also}\n${place}\n${rest}\n${used}` };
  });
}

/** The names of a service, in plural and singular. */
const namesOf = ({ name, title = name }) => [name, title].flatMap((each) => [each, each.replace(/s$/, "")]);

function haystackOfGuide(page) {
  const [near, also, rest] = [plain(page.title), plain(page.words || ""), `${page.summary || ""} ${page.words || ""}`.toLowerCase()];
  return { page, calls: phrasesOf(page.words), near, also, place: "", rest, fields: "", weight: GUIDE, all: near + also + rest };
}

/** Words that are separated by commas, each as it is compared with a question. */
const phrasesOf = (words) => (words ? words.split(",").map(plain) : NO_PHRASES);
const NO_PHRASES = [];

/** The words of a query: a phrase with synonyms counts as one word; stop words are left out. */
function wordsOf(question) {
  let rest = plain(question);
  const phrases = [];
  for (const [phrase, meant] of meanings) {
    if (!phrase.includes(" ") || !rest.includes(` ${phrase} `)) continue;
    rest = rest.replace(` ${phrase} `, " ");
    phrases.push({ own: meant, meant: [] });
  }
  // A pasted path or ID is searched for unchanged
  const typed = unaccented(question).split(/[\s'’]+/).filter(Boolean);
  const single = phrases.length ? rest.split(" ").filter(Boolean) : typed;
  const said = single.filter((word) => !SAID_ANYHOW.has(word));
  return [...phrases, ...(said.length || phrases.length ? said : single).map(meaningsOf)];
}

/** A word in singular and plural, and its synonyms in this API. */
function meaningsOf(word) {
  const single = word.length > 3 && word.endsWith("s") ? [word.slice(0, -1)] : [];
  const several = word.length > 3 && word.endsWith("y") ? [`${word.slice(0, -1)}ies`] : [];
  const own = [word, ...single, ...several];
  return { own, meant: own.flatMap((each) => meanings.get(each) || []) };
}

/** Return whether a text contains one of the words; called for each of ten thousand operations at each keystroke. */
function holds(text, words) {
  for (const word of words) if (text.includes(word)) return true;
  return false;
}

/** The distance of a text from the words: one of its words is equal, begins with one, contains one, or none matches. */
function nearness(text, words) {
  let best = Infinity;
  for (const word of words) {
    if (!text.includes(word)) continue;
    if (text.includes(` ${word} `)) return 0;
    best = Math.min(best, text.includes(` ${word}`) ? 0.2 : 0.6);
  }
  return best;
}

/** The distance of an operation from a word. */
function distance(each, { own, meant }) {
  let best = 10;
  for (const [part, cost] of FOUND_IN) {
    if (cost >= best) break;
    best = Math.min(best, cost + nearness(each[part], own), cost + MEANT + nearness(each[part], meant));
  }
  return best;
}

/**
 * The operations in which every word occurs, the nearest first, and among equals the shortest: {found, without}. A misspelt
 * word is forgiven, and one that occurs nowhere, such as a name or a number, is left out: `without` lists these.
 */
function findOperations(question) {
  if (!haystacks) readHaystacks();
  const words = question.split(/\s+/).filter((word) => !SAID_CLOSER.has(plain(word).trim()));
  const broader = words.join(" ") || question;
  const isCalled = haystacks.some(({ calls }) => calls.includes(thingOf(broader)));
  for (const each of new Set(isCalled ? [broader, question] : [question, broader])) {
    const found = rankedFor(wordsOf(each), each);
    if (found.length) return { found, without: [] };
  }
  const wanted = wordsOf(broader).map(forgiven);
  let found = rankedFor(wanted, broader);
  let known = wanted.filter(isKnown);
  if (found.length || !known.length) return { found, without: [] };
  while (!found.length) {
    if (known.length < wanted.length) found = rankedFor(known, words.filter((word) => isOneOf(known, word)).join(" "));
    if (!found.length) known = nearestPart(known);
  }
  return { found, without: wanted.filter((each) => !known.includes(each)).map(({ own }) => own[0]) };
}

const isOneOf = (wanted, word) => wanted.some(({ own }) => own.includes(unaccented(word)));

/** Of some words that nothing contains together, the most that something does, in the nearest of these. */
function nearestPart(wanted) {
  let best = [[], 0];
  for (const each of haystacks) {
    const part = wanted.filter(({ own, meant }) => holds(each.all, own) || holds(each.all, meant));
    const far = part.reduce((sum, word) => sum + distance(each, word), each.weight);
    if (part.length > best[0].length || (part.length === best[0].length && far < best[1])) best = [part, far];
  }
  return best[0];
}

/** Return whether a word or one of its synonyms occurs anywhere. */
const isKnown = (word) => haystacks.some(({ all }) => holds(all, word.own) || holds(all, word.meant));

/** A word of a question; if it occurs nowhere, with the nearest words that do. */
function forgiven(word) {
  const near = isKnown(word) ? [] : nearestWords(word.own[0]).map(meaningsOf);
  return near.length ? { own: near.flatMap(({ own }) => own), meant: near.flatMap(({ meant }) => meant) } : word;
}

/** The words of titles, synonyms and paths with the smallest edit distance; empty if all are too different. */
function nearestWords(word) {
  const most = word.length < 4 ? 0 : word.length < 6 ? 1 : 2;
  const words = new Set(haystacks.flatMap(({ near, also, place }) => `${near} ${also} ${place}`.split(" ")));
  for (const each of meanings.keys()) words.add(each);
  const close = [...words].filter((each) => each.length > 2 && Math.abs(each.length - word.length) <= most).map((each) => [stepsBetween(word, each), each]);
  const least = Math.min(most, ...close.map(([number]) => number));
  return most ? close.filter(([number]) => number <= least).map(([, each]) => each) : [];
}

/** Return whether a word only asks for a list, such as "find". */
const asksForList = (word) => SAID_ANYHOW.has(word) || word === "list" || (meanings.get(word) || []).includes("list");

/** Return a question without the words that only ask for a list, as search words are compared with it. */
function thingOf(question) {
  const things = plain(question).split(" ").filter((word) => word && !asksForList(word));
  return plain(things.join(" ") || question);
}

function rankedFor(wanted, question) {
  const whole = thingOf(question);
  const found = haystacks.filter(({ all }) => wanted.every(({ own, meant }) => holds(all, own) || holds(all, meant)));
  if (found.length > RANKED_AT_MOST) return found;
  const start = (each) => each.weight - (each.calls.includes(whole) ? CALLED_SO : 0);
  const far = (each) => wanted.reduce((sum, word) => sum + distance(each, word), start(each));
  return found.map((each) => [far(each), each]).sort((one, other) => one[0] - other[0]).map((each) => each[1]);
}

/** An operation or a guide page as an item of the search results. */
const foundItem = ({ service, operation, page }) => (page
  ? make("li", {}, make("a", { href: addressOf("", "guide", page.name), class: "operation" }, text("span", "verb guide-page", "Guide"), text("span", "label", page.title)))
  : operationItem(operation, "found", addressOf(service.name, operation.id)));

function showFound() {
  const question = byId("search").value.trim();
  byId("services").hidden = question !== "";
  byId("found").hidden = !question;
  if (!question) {
    byId("found").replaceChildren();
    const { services } = indexState.index;
    const operations = services.reduce((sum, each) => sum + each.operations.length, 0);
    byId("count").textContent = `${counted(services.length, "service")}, ${counted(operations, "operation")}`;
    return;
  }
  const words = question.toLowerCase().split(/\s+/);
  const failed = indexState.index.failures.filter((each) => words.every((word) => each.name.includes(word)));
  const { found, without } = findOperations(question);
  const shown = found.slice(0, FOUND_AT_MOST).map(foundItem);
  const broken = failed.map((each) => make("li", {}, make("a", { href: addressOf(each.name), class: "operation" }, text("span", "mark", "501"), each.name)));
  byId("found").replaceChildren(...broken, ...shown);
  const pages = found.filter((each) => each.page).length;
  const more = found.length - shown.length;
  const counts = [counted(found.length - pages, "operation"), pages && counted(pages, "page")].filter(Boolean).join(" and ");
  byId("list").scrollTop = 0;
  byId("count").textContent = `${counts} found${without.length ? ` without “${without.join(" ")}”` : ""}${more > 0 ? `, first ${shown.length} shown` : ""}`;
  markCurrent();
}

function clearSearch() {
  byId("search").value = "";
  showFound();
}
