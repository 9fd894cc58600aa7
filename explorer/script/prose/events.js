// The events of a service.

/** The events that webhooks receive, each with an example of the request's body; null if the service sends none. */
function eventsList({ webhooks = {} }) {
  const events = Object.entries(webhooks);
  if (!events.length) return null;
  const patterns = new Set(events.map(([name]) => name.replace(/\..*/, ".*")));
  return make("section", { class: "events" },
    make("h2", {}, "Events"),
    make("p", {}, make("a", { href: `${addressOfOperation("post-webhooks")}?events=${[...patterns].join("+")}` }, "Add a webhook"), " that receives these events. ", make("a", { href: addressOfGuide("webhooks") }, "Guide")),
    events.map(([name, { post }]) => exampleFold(
      post.requestBody.content["application/json"].examples.event.value,
      [make("code", {}, name), ` ${post.summary}. `, inline(post.description || "")],
      `Example of ${name}`)));
}
