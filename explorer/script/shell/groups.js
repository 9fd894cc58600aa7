// Operations in groups: those of the record, then its states, its lines, its contacts … What the group of each is, the
// index says.

const FIRST_GROUPS = ["", "states"];
const LAST_GROUPS = ["files", "more"];
/** Fewer operations than this are seen at once without headings. */
const WORTH_GROUPS = 8;

const groupPlace = (name) => FIRST_GROUPS.indexOf(name) + 1 || (LAST_GROUPS.indexOf(name) + 1) * 100 || 50;

/** The operations by group: those of the record first, what is alone last, the others as the service names them. */
function groupsOf(operations) {
  const groups = Map.groupBy(operations, ({ group = "" }) => group);
  const sorted = [...groups].sort(([one], [other]) => groupPlace(one) - groupPlace(other));
  return operations.length < WORTH_GROUPS ? [["", sorted.flatMap(([, each]) => each)]] : sorted;
}

/** Items of a list: the operations, in lists of their own with a heading where there are several groups. */
function groupedItems(operations, item) {
  const groups = groupsOf(operations);
  if (groups.length === 1) return groups[0][1].map(item);
  return groups.map(([name, each]) => make("li", { class: "group" },
    make("p", { class: "group-name" }, groupWords(name)),
    make("ul", { "aria-label": groupWords(name) }, each.map(item))));
}

const groupWords = (name) => (name ? name[0].toUpperCase() + name.slice(1) : "Record");
