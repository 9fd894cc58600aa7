// A page of the guide at the right: its text, and calls that run against this server.

/** Name → what is shown of the page, with its tag: what its calls have answered stays as long as the tab. */
const guideNodes = new Map();
const KEY_IN_CURL = '"DOLAPIKEY: $DOLAPIKEY"';

const addressOfGuide = (name) => `#//guide/${encodeURIComponent(name)}`;

/** The name of the page that the address of the window leads to. */
const guideShown = () => decoded((/^#\/\/guide\/([^?]*)/.exec(location.hash) || ["", ""])[1]);

/** The page of this name, made when it is first asked for. */
async function guideNode(name) {
  const page = indexState.index.guide.find((each) => each.name === name);
  if (!page) return goneGuideNode(name);
  if ((guideNodes.get(name) || {}).tag !== page.tag) {
    const answer = await ask(new URL(`guide/${encodeURIComponent(name)}`, EXPLORER_ADDRESS));
    if (!answer.ok) throw new Away(answer.statusText);
    guideNodes.set(name, { tag: page.tag, node: makeGuide(page, await answer.text()) });
  }
  return guideNodes.get(name).node;
}

function goneGuideNode(name) {
  return make("article", { class: "one" },
    make("header", {}, make("h1", { tabindex: -1 }, name)),
    make("p", { class: "notice" }, "This page doesn't exist. ", make("a", { href: "#/" }, "Start here"), " lists all pages."));
}

function makeGuide(page, words) {
  const guide = { calls: [], values: valuesToBegin(), made: [], language: codeLanguage };
  const made = make("p", { class: "made quiet" });
  guide.changed = () => {
    guide.calls.forEach(({ refresh }) => refresh());
    made.replaceChildren(...guide.made.flatMap(({ service, id, href }, place) =>
      [place ? ", " : "Created on this page: ", make("a", { href }, `${titleOfService(service)} ${id}`)]));
  };
  const fenced = (fence, content) => {
    if (fence === "key") return keyLine(content);
    const call = callOf(fence, content);
    if (!call) return make("pre", { tabindex: 0, "aria-label": "Example" }, content);
    const view = guideCall(call, guide);
    guide.calls.push(view);
    return view.node;
  };
  const nodes = markdown(words.replace(/^# .*\n/, ""), fenced);
  return make("article", { class: "one guide" },
    make("header", {},
      make("p", { class: "above" }, make("a", { href: "#/" }, "Start here")),
      make("h1", { tabindex: -1 }, page.title)),
    guide.calls.length > 0 && languageChoice(guide.changed),
    proseParts(nodes),
    made,
    guideSteps(page));
}

/** Text as prose, calls between: what they answer is none. */
function proseParts(nodes) {
  const parts = [];
  for (const node of nodes) {
    if (node.matches("section")) parts.push(node);
    else if (parts.length && parts.at(-1).matches(".prose")) parts.at(-1).append(node);
    else parts.push(make("div", { class: "prose" }, node));
  }
  return parts;
}

/** In which language calls are written, on all pages. */
function languageChoice(changed) {
  const choose = (event) => {
    chooseCode(event.currentTarget.dataset.kind);
    mark();
    changed();
  };
  const kinds = Object.entries(CODE_LANGUAGES).map(([kind, words]) => button(words, choose, { "data-kind": kind, class: "small" }));
  const mark = () => kinds.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.kind === codeLanguage())));
  mark();
  return make("div", { class: "buttons languages", role: "group", "aria-label": "Language of the calls" }, kinds);
}

/** The line that asks this server with a key, which is never shown: it is copied on demand. */
function keyLine(content) {
  const line = content.replace("$SERVER", SERVER_ADDRESS.href.replace(/\/$/, ""));
  const withKey = () => line.replace(KEY_IN_CURL, () => quoteShell(`DOLAPIKEY: ${sessionStorage.getItem(KEY)}`));
  return make("div", { class: "key-line" },
    make("pre", { tabindex: 0, "aria-label": "First line to try" }, line),
    make("p", { class: "buttons" },
      button("Copy", (event) => copy(line, event.currentTarget), { class: "small" }),
      button("Copy with my key", (event) => copy(withKey(), event.currentTarget), { class: "small" })));
}

/** The pages before and after this one. */
function guideSteps({ name }) {
  const pages = indexState.index.guide;
  const place = pages.findIndex((each) => each.name === name);
  const step = (page, words) => page && make("a", { href: addressOfGuide(page.name) }, words(page.title));
  return make("nav", { class: "guide-steps", "aria-label": "Other pages of the guide" },
    step(pages[place - 1], (title) => `← ${title}`), step(pages[place + 1], (title) => `${title} →`));
}
