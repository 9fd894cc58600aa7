// The calls of a guide page, and the values that later calls take from earlier responses.

/** The info string of a ```call block: expected statuses and saved values. Request line, headers and body follow. */
const CALL_FENCE = /^call (\d{3}(?:,\d{3})*)((?: (?:-\w+|\w+(?:=[^\s|]*)?(?:\|\S*)?))*)$/;
const PLACEHOLDER = /\{([a-z]+)\}/g;

/** Parse a call block; null if it isn't valid. `ends` lists the values of records that the call deletes. */
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

/** Parse a value to save: `order` is the returned ID, `ref=data.0.ref` the value at that path, `|1` a default of 1. */
function keepOf(words) {
  const [, name, place = "", otherwise] = /^(\w+)(?:=([^|]*))?(?:\|(.*))?$/.exec(words);
  return { name, place, otherwise };
}

/** The values available without an earlier call: today, its first second in Unix time, and a random text. */
function valuesToBegin() {
  const today = new Date().toISOString().slice(0, 10);
  const once = [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");
  return new Map([["today", today], ["seconds", String(Date.parse(today) / 1000)], ["once", once]]);
}

/** The names of values that a call needs and that no response has provided yet. */
function missingValues(call, values) {
  const words = [call.address, call.body, ...call.headers.map(([, value]) => value)].join("\n");
  return [...new Set([...words.matchAll(PLACEHOLDER)].map(([, name]) => name))].filter((name) => !values.has(name));
}

/** The request of a call with the known values filled in; unknown ones stay in braces. */
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

/** The values that a response provides for later calls, as [[name, text]]. */
function keptOf(call, content, headers) {
  return call.keeps.map(({ name, place, otherwise }) => [name, String(valueAt(place, content, headers) ?? otherwise ?? "")])
    .filter(([, value]) => value);
}

function valueAt(place, content, headers) {
  if (place.startsWith("header.")) return headers.get(place.slice("header.".length));
  if (!place) return content && typeof content === "object" ? content.id : content;
  return place.split(".").reduce((inside, key) => (inside ?? {})[key], content);
}
