/**
 * A worker without the kit: it asks for work over HTTP, and reports over HTTP. Nothing here is particular to
 * Cloudflare or to JavaScript; the same five calls do in any language that has a clock and an HTTP client.
 */

/** The job itself. `signal` says when to stop, `tell` leaves a word on how far it is. */
async function work(message, signal, tell) {
  const words = String(message.payload?.text ?? message.id).split(/\s+/);
  for (const [index, word] of words.entries()) {
    if (signal.aborted) return null;
    await tell({ progress: (index + 1) / words.length, note: word });
  }
  return { words: words.length };
}

async function call(env, method, path, namespace, body) {
  const response = await fetch(new URL(path, env.CARILLON_URL), {
    method,
    headers: {
      authorization: `Bearer ${env.CARILLON_TOKEN}`,
      "carillon-namespace": namespace,
      "content-type": "application/json",
    },
    body: body && JSON.stringify(body),
  });
  return { ok: response.ok, answer: await response.json() }; // refusals are problem documents with a `code`
}

async function run(env, message) {
  const report = (verb, body) =>
    call(env, "POST", `/v1/occurrences/${encodeURIComponent(message.id)}/${verb}`, message.namespace, body);

  // A random id per try: the same id would be given the same token again.
  const start = await report("start", { attempt: message.attempt, worker: crypto.randomUUID() });
  if (!start.ok) return { id: message.id, outcome: start.answer.code }; // busy, settled: somebody else's

  const { token, leaseUntil, deadline } = start.answer;
  const stop = new AbortController();
  const third = (Date.parse(leaseUntil) - Date.now()) / 3;
  let beatAt = Date.now() + third;
  async function tell(news) {
    if (Date.now() > Date.parse(deadline)) stop.abort();
    if (Date.now() < beatAt) return; // a heartbeat each third of the lease is enough
    beatAt = Date.now() + third;
    const beat = await report("heartbeat", { token, ...news });
    if (!beat.ok || beat.answer.cancel) stop.abort(); // lease_lost, or asked to stop
  }
  try {
    const result = await work(message, stop.signal, tell);
    const done = stop.signal.aborted
      ? await report("fail", { token, error: "stopped when asked to", retryable: true })
      : await report("complete", { token, result });
    return { id: message.id, outcome: done.ok ? done.answer.state : done.answer.code };
  } catch (error) {
    await report("fail", { token, error: String(error), retryable: true });
    return { id: message.id, outcome: "failed" };
  }
}

async function poll(env) {
  const { ok, answer } = await call(env, "GET", "/v1/work?queue=EXTERNAL&limit=10", "default");
  if (!ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return Promise.all(answer.items.map((message) => run(env, message)));
}

export default {
  scheduled: (_event, env) => poll(env),
  fetch: async (_request, env) => Response.json(await poll(env)),
};
