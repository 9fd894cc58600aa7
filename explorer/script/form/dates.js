// Days and instants: the formats that the server accepts, and a calendar to pick one from.

/** Return whether a schema describes a day or an instant. */
const isDate = (schema) => ["date", "date-time", "unix-time"].includes(schema.format);

/** Return an example with today's date instead of the documented one, because users send examples unchanged. */
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

/** Return why the server can't read a text as a day or an instant, or "". */
function dateProblem(words) {
  if (!/^\s*$|^\s*(?:-?\d+|\d{4}-?(?:\d\d|W\d\d)\S*(?: \d\d\S*)?)\s*$/.test(words))
    return "expected Unix seconds or a date such as 2026-11-21";
  const [day] = /\d{4}-\d\d-\d\d/.exec(words) || [];
  const read = new Date(`${day}T00:00:00Z`);
  const exists = !day || (!Number.isNaN(read.getTime()) && read.toISOString().startsWith(day));
  return exists ? "" : `expected an existing date, got ${day}`;
}

/** Return a calendar for a text input. It writes the picked day in the server's format; of several days, after the others. */
function dayPicker(input, schema, days = () => 1) {
  const instant = schema.format === "date-time";
  const write = () => {
    const others = filterValues(input.value).slice(0, days());
    const before = days() > 1 && others.length < days() ? others : [];
    input.value = picker.value && [...before, instant ? `${picker.value}:00Z` : picker.value].join(", ");
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
      // Not supported by this browser: the user can type the date
      picker.focus();
    }
  };
  return make("span", { class: "picker" }, button("Pick", open, { "aria-label": label }), picker);
}
