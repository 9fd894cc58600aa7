// Operations in groups: those of the record, its states, its lines, its contacts … The index defines the groups.

const FIRST_GROUPS = ["", "states"];
const LAST_GROUPS = ["files", "more"];
/** Below this number of operations, groups have no headings. */
const WORTH_GROUPS = 8;

const groupPlace = (name) => FIRST_GROUPS.indexOf(name) + 1 || (LAST_GROUPS.indexOf(name) + 1) * 100 || 50;

/** The operations by group: the record's own first, single ones last, the others in the service's order. */
function groupsOf(operations) {
  const groups = Map.groupBy(operations, ({ group = "" }) => group);
  const sorted = [...groups].sort(([one], [other]) => groupPlace(one) - groupPlace(other));
  return operations.length < WORTH_GROUPS ? [["", sorted.flatMap(([, each]) => each)]] : sorted;
}

/** List items of the operations; with several groups, each group has a heading and its own list. */
function groupedItems(operations, item) {
  const groups = groupsOf(operations);
  if (groups.length === 1) return groups[0][1].map(item);
  return groups.map(([name, each]) => make("li", { class: "group" },
    make("p", { class: "group-name" }, groupWords(name)),
    make("ul", { "aria-label": groupWords(name) }, each.map(item))));
}

const groupWords = (name) => (name ? name.replace(/^(pdf$|.)/, (start) => start.toUpperCase()) : "Record");
