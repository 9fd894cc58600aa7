// A job that does the work of a call: how far it is, looked at until it has ended, and what came of it.

/** Milliseconds between two looks at a job. */
const JOB_PACE = 1000;
/** How it ended: the states after which nothing changes by itself, and whether that is good news. */
const JOB_ENDS = { done: true, "given up": false };

/** Where a job is read that an answer says does the work; null where it names none of this server. */
function jobAddress({ status, headers }, { path }) {
  const location = status === 202 && headers.get("Location");
  if (!location) return null;
  const asked = new URL(path.slice(1), SERVER_ADDRESS);
  // The key must not go elsewhere
  return URL.canParse(location, asked) && new URL(location, asked).href.startsWith(SERVER_ADDRESS.href)
    ? new URL(location, asked)
    : null;
}

/**
 * How far a job is. It is looked at while it is in sight, and no more once isWanted answers no.
 *
 * @param {object} shown what contentNodes was given, with isWanted: whether the answer is still the last one
 */
function jobNode(address, { operation, open, isWanted }) {
  const number = address.pathname.split("/").pop();
  const parts = {
    bar: make("progress", { "aria-label": `Progress of job ${number}`, max: 1, value: 0 }),
    count: make("span", { class: "quiet" }),
    state: make("p", { class: "job-state", role: "status" }),
    result: make("div", {}),
  };
  const read = readsOf(jobAlternatives(operation), number);
  const name = read ? make("a", { href: read }, `Job ${number}`) : `Job ${number}`;
  const node = make("section", { class: "job", "aria-label": `Job ${number}` },
    make("p", { class: "job-head" }, make("strong", {}, name), parts.count), parts.bar, parts.state, parts.result);
  followJob(address, node, parts, { operation, open, isWanted });
  return node;
}

/** What the operation's answer says of the job's identifier. */
const jobAlternatives = (operation) => innerAlternatives(answerAlternatives(operation, 202), "job", operation.spec);

async function followJob(address, node, parts, shown) {
  const pause = () => new Promise((done) => setTimeout(done, JOB_PACE));
  let hasEnded = false;
  // It has its place in the page only after this
  await new Promise((done) => setTimeout(done, JOB_PACE / 10));
  for (; shown.isWanted() && !hasEnded; await pause()) {
    // Whoever has gone elsewhere finds it as it is when coming back
    if (node.isConnected && !document.hidden) hasEnded = await lookAtJob(address, node, parts, shown);
  }
}

/** Look at a job once; answers whether that was the last time. */
async function lookAtJob(address, node, parts, shown) {
  const state = (...words) => showIfChanged(parts.state, words);
  try {
    const answer = await ask(address);
    if (answer.status >= 500) return state("The job's state isn't available now. Retrying …");
    if (!answer.ok) {
      node.classList.add("bad");
      state(`The job can no longer be read: ${answer.status} ${answer.statusText}`);
      return true;
    }
    const source = await answer.text();
    return showJob(source, JSON.parse(source), node, parts, shown);
  } catch (failed) {
    if (failed instanceof Away) return state("The server doesn't respond. Retrying …");
    throw failed;
  }
}

function showJob(source, job, node, parts, shown) {
  const hasEnded = Object.hasOwn(JOB_ENDS, job.state);
  const isGood = JOB_ENDS[job.state];
  showJobBar(parts, job, isGood);
  const again = job.state === "waiting" && job.attempts > 0 && `tried ${counted(job.attempts, "time")}, next attempt soon`;
  showIfChanged(parts.state, [job.state, again, !isGood && job.text].filter(Boolean).join(", "));
  if (!hasEnded) return false;
  node.classList.add(isGood ? "good" : "bad");
  const result = readJson(source).entries.find(([key]) => key === "result");
  parts.result.replaceChildren(...[
    !isGood && job.error && make("div", { class: "notice" }, make("p", {}, job.error)),
    isGood && result && job.result !== null && jobResult(source, result[1], shown),
  ].flat().filter(Boolean));
  return true;
}

/** The bar: empty before it begins, without an end where nobody has said how much there is to do. */
function showJobBar({ bar, count }, job, isGood) {
  const { state } = job;
  // As text, where columns are answered so
  const [done, total] = [Number(job.done), Number(job.total)];
  const isKnown = total > 0;
  if (isGood || isKnown || state !== "running") {
    bar.max = isKnown ? total : 1;
    bar.value = isGood ? bar.max : isKnown ? done : 0;
  } else bar.removeAttribute("value");
  count.textContent = isKnown ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : "";
}

/** What the job has answered, as a tree. */
function jobResult(source, value, { operation, open }) {
  const { spec } = operation;
  const whole = { source, value, alternatives: [], spec, open, here: "" };
  const context = { ...whole, ...chooseEntries(whole, "") };
  const box = { class: "json", tabindex: 0, role: "group", "aria-label": "Result of the job" };
  return [make("p", { class: "quiet" }, "Result:"), make("div", box, treeOf(context).node)];
}

/** Words that are read out when they change; the same ones again are not. */
function showIfChanged(node, words) {
  const said = [words].flat().join(" ");
  if (node.textContent !== said) node.textContent = said;
  return false;
}
