// A page of the guide at the right: its text, and calls that run against this server.

/** Name → the node of the page and its tag; the responses of its calls stay until the tab closes. */
const guideNodes = new Map();

const addressOfGuide = (name) => `#//guide/${encodeURIComponent(name)}`;

/** The name of the page that the address of the window leads to. */
const guideShown = () => decoded((/^#\/\/guide\/([^?]*)/.exec(location.hash) || ["", ""])[1]);

/** Return the page of a name, made at its first use. */
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
  const guide = { calls: [], values: valuesToBegin(), made: [] };
  const made = make("p", { class: "made quiet" });
  guide.changed = () => {
    guide.calls.forEach(({ refresh }) => refresh());
    made.replaceChildren(...guide.made.flatMap(({ service, id, href }, place) =>
      [place ? ", " : "Created on this page: ", make("a", { href }, `${titleOfService(service)} ${id}`)]));
  };
  const fenced = (fence, content) => {
    if (fence === "key") return keyLine(content);
    const call = callOf(fence, content);
    if (!call) return make("div", {}, make("pre", { tabindex: 0, "aria-label": "Example" }, coloured(content)),
      make("p", { class: "buttons" }, button("Copy", (event) => copy(content, event.currentTarget), { class: "small" })));
    const view = guideCall(call, guide);
    guide.calls.push(view);
    return view.node;
  };
  const nodes = markdown(words.replace(/^# .*\n/, ""), fenced);
  return make("article", { class: "one guide" },
    make("header", {},
      make("p", { class: "above" }, make("a", { href: "#/" }, "Start here")),
      make("h1", { tabindex: -1 }, page.title)),
    /^```(?:call|key)/m.test(words) && make("p", { class: "buttons" }, languageChoice("Language of the calls")),
    proseParts(nodes),
    made,
    guideSteps(page));
}

/** Group the text between calls as prose. */
function proseParts(nodes) {
  const parts = [];
  for (const node of nodes) {
    if (node.matches("section")) parts.push(node);
    else if (parts.length && parts.at(-1).matches(".prose")) parts.at(-1).append(node);
    else parts.push(make("div", { class: "prose" }, node));
  }
  return parts;
}

/** The first request to try, in the chosen language. */
function keyLine(content) {
  const [, path] = /\$SERVER([^"\s]*)/.exec(content);
  const [route, query = ""] = path.split("?");
  const code = codeBlock("First request to try", () => ({ verb: "GET", path: route, query, headers: {} }));
  return make("div", { class: "key-line" }, code.node, make("p", { class: "buttons" }, code.copyButtons));
}

/** The pages before and after this one. */
function guideSteps({ name }) {
  const pages = indexState.index.guide;
  const place = pages.findIndex((each) => each.name === name);
  const step = (page, words) => page && make("a", { href: addressOfGuide(page.name) }, words(page.title));
  return make("nav", { class: "guide-steps", "aria-label": "Other pages of the guide" },
    step(pages[place - 1], (title) => `← ${title}`), step(pages[place + 1], (title) => `${title} →`));
}
