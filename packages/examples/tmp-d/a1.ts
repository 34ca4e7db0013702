import { Effect } from "effect"
import { ack, caps, cpu, gateway, J, legacy, modern, P, run, sleep, upstream } from "./h.ts"
const q = (message = "?") => ({ method: "elicitation/create", params: { mode: "form", message, requestedSchema: { type: "object", properties: { a: { type: "string" } } } } })
const seen: any[] = []
const tools: Record<string, (c: any) => void> = {
  protokey: (c) => c.params.inputResponses ? (seen.push(Object.keys(c.params.inputResponses)), c.reply({ content: [{ type: "text", text: "ok " + JSON.stringify(Object.keys(c.params.inputResponses)) }] }))
    : c.res.writeHead(200, { "content-type": "application/json" }).end(`{"jsonrpc":"2.0","id":${JSON.stringify(c.id)},"result":{"resultType":"input_required","inputRequests":{"__proto__":${JSON.stringify(q("proto"))},"constructor":${JSON.stringify(q("ctor"))},"":${JSON.stringify(q("empty"))},"toString":${JSON.stringify(q("ts"))}},"requestState":"s"}}`),
  many: (c) => c.params.inputResponses ? c.reply({ content: [{ type: "text", text: "got " + Object.keys(c.params.inputResponses).length }] })
    : c.reply({ resultType: "input_required", inputRequests: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ["k" + i, q("q" + i)])), requestState: "s" }),
  endless: (c) => c.reply({ resultType: "input_required", inputRequests: { k: q() }, requestState: "s" + Math.random() }),
  statespin: (c) => c.reply({ resultType: "input_required", requestState: "s" + Math.random() }),
  huge: (c) => c.params.requestState ? c.reply({ content: [{ type: "text", text: "len " + c.params.requestState.length }] }) : c.reply({ resultType: "input_required", inputRequests: { k: q() }, requestState: "x".repeat(8_000_000) }),
  unknown: (c) => c.reply({ resultType: "banana", content: [] }),
  numtype: (c) => c.reply({ resultType: 7, content: [] }),
  task: (c) => c.reply({ resultType: "task", taskId: "t", content: [] }),
  empty: (c) => c.reply({ resultType: "input_required" }),
  nocap: (c) => c.reply({ resultType: "input_required", inputRequests: { k: { method: "roots/list", params: {} }, z: { method: "tools/call", params: { name: "x" } } } }),
}
run(Effect.gen(function*() {
  const up = yield* P(() => upstream((c) => {
    if (c.method === "tools/call") return tools[c.params.name]!(c)
    if (c.method === "subscriptions/listen") return ack(c)
    c.fail(-32601, "no")
  }, { tools: Object.keys(tools) }))
  const g = yield* gateway({ evil: { url: up.url } })
  yield* P(async () => {
    await sleep(500)
    console.log(J((await modern(g.url, "ada", "tools/list")).last))
    const answerAll = async (name: string, most = 400) => {
      let params: any = { name: "evil_" + name, arguments: {} }, rounds = 0, asked = 0, r: any
      const t = Date.now(), c0 = cpu()
      for (;;) {
        r = await modern(g.url, "ada", "tools/call", params, { caps })
        const res = r.last?.result
        if (res?.resultType !== "input_required" || rounds >= most) break
        rounds++
        const raw = Object.keys(res.inputRequests ?? {})
        asked += raw.length
        const answers: any = {}
        for (const k of raw) Object.defineProperty(answers, k, { value: { action: "accept", content: { a: "x" } }, enumerable: true, configurable: true, writable: true })
        params = { name: "evil_" + name, arguments: {}, inputResponses: answers, requestState: res.requestState }
        if (rounds <= 1) console.log("   first", J(res, 400), "state", res.requestState?.length)
      }
      console.log(name, "modern: rounds", rounds, "asked", asked, "ms", Date.now() - t, "cpu", Math.round(cpu() - c0), J(r.last?.result ?? r.last?.error ?? r))
    }
    for (const n of Object.keys(tools)) await Promise.race([answerAll(n), sleep(60000).then(() => console.log(n, "HANGS 60s"))])
    console.log(seen, up.counts)
    // legacy
    for (const n of Object.keys(tools)) {
      const l = await legacy(g.url, "bob", { elicitation: {}, roots: {} })
      let asked = 0
      const t = Date.now()
      const hear = (m: any) => { if (m.method && m.id !== undefined) { asked++; void l.post({ id: m.id, result: { action: "accept", content: { a: "x" } } }) } }
      const r = await Promise.race([l.post({ id: 1, method: "tools/call", params: { name: "evil_" + n, arguments: {} } }, hear), sleep(60000).then(() => ({ last: "HANG" }))])
      console.log(n, "legacy asked", asked, "ms", Date.now() - t, J((r as any).last, 250))
    }
  })
}))
