// A request in PHP, with the cURL extension, which hosting providers generally install.

const PHP_CONTROL = /[\0-\x1f\x7f]/;

/** Return a PHP string: in single quotes, or in double quotes if hidden or control characters need escapes. */
function quotePhp(words) {
  const isHidden = words.search(HIDDEN) >= 0 || PHP_CONTROL.test(words);
  if (!isHidden) return `'${words.replace(/[\\']/g, "\\$&")}'`;
  const numbered = (each) => `\\u{${each.charCodeAt(0).toString(16)}}`;
  const quoted = words.replace(/[\\"$]/g, "\\$&").replaceAll("\n", "\\n");
  return `"${quoted.replace(HIDDEN, numbered).replace(new RegExp(PHP_CONTROL, "g"), numbered)}"`;
}

/** Return a PHP string that may contain variables: pieces joined by dots. */
function phpText(words) {
  if (!hasVariable(words)) return quotePhp(words);
  return words.split(/(\ue000\w+\ue001)/).filter(Boolean).map((part) => (onlyVariable(part) ? `$${onlyVariable(part)}` : quotePhp(part))).join(" . ");
}

/** Return a body as PHP arrays. Empty objects, and those with the keys 0, 1, …, would become lists as arrays. */
function phpValue(node, indent) {
  const inside = `${indent}    `;
  const several = (parts) => `[\n${parts.map((part) => `${inside}${part},\n`).join("")}${indent}]`;
  if (node.kind === "string") return phpText(JSON.parse(node.raw));
  if (node.kind === "array") return node.items.length ? several(node.items.map((each) => phpValue(each, inside))) : "[]";
  if (node.kind !== "object") return node.raw;
  if (!node.members.length) return "new stdClass()";
  const counts = node.members.every(({ key }, number) => key === String(number));
  return (counts ? "(object) " : "") + several(node.members.map((each) => `${quotePhp(each.key)} => ${phpValue(each.node, inside)}`));
}

function phpOf({ verb, address, query, headers, body, json, form, upload, key, saveAs, variables = [] }) {
  const pairs = [...new URLSearchParams(query)];
  const isList = new Set(pairs.map(([name]) => name)).size === pairs.length;
  const pair = ([name, value]) => `${quotePhp(name)} => ${phpText(value)}`;
  // An array can't contain a parameter twice
  const target = pairs.length && isList
    ? `${phpText(`${address}?`)} . http_build_query([\n${pairs.map((each) => `    ${pair(each)},\n`).join("")}])`
    : phpText(address + query);
  const heads = [
    key ? quotePhp(`DOLAPIKEY: ${key}`) : '"DOLAPIKEY: " . getenv("DOLAPIKEY")',
    ...Object.entries(headers).map(([name, value]) => phpText(`${name}: ${value}`)),
  ];
  const parts = form && [
    ...form.fields.map(pair),
    ...form.files.map(({ name, filename }) => `${quotePhp(name)} => new CURLFile(${quotePhp(filename)})`),
  ];
  const content = upload
    ? `file_get_contents(${quotePhp(upload)})`
    : form
      ? `[${parts.join(", ")}]`
      : json
        ? `json_encode(${phpValue(json, "    ")})`
        : body !== undefined && phpText(body);
  const options = [
    verb !== "GET" && `CURLOPT_CUSTOMREQUEST => "${verb}"`,
    `CURLOPT_HTTPHEADER => [${heads.join(", ")}]`,
    content && `CURLOPT_POSTFIELDS => ${content}`,
    "CURLOPT_RETURNTRANSFER => true",
  ].filter(Boolean);
  return [
    "<?php",
    ...variables.map(({ name, value, note, isEncoded }) => {
      const written = typeof value === "number" ? value : quotePhp(value);
      return `$${name} = ${isEncoded ? `rawurlencode(${written})` : written};${note && ` // ${note}`}`;
    }),
    ...(variables.length ? [""] : []),
    `$call = curl_init(${target});`,
    `curl_setopt_array($call, [\n${options.map((each) => `    ${each},\n`).join("")}]);`,
    "$response = curl_exec($call);",
    ...(saveAs
      ? [
        `if (curl_getinfo($call, CURLINFO_RESPONSE_CODE) === 200) file_put_contents(${phpText(saveAs)}, $response);`,
        'else echo $response === false ? curl_error($call) : $response, "\\n";',
      ]
      : ['echo curl_getinfo($call, CURLINFO_RESPONSE_CODE), " ", $response === false ? curl_error($call) : $response, "\\n";']),
  ].join("\n");
}
