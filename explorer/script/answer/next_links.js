// Which operations take the identifier of which records: gathered once for each state of the index.

let linksOfIndex = { index: null, links: new Map() };

/** The operations that are offered for records of a service: [{operation, service, with, words, in}]. */
function linksTo(kind) {
  const { index } = indexState;
  if (linksOfIndex.index !== index) linksOfIndex = { index, links: gatherLinks(index) };
  return linksOfIndex.links.get(kind) || [];
}

function gatherLinks({ services }) {
  const links = new Map();
  for (const { name: service, operations } of services) {
    for (const operation of operations) {
      // Most are offered for no record
      if (!(operation.after || operation.records) || operation.missing || operation.deprecated) continue;
      for (const each of [...(operation.after || []), ...fileLinks(operation)]) {
        if (!links.has(each.of)) links.set(each.of, []);
        links.get(each.of).push({ ...each, operation, service });
      }
    }
  }
  return links;
}

/** What an operation does with records of the services that it is told by name beside the identifier. */
const fileLinks = ({ records }) =>
  (records ? records.services : []).map((of) => ({ of, with: `${records.parameter}={service}&id={id}` }));

/** The values of a link's form for one record, as a query; null where the record does not tell one of them. */
function filledValues(template, record) {
  let isWhole = true;
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => {
    const value = Object.hasOwn(record, name) ? record[name] : null;
    if (value === null || value === "" || typeof value === "object") isWhole = false;
    return encodeURIComponent(value);
  });
  return isWhole && filled ? filled : null;
}
