// The modules with what they add, and the state of every module file, as `check` reports it: administrators see paths and
// reasons, others only services.

/** State → symbol, label of the count, and a description. States that need action come first. */
const FILE_STATES = {
  failed: ["✕", "failed to load", "Calls to these services fail with 501 until the file changes."],
  skipped: ["–", "skipped", "These files aren't served. Each entry gives the reason."],
  loaded: ["✓", "loaded", ""],
};
const isCheck = () => location.hash === addressOf("", "check");

async function checkNode() {
  const { content } = await read("modules");
  const states = Object.keys(FILE_STATES).map((state) => [state, content.files.filter((each) => each.state === state)]);
  const isLoadedOnly = states.every(([state, files]) => state === "loaded" || !files.length);
  const counts = states.map(([state, files]) => `${files.length.toLocaleString("en")} ${FILE_STATES[state][1]}`);
  return make("article", { class: "one module-files" },
    make("header", {}, make("h1", { tabindex: -1 }, "Module status")),
    make("p", {}, `${counts.join(", ")}. This page updates automatically when files change; `, make("code", {}, "comptoir check"), " prints the same list."),
    states.filter(([, files]) => files.length).map(([state, files]) => [
      state === "loaded" && modulesSection(content.modules), stateSection(state, files, isLoadedOnly),
    ]),
    make("p", { class: "quiet last" }, saveDocumentButton("modules", "Save as JSON", "modules.json")));
}

/** The modules that the server doesn't ship, each with what it adds, and the number of the others. */
function modulesSection(modules) {
  const own = modules.filter((each) => !each.native);
  return own.length > 0 && make("section", {},
    make("h2", {}, "modules"),
    make("ul", { class: "plain" }, own.map(moduleItem)),
    text("p", "quiet", `${counted(modules.length - own.length, "module")} of the server itself`));
}

function moduleItem(module) {
  const facts = [
    ["settings", module.settings], ["extra fields", module.fields], ["permissions", module.permissions], ["wraps", module.wraps],
    ["requires", module.requires], ["required by", module.needed_by],
  ];
  const [shape] = FILE_STATES[module.state] || FILE_STATES.skipped;
  return make("li", { class: module.state },
    make("span", { class: "shape", role: "img", "aria-label": module.state }, shape), " ",
    make("strong", {}, module.name), module.version && ` ${module.version}`, module.state === "disabled" && " (disabled)",
    module.description && `: ${module.description}`,
    module.services.map((name) => [" ", make("a", { href: addressOf(name) }, name)]),
    facts.filter(([, names]) => names.length).map(([words, names]) => text("p", "quiet", `${words}: ${names.join(", ")}`)));
}

/** The files in a state. Those that are loaded are folded below those that need action. */
function stateSection(state, files, isLoadedOnly) {
  const [, words, about] = FILE_STATES[state];
  const list = () => make("ul", { class: "plain" }, files.map(checkedFile));
  return make("section", {},
    make("h2", {}, words),
    text("p", "quiet", about),
    state === "loaded" ? fold({ class: "loaded-files", open: isLoadedOnly }, [counted(files.length, "file")], list) : list());
}

/** A file, or for those who may not see its path its module; the service that it serves; and why it is in its state. */
function checkedFile(file) {
  const [shape, words] = FILE_STATES[file.state];
  const elsewhere = file.service ? file.routes.filter(({ path }) => path.split("/")[1] !== file.service).length : 0;
  return make("li", { class: file.state },
    make("span", { class: "shape", role: "img", "aria-label": words }, shape), " ",
    make("code", {}, file.line ? `${file.file}:${file.line}` : file.file || file.module),
    file.service && [" ", make("a", { href: addressOf(file.service) }, file.service)],
    file.routes.length > 0 && text("span", "quiet", ` ${counted(file.routes.length, "operation")}${elsewhere ? `, ${elsewhere} of them under other services` : ""}`),
    file.reason && make("p", { class: "reason" }, file.reason),
    (file.notes || []).map((note) => text("p", "quiet", note)),
    file.trace && fold({}, ["Traceback"], () => make("pre", { tabindex: 0, "aria-label": "Traceback" }, traceLines(file))));
}
