// Addresses within the page: what stands behind the # names a service, an operation, and values for its form.

/** The address of a service's page, or of an operation's, within this page. */
const addressOf = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

/** The service of an operation is the second word of its identifier. */
const serviceOf = (id) => id.split("-")[1] || "";
const addressOfOperation = (id) => addressOf(serviceOf(id), id);

/** Where the address of the page leads: service, operation, and values for its form; below another page, the rest. */
function currentAddress() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [service = "", id = "", rest = ""] = path.split("/").map(decoded);
  return { service, id, rest, query: new URLSearchParams(query) };
}

/** Whether the address is that of the history; a service may have that name, too. */
function isHistory() {
  const { service, id } = currentAddress();
  return (!service && id === "history") || (service === "history" && !everyService().some((each) => each.name === service));
}

/** A part of an address; anybody may have written it. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
