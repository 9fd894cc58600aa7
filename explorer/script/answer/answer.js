// A response: its status in words, its request, headers, warnings and content.

// Bytes; a larger response is only offered as a download
const LARGEST_TEXT = 2_000_000;
// A page of the largest lists
const LARGEST_JSON = 8_000_000;
const TEXT_TYPES = /^text\/|[/+](?:xml|javascript|yaml|x-ndjson|x-www-form-urlencoded)$/;
const WARNING = /\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;
/** Status or its first digit → [symbol, label, whether the call succeeded]. */
const OUTCOMES = {
  202: ["…", "Accepted as a job", true],
  304: ["=", "Not modified", true],
  1: ["●", "Informational", true],
  2: ["✓", "Done", true],
  3: ["➜", "Redirected", true],
  4: ["✕", "Rejected", false],
  5: ["✕", "Server error", false],
};
const answerFrames = new WeakMap();

/**
 * Show a response in an element, and scroll to it unless the user has scrolled the pane since sending the request.
 * Revokes the object URLs of the previous response.
 *
 * @param scrolled the pane's scroll position when the request was sent
 */
async function showAnswer(operation, request, answer, target, open, scrolled) {
  const isStill = paneOf(target).scrollTop === scrolled;
  const frame = await frameOf(target);
  const turn = (frame.turn += 1);
  const released = frame.kept;
  frame.kept = [];
  const keep = (blob) => {
    const address = URL.createObjectURL(blob);
    frame.kept.push(address);
    return address;
  };
  showStatus(frame.status, answer);
  const nodes = [text("p", "sent", [request.verb, " ", addressShown(request)].join(""))];
  if (!answer.failed) {
    // The error of a rejected call explains it, and the form already lists the ignored fields
    nodes.push(answer.status < 400 && warningNodes(answer.headers), visibleNode(answer.headers), onePageNode(answer.headers), headersNode(answer.headers));
    const job = jobAddress(answer, request);
    nodes.push(job && jobNode(job, { operation, open, isWanted: () => frame.turn === turn }));
    nodes.push(await contentNodes({ operation, request, answer, open, keep }));
  }
  if (frame.turn !== turn) return;
  frame.rest.replaceChildren(...nodes.flat(Infinity).filter(Boolean));
  released.forEach((address) => URL.revokeObjectURL(address));
  focusAgain(frame.rest);
  // Below the form, a response begins at the top; beside it, it is usually in sight
  if (isStill) frame.status.scrollIntoView({ block: wideLayout.matches ? "nearest" : "start" });
}

/** Return the parts of the element. Screen readers announce a status only if its element existed before its text. */
async function frameOf(target) {
  let frame = answerFrames.get(target);
  if (!frame) {
    frame = { status: make("p", { class: "status", role: "status" }), rest: make("div", {}), kept: [], turn: 0 };
    answerFrames.set(target, frame);
    target.replaceChildren(frame.status, frame.rest);
    await new Promise((done) => setTimeout(done));
  }
  return frame;
}

function showStatus(node, { status, statusText, time, blob, failed, headers }) {
  const outcome = OUTCOMES[status] || OUTCOMES[String(status)[0]] || ["●", "Response", false];
  const [shape, word, isGood] = failed ? ["✕", "Request failed", false] : outcome;
  node.className = `status ${isGood ? "good" : "bad"}`;
  node.replaceChildren(
    make("span", { class: "shape", "aria-hidden": "true" }, shape),
    make("strong", {}, failed ? word : `${status} ${statusText || word}`),
    make("span", { class: "quiet" }, failed
      ? `${failed.message || failed}, after ${Math.round(time)} ms`
      : `${Math.round(time)} ms${serverTime(headers)}, ${sizeText(blob.size)}`));
}

function addressShown({ path, query }) {
  const shown = withoutKeys(query);
  return shown ? `${path}?${shown}` : path;
}

function warningNodes(headers) {
  const value = headers.get("Warning");
  if (!value) return null;
  const texts = [...value.matchAll(WARNING)].map(([, words]) => words.replace(/\\(.)/g, "$1"));
  const notice = (words) => make("p", { class: "notice careful" }, make("strong", {}, "Warning. "), withCode(words));
  return (texts.length ? texts : [value]).map(notice);
}

/** Return a notice that the caller sees only certain records. */
function visibleNode(headers) {
  const seen = headers.get("Visible-Records");
  return seen ? text("p", "quiet", `You see only certain records: ${seen}.`) : null;
}

/** Return a notice that a file has only one page of a list; the table of a JSON list has buttons for all records. */
function onePageNode(headers) {
  const isPage = !/[/+]json\b/.test(headers.get("Content-Type")) && /rel="?next/.test(headers.get("Link"));
  return isPage ? make("p", { class: "notice" }, "This file has one page of the list. With ", make("code", {}, "all=1"), " it has all records.") : null;
}

function headersNode(headers) {
  const all = [...headers];
  const rows = () => make("dl", {}, all.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  return all.length ? fold({ class: "answer-headers" }, counted(all.length, "header"), rows) : null;
}

// The content ---------------------------------------------------------------------------------------------------------

async function contentNodes(shown) {
  const { operation, answer, keep } = shown;
  const { blob, status, headers } = answer;
  if (status === 304) return text("p", "quiet", "The record has not changed, so the response has no body.");
  if (!blob || !blob.size) return text("p", "quiet", "The response has no body.");
  const type = (headers.get("Content-Type") || "").split(";")[0].trim().toLowerCase();
  const ending = FORMATS[type] && `.${FORMATS[type].toLowerCase()}`;
  const name = fileNameOf(headers.get("Content-Disposition") || "") || (ending ? nameOfFile(operation) + ending : "");
  const isJson = /[/+]json$/.test(type);
  if (blob.size <= (isJson ? LARGEST_JSON : LARGEST_TEXT) && (isJson || TEXT_TYPES.test(type))) {
    const words = await blob.text();
    const parsed = isJson ? parsedJson(words) : undefined;
    if (parsed !== undefined) return jsonNodes(words, parsed, name, shown);
    if (!words.includes("\0")) return textNodes(words, blob, name || "answer.txt", keep);
  }
  return fileNodes(blob, type, name, keep);
}

/** Return a text parsed as JSON; undefined if it isn't JSON. */
function parsedJson(words) {
  try {
    return JSON.parse(words);
  } catch {
    return undefined;
  }
}

const copyButton = (words) => button("Copy", (event) => copy(words(), event.currentTarget), { class: "small" });
const contentBox = (tag, kind, ...inside) =>
  make(tag, { class: kind, tabindex: 0, role: "group", "aria-label": "Response body" }, ...inside);

function textNodes(words, blob, name, keep) {
  return [
    make("p", { class: "buttons" }, copyButton(() => words), saveLink(blob, name, keep)),
    contentBox("pre", null, textParts(words)),
  ];
}
