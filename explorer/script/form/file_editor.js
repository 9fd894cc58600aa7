// The body of a call that sends files: multipart, or one file as it is.

const EXAMPLE_FILE = "document.pdf";

/** Return the editor of such a body: one row for each property, or one for the file that is the body. */
function fileEditor({ body: { schema, type, description }, spec }) {
  const isForm = type === "multipart/form-data";
  const { properties, required } = isForm ? propertiesOf(schema, spec) : { properties: { body: schema }, required: ["body"] };
  const made = Object.entries(properties).map(([name, each]) =>
    inputRow({ name, in: "body", required: required.includes(name), schema: each }, spec),
  );
  // The file comes first, because the call is for it
  const rows = [...made.filter((row) => row.kind === "file"), ...made.filter((row) => row.kind !== "file")];
  const filled = () => rows.filter((row) => row.kind !== "file" && row.text() !== "");
  const files = () => rows.filter((row) => row.file());
  const [{ parameter }] = rows;
  // Until the user chooses a file, generated code sends an example
  const exampleFile = () => (parameter.required || !filled().length ? [{ name: parameter.name, filename: EXAMPLE_FILE }] : []);
  return {
    node: make(
      "fieldset",
      { class: "parts" },
      make("legend", {}, "Body ", text("span", "type", type)),
      authorsWords(description),
      rows.map((row) => row.node),
    ),
    keys: rows.map((row) => row.key),
    problems: () => rowProblems(rows),
    snapshot: () => Object.fromEntries(filled().map((row) => [row.key, row.text()])),
    fill: (snapshot) => rows.forEach((row) => row.fill(String(snapshot[row.key] ?? ""))),
    content: () => {
      const named = files().map((row) => ({ name: row.parameter.name, filename: row.file().name }));
      const sent = named.length ? named : exampleFile();
      if (!isForm) return { body: rows[0].file(), type, upload: sent[0].filename };
      const form = new FormData();
      filled().forEach((row) => form.append(row.parameter.name, row.text()));
      files().forEach((row) => form.append(row.parameter.name, row.file(), row.file().name));
      return { body: form, files: sent, fields: Object.fromEntries(filled().map((row) => [row.parameter.name, row.text()])) };
    },
  };
}
