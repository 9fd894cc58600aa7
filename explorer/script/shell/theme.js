// The chosen appearance. It is kept in local storage, not per tab: it contains no personal data.

const THEMES = ["system", "light", "dark"];

/** Set the appearance: on the root element for the style, and in local storage for the next visit. */
function chooseLook(name, value) {
  if (value) document.documentElement.dataset[name] = value;
  else delete document.documentElement.dataset[name];
  try {
    if (value) localStorage.setItem(`comptoir-${name}`, value);
    else localStorage.removeItem(`comptoir-${name}`);
  } catch {
    // Storage is forbidden: the choice lasts until the page closes
  }
  showLooks();
}

const themeNow = () => document.documentElement.dataset.theme || "system";
const pathsShown = () => document.documentElement.dataset.paths === "shown";

/** Show the choices on the switches. */
function showLooks() {
  byId("theme").replaceChildren(make("span", { class: "phase", "aria-hidden": "true" }), make("span", { class: "unseen" }, "Theme: "), make("span", { class: "words" }, themeNow()));
  byId("paths").checked = pathsShown();
}

function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length];
  chooseLook("theme", theme === "system" ? "" : theme);
  say(`Theme: ${theme}`);
}
