// What a method raised that nobody expected: the server tells administrators alone.

function raisedNode(raised) {
  if (!raised || typeof raised.message !== "string") return null;
  const place = typeof raised.file === "string" && [make("code", {}, raised.file), `, line ${raised.line}: `];
  return make("p", { class: "raised" }, place, make("code", {}, raised.message));
}
