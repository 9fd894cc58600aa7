// The multipart body of a call that sends a file.

const EXAMPLE_FILE = "document.pdf";

/** Return the editor of a multipart body: one row for each property. */
function multipartEditor(operation) {
  const { properties, required } = propertiesOf(operation.body.schema, operation.spec);
  const made = Object.entries(properties).map(([name, schema]) =>
    inputRow({ name, in: "body", required: required.includes(name), schema }, operation.spec),
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
      make("legend", {}, "Body ", text("span", "type", "multipart/form-data")),
      authorsWords(operation.body.description),
      rows.map((row) => row.node),
    ),
    keys: rows.map((row) => row.key),
    problems: () => rowProblems(rows),
    snapshot: () => Object.fromEntries(filled().map((row) => [row.key, row.text()])),
    fill: (snapshot) => rows.forEach((row) => row.fill(String(snapshot[row.key] ?? ""))),
    content: () => {
      const form = new FormData();
      filled().forEach((row) => form.append(row.parameter.name, row.text()));
      files().forEach((row) => form.append(row.parameter.name, row.file(), row.file().name));
      return {
        body: form,
        files: files().length ? files().map((row) => ({ name: row.parameter.name, filename: row.file().name })) : exampleFile(),
        fields: Object.fromEntries(filled().map((row) => [row.parameter.name, row.text()])),
      };
    },
  };
}
