// Comes last: connects the elements of the page with what they do, and begins.

listenToForm("by-key", () => byId("key").value.trim());
listenToForm("by-login", () => keyFor(byId("name").value, byId("password").value));
byId("enter").addEventListener("cancel", (event) => event.preventDefault());
byId("leave").addEventListener("click", forgetKey);
byId("careful").addEventListener("change", (event) => sessionStorage.setItem("comptoir-careful", event.target.checked ? "1" : "0"));
byId("theme").addEventListener("click", nextTheme);
byId("paths").addEventListener("change", (event) => chooseLook("paths", event.target.checked ? "shown" : ""));
byId("help").addEventListener("click", () => byId("shortcuts").showModal());
showLooks();
byId("search").addEventListener("input", showFound);
byId("list").addEventListener("keydown", walkList);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("shown").focus();
});
historyChanged(() => isHistory() && showNow({ quietly: true }));
addEventListener("hashchange", () => isFirstTime || showAddress());
addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select") && !(event.target === byId("search") && !event.target.value);
  if (!["/", "?"].includes(event.key) || event.ctrlKey || event.metaKey || typing || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  if (event.key === "?") byId("shortcuts").showModal();
  else byId("search").select();
});
document.addEventListener("visibilitychange", () => document.hidden || askForChanges());
if (sessionStorage.getItem(KEY)) askForChanges();
else askForKey();
