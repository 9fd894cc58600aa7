// Days and instants: what the server reads as one, and a calendar to pick one from.

/** Whether a schema stands for a day or an instant. */
const isDate = (schema) => ["date", "date-time", "unix-time"].includes(schema.format);

/** An example with today in place of the day that it was written for: people send examples as they are. */
function datedToday(value, alternatives, spec) {
  const inside = (each, key) => datedToday(each, innerAlternatives(alternatives, key, spec), spec);
  if (Array.isArray(value)) return value.map(inside);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inside(each, key)]));
  }
  const day = spec.info["x-example-day"];
  if (![day, Date.parse(day) / 1000].includes(value) || !alternatives.some(isDate)) return value;
  const today = new Date().toISOString().slice(0, 10);
  return typeof value === "number" ? Date.parse(today) / 1000 : today;
}

/** What keeps the server from reading a text as a day or an instant; "" where nothing does. */
function dateProblem(words) {
  if (!/^\s*$|^\s*(?:-?\d+|\d{4}-?(?:\d\d|W\d\d)\S*(?: \d\d\S*)?)\s*$/.test(words))
    return "expected Unix seconds or a date such as 2026-11-21";
  const [day] = /\d{4}-\d\d-\d\d/.exec(words) || [];
  const read = new Date(`${day}T00:00:00Z`);
  const exists = !day || (!Number.isNaN(read.getTime()) && read.toISOString().startsWith(day));
  return exists ? "" : `expected an existing date, got ${day}`;
}

/** A calendar beside a text input: the day that is picked is written as the server takes it. */
function dayPicker(input, schema) {
  const instant = schema.format === "date-time";
  const write = () => {
    input.value = picker.value && (instant ? `${picker.value}:00Z` : picker.value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const label = instant ? "Pick a date and time (UTC)" : "Pick a date";
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
