// The check for changes on the server, every second.

/** Milliseconds between two looks. */
const PACE = 1000;
let nextLook = 0;

async function askForChanges() {
  clearTimeout(nextLook);
  if (!sessionStorage.getItem(KEY)) return;
  try {
    const changed = await readIndex();
    byId("away").hidden = true;
    if (changed || waitingView || indexState.behind) await showChanges();
  } catch (error) {
    if (error instanceof KeyRefused) return askForKey(isFirstTime ? "This key is not valid." : "The key is no longer valid. Your input is kept.");
    if (!(error instanceof Away)) throw error;
    byId("away").hidden = false;
  } finally {
    nextLook = setTimeout(askForChanges, document.hidden ? 10 * PACE : PACE);
  }
}

/** Show the changes and keep the typed values. */
async function showChanges() {
  const { index } = indexState;
  indexState.behind = false;
  byId("about").textContent = [index.version, index.profile && `profile ${index.profile}`].filter(Boolean).join(", ");
  byId("login").textContent = index.caller.login + (index.caller.admin ? " (administrator)" : "");
  if (isFirstTime) byId("careful").checked = sessionStorage.getItem("comptoir-careful") ? sessionStorage.getItem("comptoir-careful") === "1" : index.confirm;
  byId("who").hidden = byId("layout").hidden = false;
  showList();
  await showAddress({ quietly: !isFirstTime && waitingView !== "loudly" });
  isFirstTime = false;
}
