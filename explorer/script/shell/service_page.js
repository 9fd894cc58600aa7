// The page of a service: its description, permissions, states and operations; or why it can't be loaded.

function serviceNode(service, spec) {
  const tag = (spec.tags || [])[0] || {};
  const transitions = tag["x-transitions"] || [];
  // The table replaces the paragraph
  const isTold = (words) => transitions.length > 0 && /^States: /.test(words);
  const [first, ...more] = (tag.description || "").split("\n\n").filter((each) => !isTold(each));
  const line = (each) => operationItem(each, "service", addressOf(service.name, each.id));
  return make("article", { class: "one" },
    make("header", {},
      make("h1", { tabindex: -1 }, serviceTitle(service)),
      make("p", { class: "quiet" }, make("code", {}, `/${service.name}`), " · module ", make("code", {}, service.module))),
    text("p", "prose", first && inline(first)),
    transitionsTable(transitions),
    make("div", { class: "prose" }, prose(more.join("\n\n"))),
    guideLinks(service),
    make("h2", {}, "Operations"),
    make("ul", { class: "operations" }, groupedItems(service.operations, line)),
    eventsList(spec),
    rightsList(tag["x-rights"] || [], indexState.index, tag["x-rights-meaning"]),
    modelsList(spec),
    indexState.index.failures.filter((each) => each.name === service.name).map((each) =>
      make("section", {}, make("h2", {}, "Another file with this name, in module ", make("code", {}, each.module)), failureParts(each))),
    make("p", { class: "quiet last" }, saveDocumentButton(`openapi/${service.name}.json`, "OpenAPI 3.1 of this service"), ": import this file into Postman, Bruno or Insomnia."));
}

/** Links to the guide pages about a service; its own module's page comes first. */
function guideLinks({ name, module }) {
  const pages = indexState.index.guide.filter(({ services = [] }) => services.includes(name));
  const own = pages.filter((each) => each.name === module);
  const links = [...new Set([...own, ...pages])].map((each) => make("a", { href: addressOfGuide(each.name) }, each.title));
  return links.length > 0 && make("p", { class: "guide-links" }, "Guide: ", links.flatMap((link, place) => (place ? [", ", link] : [link])));
}

/** The page for files that failed to load, if no other service has their name. */
function failureNode(failures) {
  const [{ name, module }] = failures;
  return make("article", { class: "one" },
    make("header", {},
      make("h1", { tabindex: -1 }, name, " ", text("span", "mark", "501")),
      make("p", { class: "quiet" }, "module ", make("code", {}, module))),
    failures.map(failureParts));
}

/** A file that could not be loaded: its methods, and for administrators the reason with the author's own lines marked. */
function failureParts(failure) {
  const methods = failure.methods.map((each) => operationItem(each, "service"));
  return [
    make("p", { class: "notice" }, failure.shadowed
      ? "This file can't be loaded. Another file serves this service."
      : "This file can't be loaded, so all calls to the service fail with 501. The server retries when the file changes."),
    failure.reason && make("section", { class: "reason" }, make("h2", {}, "Reason"), make("p", {}, make("code", {}, failure.reason))),
    failure.trace && make("pre", { tabindex: 0, "aria-label": "Traceback" }, traceLines(failure)),
    text("p", "quiet", failure.line ? `${failure.file}:${failure.line}` : failure.file),
    methods.length > 0 && [make("h2", {}, "Methods"), make("ul", { class: "operations" }, methods)]];
}

/** The lines of a traceback, those of the module marked. */
function traceLines(failure) {
  const folder = failure.file.slice(0, failure.file.lastIndexOf("/class/") + 1);
  let own = false;
  return failure.trace.trimEnd().split("\n").map((line) => {
    if (/^ {2}File "/.test(line)) own = line.includes(`"${folder}`);
    else if (!line.startsWith("    ")) own = false;
    return [own ? make("mark", {}, line) : line, "\n"];
  });
}

/** A button that fetches a document with the key and saves it. */
function saveDocumentButton(path, words, name = path.split("/").pop()) {
  const save = async () => {
    const answer = await ask(new URL(path, EXPLORER_ADDRESS)).catch(({ message }) => ({ statusText: message }));
    if (!answer.ok) return say(`Not saved: ${answer.statusText}`);
    const address = URL.createObjectURL(await answer.blob());
    make("a", { href: address, download: name }).click();
    return setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  return button(words, save, { class: "link" });
}
