// The server's processing time, from the Server-Timing header.

function serverTime(headers) {
  const said = headers.get("Server-Timing") || "";
  const [, whole] = said.match(/\bapp;dur=([\d.]+)/) || [];
  const [, database] = said.match(/\bdb;dur=([\d.]+)/) || [];
  if (!whole || !database) return "";
  return ` (server ${whole} ms, database ${database} ms)`;
}
