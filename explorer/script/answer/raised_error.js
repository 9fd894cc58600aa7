// The unexpected exception of a method; the server sends it to administrators only.

function raisedNode(raised) {
  if (!raised || typeof raised.message !== "string") return null;
  const place = typeof raised.file === "string" && [make("code", {}, raised.file), `, line ${raised.line}: `];
  return make("p", { class: "raised" }, place, make("code", {}, raised.message));
}
