// How long the server took for an answer, as its header Server-Timing says; how many statements, administrators are told.

function serverTime(headers) {
  const said = headers.get("Server-Timing") || "";
  const [, whole] = said.match(/\bapp;dur=([\d.]+)/) || [];
  const [, database, statements] = said.match(/\bdb;dur=([\d.]+)(?:;desc="([^"]*)")?/) || [];
  if (!whole || !database) return "";
  return ` (server ${whole} ms, database ${database} ms${statements ? ` for ${statements}` : ""})`;
}
