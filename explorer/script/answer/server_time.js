// How long the server took for an answer, as its header Server-Timing says.

function serverTime(headers) {
  const said = headers.get("Server-Timing") || "";
  const [, whole] = said.match(/\bapp;dur=([\d.]+)/) || [];
  const [, database] = said.match(/\bdb;dur=([\d.]+)/) || [];
  if (!whole || !database) return "";
  return ` (server ${whole} ms, database ${database} ms)`;
}
