// The present values of the record that a call changes. They replace the example's: sending those would overwrite it.

/** Verbs whose body contains fields of the record at the operation's path. */
const CHANGES = ["PUT", "PATCH"];

/**
 * Return a function that reads the record of the path's values, and returns the present values of the example's fields;
 * null if the record can't be read.
 */
function presentReader(operation, rows) {
  const { verb, path, body } = operation;
  const { example } = body;
  const isObject = example && typeof example === "object" && !Array.isArray(example);
  const one = listedAt(path);
  const list = listedAt(path.replace(/\/\{\w+\}$/, ""));
  if (!CHANGES.includes(verb) || !isObject || !path.endsWith("}") || !(one || list)) return null;
  const filled = rows.filter((row) => row.parameter.in === "path");
  return async () => {
    if (filled.some((row) => row.text().trim() === "" || row.problem())) return null;
    const answer = await send({ verb: "GET", path: pathOf((one || list).path, filled), query: "", headers: {} });
    const found = answer.status === 200 ? parsedJson(await answer.blob.text()) : null;
    const id = filled.at(-1).text().trim();
    const record = one ? found : [found].flat().find((each) => each && String(each.id) === id);
    const pairs = Object.entries(example).filter(([key]) => record && Object.hasOwn(record, key) && record[key] !== null);
    return pairs.length ? Object.fromEntries(pairs.map(([key, value]) => [key, presentValue(record[key], value)])) : null;
  };
}

/** Return a decimal without the zeros at its end; as a number if the example is one and the number is exact. */
function presentValue(value, like) {
  if (typeof value !== "string" || !/^-?\d+\.\d+$/.test(value)) return value;
  const short = value.replace(/\.?0+$/, "");
  return typeof like === "number" && String(Number(short)) === short ? Number(short) : short;
}

/**
 * Keep the example of a body as the path's values require: with present values, else with IDs of existing records.
 * Return {look(), settled()}: renew it now, and wait until it is renewed.
 */
function renewExamples(operation, rows, body) {
  const { schema, example } = operation.body;
  const general = withRecords(example, alternativesOf(schema, operation.spec), operation.spec);
  const present = presentReader(operation, rows);
  let turn = 0;
  let pending;
  const renew = async (own) => {
    const values = present && (await present());
    const better = values || (await general);
    if (own === turn) body.renew(better, values ? "Present values" : "Example");
  };
  const look = () => (pending = renew((turn += 1)));
  if (present) for (const row of rows) if (row.parameter.in === "path") row.input.addEventListener("change", look);
  look();
  return { look, settled: () => pending };
}
