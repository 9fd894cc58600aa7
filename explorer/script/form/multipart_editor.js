// The body of a call that sends a file: a form of several parts.

/** The parts of a multipart body: one row for each property. */
function multipartEditor(operation) {
  const { properties, required } = propertiesOf(operation.body.schema, operation.spec);
  const made = Object.entries(properties).map(([name, schema]) =>
    inputRow({ name, in: "body", required: required.includes(name), schema }, operation.spec),
  );
  // The file comes first: it is what the call is about
  const rows = [...made.filter((row) => row.kind === "file"), ...made.filter((row) => row.kind !== "file")];
  const filled = () => rows.filter((row) => row.kind !== "file" && row.text() !== "");
  const files = () => rows.filter((row) => row.file());
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
        files: files().map((row) => ({ name: row.parameter.name, filename: row.file().name })),
        fields: Object.fromEntries(filled().map((row) => [row.parameter.name, row.text()])),
      };
    },
  };
}
