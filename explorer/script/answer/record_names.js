// Links labelled with the name of the referenced record. A second call reads only the names, with `expand`.

/**
 * Return the parameters that read the names of referenced records: {expand, properties, parts}; null if the server
 * can't expand them or the key may not read them.
 */
function namesWanted(operation, alternatives, columns, spec) {
  const parameter = queryParameter(operation, "expand");
  const known = ((parameter && parameter.schema.items) || {}).enum || [];
  const readers = new Set(columns.filter(({ key, facts, filled }) => key !== "id" && facts.reads && filled !== 0).map(({ facts }) => facts.reads));
  const parts = known.filter((each) => !each.includes(".")).map((name) => {
    const inner = innerFacts(alternatives, name, spec);
    const { reads } = factsOf(innerFacts(inner, "id", spec));
    return { name, reads, field: nameField(inner, spec) };
  }).filter(({ reads, field }) => readers.has(reads) && field && mayCall(reads));
  if (!parts.length) return null;
  return {
    parts,
    expand: parts.map(({ name }) => name).join(","),
    properties: parts.flatMap(({ name, field }) => [`${name}.id`, `${name}.${field}`]).join(","),
  };
}

/** Return the first field that contains a record's name, or "". */
function nameField(alternatives, spec) {
  const keys = alternatives.flatMap((each) => Object.keys(each.properties || {}));
  return keys.find((key) => NAMES.test(key) && factsOf(innerFacts(alternatives, key, spec)).kind === "text") || "";
}

/** Return whether the key has the permission for an operation. */
const mayCall = (id) => indexState.index.services.some(({ name, operations }) =>
  name === serviceOf(id) && operations.some((each) => each.id === id && !each.missing));

/** Read the names and the total: {names (address of a record → its name), total}. */
async function readNames(request, { expand, properties, parts }) {
  const asked = askedFor(request);
  for (const [name, words] of Object.entries({ expand, properties, count: "true" })) asked.set(name, words);
  const answer = await send({ ...request, query: String(asked) });
  if (answer.status !== 200) return { names: new Map(), total: null };
  const records = [parsedJson(await answer.blob.text())].flat().filter(Boolean);
  const pairs = records.flatMap((record) => parts.map(({ name, reads, field }) => [record[name], reads, field]))
    .filter(([each, , field]) => each && each[field]).map(([each, reads, field]) => [readerAddress(reads, each.id), String(each[field])]);
  return { names: new Map(pairs), total: totalWords(answer.headers) };
}

/** Return a link to a referenced record. The name replaces the ID as soon as it is known. */
function namedLink(href, words, context) {
  const node = recordLink(href, words, context);
  if (context.names.has(href)) sayName(node, context.names.get(href));
  else context.links.push(node);
  return node;
}

function showNames(context, names) {
  for (const [href, name] of names) context.names.set(href, name);
  for (const node of context.links.splice(0)) if (names.has(node.getAttribute("href"))) sayName(node, names.get(node.getAttribute("href")));
}

function sayName(node, name) {
  node.title = `Read ${node.textContent}`;
  node.textContent = visible(shortened(name));
}
