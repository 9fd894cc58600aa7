// Functions that make elements. Data from the server becomes text, never markup: it may contain anything.

/** An element with attributes and children; text becomes text. A function is a handler of its event. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (![false, null, undefined].includes(value)) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((each) => ![false, null, undefined, ""].includes(each)));
  return element;
}

/** Return the pane that scrolls an element; the window if the panes are stacked. */
function paneOf(element) {
  const around = [...PANES].map((name) => element.closest(name)).filter(Boolean);
  return around.find((each) => getComputedStyle(each).overflowY === "auto") || document.scrollingElement;
}
const PANES = [".told", ".asked", "#shown"];

const byId = (id) => document.getElementById(id);
/** An element with words, or nothing if there are none. */
const text = (tag, kind, words) => (words ? make(tag, { class: kind }, words) : null);
const counted = (number, word, many = `${word}s`) => `${number.toLocaleString("en")} ${number === 1 ? word : many}`;

/** A `details` element whose content is made when it is first opened. */
function fold(attributes, summary, fill) {
  const details = make("details", attributes, make("summary", {}, summary));
  details.fill = () => {
    details.fill = () => {};
    details.append(...[fill()].flat(Infinity).filter(Boolean));
  };
  details.addEventListener("toggle", () => details.open && details.fill());
  if (details.open) details.fill();
  return details;
}

/** A button that does not submit a form. */
const button = (words, click, attributes = {}) => make("button", { type: "button", click, ...attributes }, words);

/** A verb as a badge, recognisable by its text and shape as well as its colour. */
const badge = (verb, kind = "") => text("span", `verb ${verb.toLowerCase()} ${kind}`.trim(), verb);

/** Copy a text to the clipboard and confirm it on the pressed button. */
async function copy(words, pressed) {
  const before = pressed.textContent;
  try {
    await navigator.clipboard.writeText(words);
    pressed.textContent = "Copied";
  } catch {
    pressed.textContent = "Blocked by the browser";
  }
  say(pressed.textContent);
  setTimeout(() => (pressed.textContent = before), 1500);
}

/** Announce an event to users of screen readers. */
function say(words) {
  byId("said").textContent = words;
}

// Tables are made from columns {head, cell}: the heading, and a function that makes the cell (td or th) of a row. ----

const columnHeads = (columns) => make("thead", {}, make("tr", {}, columns.map(({ head }) => make("th", { scope: "col" }, head))));
const columnCells = (columns, row) => columns.map(({ cell }) => cell(row));
