// The question for a key, which stays in the tab.

/** Ask for a key; the page stays visible under the dialog. */
function askForKey(refusal = "") {
  sessionStorage.removeItem(KEY);
  byId("refused").hidden = !refusal;
  byId("refused").textContent = refusal;
  if (!byId("enter").open) byId("enter").showModal();
  byId("key").focus();
}

/** Go on with a key, if it is one. */
async function enterKey(find) {
  try {
    const key = await find();
    if (!/^[\x21-\x7e]+$/.test(key)) throw new KeyRefused("A key can't contain spaces or special characters.");
    sessionStorage.setItem(KEY, key);
    indexState.tag = "";
    await readIndex();
  } catch (error) {
    return askForKey(error instanceof KeyRefused ? error.message : "The server can't be reached.");
  }
  for (const each of byId("enter").querySelectorAll("input")) each.value = "";
  byId("enter").close();
  const begins = isFirstTime;
  await showChanges();
  if (begins) byId("search").focus();
  askForChanges();
}

/** Let a form of the question find a key. */
function listenToForm(id, find) {
  const form = byId(id);
  if (!form) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enterKey(find);
  });
}

/** Forget the key and everything that was read with it. */
function forgetKey() {
  sessionStorage.clear();
  location.reload();
}
