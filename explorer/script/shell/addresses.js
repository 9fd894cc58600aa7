// Addresses within the page: the fragment consists of a service, an operation, and values for the form.

/** The address of a service's page, or of an operation's, within this page. */
const addressOf = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

/** The service of an operation is the second word of its identifier. */
const serviceOf = (id) => id.split("-")[1] || "";
const addressOfOperation = (id) => addressOf(serviceOf(id), id);

/** Parse the page's address into service, operation, and values for the form; on another page, the rest of the path. */
function currentAddress() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [service = "", id = "", rest = ""] = path.split("/").map(decoded);
  return { service, id, rest, query: new URLSearchParams(query) };
}

/** Return whether the address is that of the history; a service can have the same name. */
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
