// The calls of a guide's page, and the values that earlier ones answer for later ones.

/** The block of code behind ```call: what is expected and kept, the request's first line, headers, body. */
const CALL_FENCE = /^call (\d{3}(?:,\d{3})*)((?: (?:-\w+|\w+(?:=[^\s|]*)?(?:\|\S*)?))*)$/;
const PLACEHOLDER = /\{([a-z]+)\}/g;

/** A call as a page writes it, or null where it is none; `ends` are the values of records that are gone after it. */
function callOf(fence, words) {
  const [head, ...body] = words.split("\n\n");
  const [line, ...headers] = head.split("\n");
  const [, verb, address] = /^([A-Z]+) (\/.+)$/.exec(line) || [];
  const [, statuses, keeps] = CALL_FENCE.exec(fence) || [];
  if (!statuses || !verb) return null;
  const marks = keeps.split(" ").filter(Boolean);
  return {
    statuses: statuses.split(",").map(Number),
    keeps: marks.filter((each) => each[0] !== "-").map(keepOf), ends: marks.filter((each) => each[0] === "-").map((each) => each.slice(1)),
    verb, address, headers: headers.map((each) => each.split(/: (.*)/s).slice(0, 2)), body: body.join("\n\n").trim(),
  };
}

/** A value to keep: `order` is the identifier that is answered, `ref=data.0.ref` what stands there, `|1` 1 where nothing does. */
function keepOf(words) {
  const [, name, place = "", otherwise] = /^(\w+)(?:=([^|]*))?(?:\|(.*))?$/.exec(words);
  return { name, place, otherwise };
}

/** What every page may use without a call before: the day, its first second, and a text nobody has used. */
function valuesToBegin() {
  const today = new Date().toISOString().slice(0, 10);
  const once = [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");
  return new Map([["today", today], ["seconds", String(Date.parse(today) / 1000)], ["once", once]]);
}

/** The names of values that a call needs and that nothing has answered yet. */
function missingValues(call, values) {
  const words = [call.address, call.body, ...call.headers.map(([, value]) => value)].join("\n");
  return [...new Set([...words.matchAll(PLACEHOLDER)].map(([, name]) => name))].filter((name) => !values.has(name));
}

/** The request of a call with the values that are known; what is not known stays in its braces. */
function requestOfCall(call, values) {
  const fill = (words, write = (value) => value) =>
    words.replace(PLACEHOLDER, (braces, name) => (values.has(name) ? write(values.get(name)) : braces));
  const keepUnknown = (encoded) => encoded.replace(/%7B([a-z]+)%7D/g, (code, name) => (values.has(name) ? code : `{${name}}`));
  const [path, query = ""] = call.address.split("?");
  const headers = Object.fromEntries(call.headers.map(([name, value]) => [name, fill(value)]));
  if (call.body) headers["Content-Type"] = "application/json";
  return {
    verb: call.verb, path: fill(path, encodeURIComponent), headers,
    query: query.split("&").filter(Boolean).map((each) => {
      const [, name, value] = /^([^=]*)=?(.*)$/.exec(each);
      return `${encodeQuery(name)}=${keepUnknown(encodeQuery(fill(value)))}`;
    }).join("&"),
    ...(call.body ? { body: fill(call.body, (value) => JSON.stringify(value).slice(1, -1)) } : {}),
  };
}

/** What an answer gives to the calls that follow: [[name, text]]. */
function keptOf(call, content, headers) {
  return call.keeps.map(({ name, place, otherwise }) => [name, String(valueAt(place, content, headers) ?? otherwise ?? "")])
    .filter(([, value]) => value);
}

function valueAt(place, content, headers) {
  if (place.startsWith("header.")) return headers.get(place.slice("header.".length));
  if (!place) return content && typeof content === "object" ? content.id : content;
  return place.split(".").reduce((inside, key) => (inside ?? {})[key], content);
}
