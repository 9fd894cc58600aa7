// A background job that does the work of a call: its progress, polled until the job ends, and its result.

/** Milliseconds between two polls of a job. */
const JOB_PACE = 1000;
/** Final states of a job → whether it succeeded. */
const JOB_ENDS = { done: true, "given up": false };

/** Return the job's URL from the Location of a 202 response; null without one on this server. */
function jobAddress({ status, headers }, { path }) {
  const location = status === 202 && headers.get("Location");
  if (!location) return null;
  const asked = new URL(path.slice(1), SERVER_ADDRESS);
  // The key must not be sent to another server
  return URL.canParse(location, asked) && new URL(location, asked).href.startsWith(SERVER_ADDRESS.href)
    ? new URL(location, asked)
    : null;
}

/**
 * Return an element that shows a job's progress. It polls only while visible, and stops when isWanted returns false.
 *
 * @param {object} shown the argument of contentNodes, with isWanted: whether this response is still the latest one
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

/** Return the schemas of the job ID in the operation's response. */
const jobAlternatives = (operation) => innerAlternatives(answerAlternatives(operation, 202), "job", operation.spec);

async function followJob(address, node, parts, shown) {
  const pause = () => new Promise((done) => setTimeout(done, JOB_PACE));
  let hasEnded = false;
  // Wait until the caller has added the element to the page
  await new Promise((done) => setTimeout(done, JOB_PACE / 10));
  for (; shown.isWanted() && !hasEnded; await pause()) {
    // Pause while the user is on another page or in another tab
    if (node.isConnected && !document.hidden) hasEnded = await lookAtJob(address, node, parts, shown);
  }
}

/** Poll a job once; return whether this was the last poll. */
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

/** Update the bar: empty before the job starts, indeterminate while a running job reports no total. */
function showJobBar({ bar, count }, job, isGood) {
  const { state } = job;
  // The response may contain numbers as text
  const [done, total] = [Number(job.done), Number(job.total)];
  const isKnown = total > 0;
  if (isGood || isKnown || state !== "running") {
    bar.max = isKnown ? total : 1;
    bar.value = isGood ? bar.max : isKnown ? done : 0;
  } else bar.removeAttribute("value");
  count.textContent = isKnown ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : "";
}

/** Return the job's result as a tree. */
function jobResult(source, value, { operation, open }) {
  const { spec } = operation;
  const whole = { source, value, alternatives: [], spec, open, here: "" };
  const context = { ...whole, ...chooseEntries(whole, "") };
  const box = { class: "json", tabindex: 0, role: "group", "aria-label": "Result of the job" };
  return [make("p", { class: "quiet" }, "Result:"), make("div", box, treeOf(context).node)];
}

/** Set an element's text only if it changes, because screen readers announce each write. Return false. */
function showIfChanged(node, words) {
  const said = [words].flat().join(" ");
  if (node.textContent !== said) node.textContent = said;
  return false;
}
