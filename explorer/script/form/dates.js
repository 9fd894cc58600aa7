// Days and instants: what the server reads as one, and a calendar to pick one from.

/** Whether a schema stands for a day or an instant. */
function isDate(schema) {
  if (["date", "date-time", "unix-time"].includes(schema.format)) return true;
  return !schema.enum && /unix seconds|iso 8601/i.test(schema.description || "");
}

/** What is wrong with a text as a day or an instant, as the server reads them; "" where nothing is. */
function dateProblem(words) {
  if (!/^\s*$|^\s*(?:-?\d+|\d{4}-?(?:\d\d|W\d\d)\S*(?: \d\d\S*)?)\s*$/.test(words))
    return "expected Unix seconds or a date such as 2026-11-21";
  const [day] = /\d{4}-\d\d-\d\d/.exec(words) || [];
  const read = new Date(`${day}T00:00:00Z`);
  const exists = !day || (!Number.isNaN(read.getTime()) && read.toISOString().startsWith(day));
  return exists ? "" : `expected a day that there is, got ${day}`;
}

/** A control that puts a day beside a text input: picked there, written here as the server takes it. */
function dayPicker(input, schema) {
  const instant = schema.format === "date-time";
  const write = () => {
    input.value = picker.value && (instant ? `${picker.value}:00Z` : picker.value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const label = instant ? "Pick an instant, in UTC" : "Pick a day";
  const picker = make("input", {
    type: instant ? "datetime-local" : "date",
    tabindex: -1,
    "aria-label": label,
    class: "picked",
    input: (event) => (event.stopPropagation(), write()),
  });
  const open = () => {
    try {
      picker.showPicker();
    } catch {
      picker.focus(); // a browser without it: the field can be typed into
    }
  };
  return make("span", { class: "picker" }, button("Pick", open, { "aria-label": label }), picker);
}
