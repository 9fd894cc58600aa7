// A block of code in the chosen language: coloured, folded after 20 lines, copied with or without the key.

// Lines shown at once
const CODE_LINES = 20;
const COLOURED_CHARS = 50_000;
const CODE_PARTS = new RegExp(
  [
    // A key
    /("(?:\\.|[^"\\\n])*"(?=: )|'(?:\\.|[^'\\\n])*'(?= =>))/,
    // A text; the shell's may contain '\\''
    /('[^']*'(?:\\''[^']*')+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)/,
    // A comment
    /((?<=^|\s)(?:#|\/\/) .*)/,
    // A word of the language
    /\b(import|as|from|const|await|new|with|if|else|throw|echo|None|True|False|null|true|false)\b/,
    // A variable, an option
    /(\$\w+|(?<=\s)-{1,2}[A-Za-z][\w-]*)/,
    // A number
    /(?<![\w.])(\d+(?:\.\d+)?)\b/,
  ].map(({ source }) => source).join("|"),
  "gm",
);
const CODE_COLOURS = ["json-key", "json-string", "quiet", "json-word", "json-key", "json-number"];

/** Return code as coloured nodes. */
function coloured(words) {
  if (words.length > COLOURED_CHARS) return [words];
  const nodes = [];
  let end = 0;
  for (const found of words.matchAll(CODE_PARTS)) {
    nodes.push(words.slice(end, found.index), make("span", { class: CODE_COLOURS[found.slice(1).findIndex((each) => each !== undefined)] }, found[0]));
    end = found.index + found[0].length;
  }
  return [...nodes, words.slice(end)];
}

/** Return a function that writes code into `pre`, which shows 20 lines until its button is pressed. */
function longCode(pre) {
  const all = button("", () => cut(false), { class: "small show-all", hidden: true });
  const cut = (is) => {
    pre.classList.toggle("cut", is);
    all.hidden = !is;
  };
  let isOpened = false;
  all.addEventListener("click", () => (isOpened = true));
  const write = (words) => {
    const lines = words.split("\n").length;
    pre.replaceChildren(...coloured(words));
    all.textContent = `Show all ${lines} lines`;
    cut(lines > CODE_LINES && !isOpened);
  };
  return { write, all };
}

/** Block → the function that renders it again. */
const codeBlocks = new WeakMap();

/** Render the blocks of code inside an element in the chosen language. */
const refreshCode = (around) => around.querySelectorAll(".code-block").forEach((each) => codeBlocks.get(each)());

/**
 * Return a block of code: {node, refresh(), copyButtons}.
 *
 * @param label the name for screen readers
 * @param request returns the request
 */
function codeBlock(label, request) {
  const pre = make("pre", { tabindex: 0, "aria-label": label });
  const { write, all } = longCode(pre);
  const code = (key) => codeOf(codeLanguage(), request(), SERVER_ADDRESS.href, key);
  const refresh = () => write(code());
  const copyCode = (words, key) => button(words, (event) => copy(code(key()), event.currentTarget), { class: "small" });
  const node = make("div", { class: "code-block" }, pre, all);
  codeBlocks.set(node, refresh);
  refresh();
  return { node, refresh, copyButtons: [copyCode("Copy", () => ""), copyCode("Copy with my key", () => sessionStorage.getItem(KEY))] };
}

/** Return the choice of the language for all code of the page. */
function languageChoice(label) {
  const choose = (event) => {
    chooseCode(event.currentTarget.dataset.kind);
    document.querySelectorAll(".languages").forEach(markLanguage);
    refreshCode(byId("shown"));
  };
  const kinds = Object.entries(CODE_LANGUAGES).map(([kind, words]) => button(words, choose, { "data-kind": kind, class: "small" }));
  const node = make("span", { class: "languages", role: "group", "aria-label": label }, kinds);
  markLanguage(node);
  return node;
}

function markLanguage(choice) {
  for (const each of choice.children) each.setAttribute("aria-pressed", String(each.dataset.kind === codeLanguage()));
}
