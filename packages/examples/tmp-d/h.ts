import http from "node:http"
import { McpHttp, McpHttpClient } from "@parley/mcp"
import { McpGateway } from "@parley/mcp-gateway"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import { NodeHttp } from "@parley/node"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect } from "effect"

export const PV = "io.modelcontextprotocol/protocolVersion"
export const SUB = "io.modelcontextprotocol/subscriptionId"
export const authorize: any = Handshake.declare(({ header }: any) => {
  const name = header("authorization")
  return Effect.succeed(name === undefined ? Context.empty() : Context.make(Handshake.Name, name)) as any
})
export type Ctx = {
  id: any; method: string; params: any; headers: any; res: http.ServerResponse
  reply: (result: any) => void; fail: (code: number, message: string, data?: any) => void
  note: (method: string, params: any) => boolean; sse: () => void; raw: (text: string) => boolean
}
/** A raw modern upstream. */
export const upstream = async (on: (c: Ctx) => void, extra: any = {}) => {
  const counts: Record<string, number> = {}
  const server = http.createServer((req, res) => {
    let body = ""
    req.setEncoding("utf8")
    req.on("data", (d) => (body += d))
    req.on("end", () => {
      if (req.method !== "POST") { res.writeHead(405); return void res.end() }
      const m = JSON.parse(body)
      counts[m.method] = (counts[m.method] ?? 0) + 1
      let isSse = false
      const sse = () => { if (!isSse) { isSse = true; res.writeHead(200, { "content-type": "text/event-stream" }) } }
      const out = (o: any) => {
        const t = typeof o === "string" ? o : JSON.stringify(o)
        if (isSse) { res.write(`data: ${t}\n\n`); res.end() } else { res.writeHead(200, { "content-type": "application/json" }); res.end(t) }
      }
      const c: Ctx = {
        id: m.id, method: m.method, params: m.params, headers: req.headers, res, sse,
        reply: (result) => out({ jsonrpc: "2.0", id: m.id, result: { resultType: "complete", ...result } }),
        fail: (code, message, data) => out({ jsonrpc: "2.0", id: m.id, error: { code, message, ...(data === undefined ? {} : { data }) } }),
        note: (method, params) => { sse(); return res.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method, params })}\n\n`) },
        raw: (t) => { sse(); return res.write(`data: ${t}\n\n`) }
      }
      if (m.id === undefined) { on(c); res.writeHead(202); return void res.end() }
      if (extra[m.method]) return extra[m.method](c)
      switch (m.method) {
        case "server/discover":
          return c.reply({ supportedVersions: ["2026-07-28"], capabilities: extra.capabilities ?? { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true }, logging: {} }, ttlMs: 0, cacheScope: "private", _meta: { "io.modelcontextprotocol/serverInfo": { name: "evil", version: "1" } } })
        case "tools/list": return c.reply({ tools: (extra.tools ?? ["t"]).map((name: string) => ({ name, inputSchema: { type: "object" } })), ttlMs: 0, cacheScope: "private" })
        case "prompts/list": return c.reply({ prompts: [], ttlMs: 0, cacheScope: "private" })
        case "resources/list": return c.reply({ resources: (extra.resources ?? []).map((uri: string) => ({ uri, name: uri })), ttlMs: 0, cacheScope: "private" })
        case "resources/templates/list": return c.reply({ resourceTemplates: [], ttlMs: 0, cacheScope: "private" })
        default: return on(c)
      }
    })
  })
  await new Promise<void>((r) => server.listen(0, "127.0.0.1", r))
  return { url: `http://127.0.0.1:${(server.address() as any).port}/mcp`, counts, server, port: (server.address() as any).port, close: () => { server.closeAllConnections(); server.close() } }
}
export const ack = (c: Ctx) => c.note("notifications/subscriptions/acknowledged", { notifications: c.params.notifications, _meta: { [SUB]: c.id } })

export const gateway = (servers: Record<string, any>, opts: any = {}) => Effect.gen(function*() {
  const fetcher = yield* NodeHttp.makeFetcher()
  const member = (m: any) => ({
    connect: (options: any) => McpHttpClient.make(fetcher, { ...options, url: m.url, ...(m.pv ? { protocolVersion: m.pv } : {}), extensions: [...options.extensions ?? [], TaskClient.use()] }),
    ...m.member
  })
  const gw = yield* McpGateway.make({ name: "gw", version: "1", status: {}, servers: Object.fromEntries(Object.entries(servers).map(([k, v]) => [k, member(v)])), ...opts } as any)
  const endpoint = yield* McpHttp.endpoint(gw as any, { authorize, ...opts.http })
  const { address } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
  return { gw: gw as any, url: address as any as string, member }
})
let nid = 0
export const caps = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
/** A modern request. */
export const modern = async (url: string, who: string | undefined, method: string, params: any = {}, o: any = {}) => {
  const id = o.id ?? ++nid
  const body = { jsonrpc: "2.0", id, method, params: { ...params, _meta: { [PV]: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": o.caps ?? {}, "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" }, ...o.meta } } }
  const name = params.name ?? params.uri ?? params.taskId
  const r = await fetch(url, { method: "POST", signal: o.signal, headers: { "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...(name ? { "mcp-name": name } : {}), ...(who ? { authorization: who } : {}) }, body: JSON.stringify(body) })
  if (o.stream) return r as any
  const t = await r.text()
  const all = (r.headers.get("content-type") ?? "").includes("event-stream") ? t.split("\n").filter((l) => l.startsWith("data:") && l.length > 6).map((l) => JSON.parse(l.slice(5))) : t === "" ? [] : [JSON.parse(t)]
  return { status: r.status, all, last: all.at(-1), bytes: t.length } as any
}
/** reads SSE messages */
export const reading = async (r: Response, hear: (m: any) => void) => {
  const d = new TextDecoder(); let buf = ""
  try {
    for await (const chunk of r.body as any) {
      buf += d.decode(chunk, { stream: true })
      let at
      while ((at = buf.indexOf("\n\n")) >= 0) { const b = buf.slice(0, at); buf = buf.slice(at + 2); for (const l of b.split("\n")) if (l.startsWith("data:") && l.trim().length > 6) hear(JSON.parse(l.slice(5))) }
    }
  } catch {}
}
/** A legacy session. */
export const legacy = async (url: string, who: string | undefined, capabilities: any = {}, pv = "2025-11-25") => {
  let sid: string | undefined
  const head = () => ({ "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": pv, ...(sid ? { "mcp-session-id": sid } : {}), ...(who ? { authorization: who } : {}) })
  const post = async (m: any, hear?: (m: any) => void, signal?: AbortSignal) => {
    const r = await fetch(url, { method: "POST", headers: head(), body: JSON.stringify({ jsonrpc: "2.0", ...m }), signal })
    sid ??= r.headers.get("mcp-session-id") ?? undefined
    const all: any[] = []
    if ((r.headers.get("content-type") ?? "").includes("event-stream")) await reading(r, (x) => { all.push(x); hear?.(x) })
    else { const t = await r.text(); if (t) { try { all.push(JSON.parse(t)) } catch { all.push(t) } ; hear?.(all[0]) } }
    return { status: r.status, all, last: all.at(-1) }
  }
  await post({ id: "init", method: "initialize", params: { protocolVersion: pv, capabilities, clientInfo: { name: "l", version: "1" } } })
  await post({ method: "notifications/initialized" })
  const abort = new AbortController()
  const get = async (hear: (m: any) => void) => { const r = await fetch(url, { headers: { ...head(), accept: "text/event-stream" }, signal: abort.signal }); void reading(r, hear); return r.status }
  return { post, get, sid: () => sid, head, abort }
}
export const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms))
export const P = <A>(f: () => Promise<A>) => Effect.promise(f)
export const run = (e: Effect.Effect<any, any, any>) => Effect.runPromise(Effect.scoped(e) as any).then(() => process.exit(0), (x) => { console.error(x); process.exit(1) })
export const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1000 }
export const J = (x: any, n = 300) => { const s = JSON.stringify(x) ?? "undefined"; return s.length > n ? s.slice(0, n) + `…(${s.length})` : s }
