// Files of an answer: their names, sizes and addresses; what the browser can show of them.

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const LINES_AT_ONCE = 500;
const LINE_HEIGHT = 1.45; // as the stylesheet has it
const LARGEST_SHOWN = 20_000_000; // bytes of a PDF or a picture; above, it is offered as a download

/** A number of bytes in words. */
function sizeText(bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  if (bytes >= 999_500) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1000).toPrecision(3).replace(/\.0+$/, "")} kB`;
}

/** A file's name from Content-Disposition, the extended form first; "" where there is none. */
function fileNameOf(disposition) {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition);
  const [, quoted, bare] = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) || [];
  try {
    return cleanName(extended ? decodeURIComponent(extended[1]) : quoted || bare || "");
  } catch {
    return cleanName(quoted || bare || "");
  }
}

/** The last part of a path, without invisible characters and those that reverse the text. */
function cleanName(name) {
  return name.split(/[/\\]/).pop().replace(/[\p{Cc}\p{Cf}]/gu, "").slice(0, 200);
}

/** A link that saves a file; its type keeps a browser from opening it as a page of this server. */
function saveLink(blob, name, keep, words = "Download") {
  const href = keep(blob.slice(0, blob.size, "application/octet-stream"));
  return make("a", { href, download: name || "answer", class: "save" }, words);
}

/** A file shown in the page, if the browser can do that without running anything in it; else null. */
function shownFile(blob, type, name, keep) {
  if (blob.size > LARGEST_SHOWN) return null;
  const address = () => keep(blob.slice(0, blob.size, type));
  if (PICTURES.includes(type)) {
    return make("img", { class: "shown-picture", src: address(), alt: name || "The returned picture" });
  }
  if (type !== "application/pdf") return null;
  if (navigator.pdfViewerEnabled === false) return text("p", "quiet", "This browser can't display a PDF in the page.");
  // There is no room for an outline beside the pages
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

/** A file inside a JSON answer: {content, encoding: "base64", "content-type", filename}; null where it is none. */
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

/** A long text in parts, so that the browser lays out only those in sight. */
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
