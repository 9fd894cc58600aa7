// Files in a response: their names, sizes and URLs, and how the browser displays them.

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const LINES_AT_ONCE = 500;
// As in the stylesheet
const LINE_HEIGHT = 1.45;
// Bytes; a larger PDF or picture is only offered as a download
const LARGEST_SHOWN = 20_000_000;

/** Return a number of bytes as text with a unit. */
function sizeText(bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  if (bytes >= 999_500) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1000).toPrecision(3).replace(/\.0+$/, "")} kB`;
}

/** Return the file name from a Content-Disposition header, preferring `filename*`; "" if it has none. */
function fileNameOf(disposition) {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition);
  const [, quoted, bare] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) || [];
  const name = quoted?.replace(/\\(.)/g, "$1") || bare || "";
  try {
    return cleanName(extended ? decodeURIComponent(extended[1]) : name);
  } catch {
    return cleanName(name);
  }
}

/** Return a file name for a response without one: the words of the operation's path. */
const nameOfFile = ({ path }) => path.split("/").filter((each) => each && !each.startsWith("{")).join("-") || "answer";

/** Return the last part of a path, without control and format characters; these can reverse the text. */
function cleanName(name) {
  return name.split(/[/\\]/).pop().replace(/[\p{Cc}\p{Cf}]/gu, "").slice(0, 200);
}

/** Return a download link. Its generic type keeps the browser from opening the file as a page of this server. */
function saveLink(blob, name, keep, words = "Download") {
  const href = keep(blob.slice(0, blob.size, "application/octet-stream"));
  return make("a", { href, download: name || "answer", class: "save" }, words);
}

/** Return an element that displays a picture or PDF without running scripts; null for other types and large files. */
function shownFile(blob, type, name, keep) {
  if (blob.size > LARGEST_SHOWN) return null;
  const address = () => keep(blob.slice(0, blob.size, type));
  if (PICTURES.includes(type)) {
    return make("img", { class: "shown-picture", src: address(), alt: name || "The returned picture" });
  }
  if (type !== "application/pdf") return null;
  if (navigator.pdfViewerEnabled === false) return text("p", "quiet", "This browser can't display a PDF in the page.");
  // The page has no room for the viewer's outline
  const src = `${address()}#navpanes=0`;
  return make("iframe", { class: "shown-pdf", src, title: name || "The returned PDF" });
}

function fileNodes(blob, type, name, keep) {
  return [
    make("p", { class: "file" }, saveLink(blob, name, keep, `Download ${name || "the file"}`), " ",
      text("span", "quiet", [type || "unknown type", sizeText(blob.size)].join(", "))),
    shownFile(blob, type, name, keep),
  ];
}

/** Return the file in a JSON response: {content, encoding: "base64", "content-type", filename}; otherwise null. */
function fileInside(parsed) {
  const { content, encoding, "content-type": type = "", filename = "" } = parsed || {};
  if (typeof content !== "string" || encoding !== "base64") return null;
  try {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    return { blob: new Blob([bytes]), type: String(type), name: cleanName(String(filename)) };
  } catch {
    return null;
  }
}

/** Split a long text into parts; the browser lays out only the visible ones. */
function textParts(words) {
  const lines = words.split("\n");
  if (lines.length <= LINES_AT_ONCE) return [words];
  const parts = [];
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const own = lines.slice(from, from + LINES_AT_ONCE);
    const part = make("div", { class: "lines" }, own.join("\n"));
    part.style.containIntrinsicSize = `auto ${own.length * LINE_HEIGHT}em`;
    parts.push(part);
  }
  return parts;
}
