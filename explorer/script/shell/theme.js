// What somebody chose of the page's looks. It is kept in the browser, not in the tab: it says nothing of anybody.

const THEMES = ["system", "light", "dark"];

/** Choose how the page looks: on the root element for the style, and in the browser for the next time. */
function chooseLook(name, value) {
  if (value) document.documentElement.dataset[name] = value;
  else delete document.documentElement.dataset[name];
  try {
    if (value) localStorage.setItem(`comptoir-${name}`, value);
    else localStorage.removeItem(`comptoir-${name}`);
  } catch {
    // Storage is forbidden: it then lasts as long as the page
  }
  showLooks();
}

const themeNow = () => document.documentElement.dataset.theme || "system";
const pathsShown = () => document.documentElement.dataset.paths === "shown";

/** Say on the switches what is chosen. */
function showLooks() {
  byId("theme").replaceChildren(make("span", { class: "phase", "aria-hidden": "true" }), make("span", { class: "unseen" }, "Theme: "), make("span", { class: "words" }, themeNow()));
  byId("paths").checked = pathsShown();
}

function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length];
  chooseLook("theme", theme === "system" ? "" : theme);
  say(`Theme: ${theme}`);
}
