// The operations that take the ID of each kind of record, collected once for each state of the index.

let linksOfIndex = { index: null, links: new Map() };

/** Return the operations offered for records of a service: [{operation, service, with, words, in}]. */
function linksTo(kind) {
  const { index } = indexState;
  if (linksOfIndex.index !== index) linksOfIndex = { index, links: gatherLinks(index) };
  return linksOfIndex.links.get(kind) || [];
}

function gatherLinks({ services }) {
  const links = new Map();
  for (const { name: service, operations } of services) {
    for (const operation of operations) {
      // Most operations aren't offered for any record
      if (!(operation.after || operation.records) || operation.missing || operation.deprecated) continue;
      for (const each of [...(operation.after || []), ...fileLinks(operation)]) {
        if (!links.has(each.of)) links.set(each.of, []);
        links.get(each.of).push({ ...each, operation, service });
      }
    }
  }
  return links;
}

/** Return the links of an operation that takes a service and an ID: one link for each service. */
const fileLinks = ({ records }) =>
  (records ? records.services : []).map((of) => ({ of, with: `${records.parameter}={service}&id={id}` }));

/** Fill in a link's query template from a record; return null if the record lacks one of the values. */
function filledValues(template, record) {
  let isWhole = true;
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => {
    const value = Object.hasOwn(record, name) ? record[name] : null;
    if (value === null || value === "" || typeof value === "object") isWhole = false;
    return encodeURIComponent(value);
  });
  return isWhole && filled ? filled : null;
}
