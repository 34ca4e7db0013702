/**
 * The edge in front of the nodes: requests go to one after the other, whatever session they are of.
 *
 * It checks their health once a second. A node that answers 503 gets no new requests while others are healthy. One that
 * misses two checks is dead: its connections are ended, so that whoever waits for it hears so. A request goes to another
 * node only where the first has refused the connection, and so has seen nothing of it.
 */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import * as http from "node:http"
import type * as net from "node:net"

/** A request that went to a node. */
export interface Passage {
  readonly guest: string
  readonly session: string | undefined
  readonly node: string
  readonly from: number
  to: number
}

/** A node was found dead. */
export interface Notice {
  readonly node: string
  readonly at: number
}

export interface Edge {
  readonly url: string
  readonly add: (node: string, address: string) => void
  readonly remove: (node: string) => void
  /** Breaks all connections to a node, which lives on. */
  readonly sever: (node: string) => void
  readonly passages: ReadonlyArray<Passage>
  readonly notices: ReadonlyArray<Notice>
}

/** The header that names the client, whichever session it has. */
export const guestHeader = "x-guest"

/** Milliseconds between two checks. */
const interval = 1_000

/** Milliseconds until a check counts as missed: a node that is busy may take its time. */
const patience = 1_500

/** So many missed checks make a node dead. */
const most = 2

/** An edge without nodes, until the Scope closes. */
export const make: Effect.Effect<Edge, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(Effect.promise(open), ({ close }) => Effect.sync(close)),
  ({ edge }) => edge
)

class Target {
  readonly node: string
  readonly address: string
  /** Closes connections that rest, before the node does and a request meets that. */
  readonly agent = new http.Agent({ keepAlive: true, timeout: 2_000 })
  readonly requests = new Set<http.ClientRequest>()
  missed = 0
  isReady = true

  constructor(node: string, address: string) {
    this.node = node
    this.address = address
  }

  get isDead(): boolean {
    return this.missed >= most
  }

  /** Ends its connections. */
  end() {
    for (const request of this.requests) request.destroy()
    this.agent.destroy()
  }
}

async function open() {
  const targets: Array<Target> = []
  const passages: Array<Passage> = []
  const notices: Array<Notice> = []
  let turn = 0

  /** The nodes in the order in which a request tries them: the next that is ready, the other ready ones, and the others. */
  const candidates = (): ReadonlyArray<Target> => {
    const first = turn++ % Math.max(targets.length, 1)
    const all = [...targets.slice(first), ...targets.slice(0, first)].filter(({ isDead }) => !isDead)
    return [...all.filter(({ isReady }) => isReady), ...all.filter(({ isReady }) => !isReady)]
  }

  const pass = (body: Buffer, incoming: http.IncomingMessage, outgoing: http.ServerResponse) => {
    const { headers, method, url } = incoming
    const refuse = (status: number) => {
      if (outgoing.headersSent) return void outgoing.destroy()
      outgoing.writeHead(status, status === 503 ? { "retry-after": "1" } : {}).end()
    }
    const attempt = ([target, ...others]: ReadonlyArray<Target>) => {
      if (target === undefined) return refuse(503)
      const { agent, address, node } = target
      const request = http.request(address + url, { agent, method, headers })
      target.requests.add(request)
      const passage = recorded(headers, node)
      if (passage !== undefined) passages.push(passage)
      request.on("response", (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
        // A stream that breaks must not look as if it were complete.
        response.on("error", () => outgoing.destroy())
      })
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED" && !outgoing.destroyed) attempt(others)
        else refuse(502)
      })
      request.on("close", () => {
        target.requests.delete(request)
        if (passage !== undefined) passage.to = Date.now()
      })
      outgoing.once("close", () => request.destroy())
      request.end(body)
    }
    attempt(candidates())
  }

  const server = http.createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk) => chunks.push(chunk))
    incoming.on("end", () => pass(Buffer.concat(chunks), incoming, outgoing))
  })

  const check = (target: Target) => {
    const miss = () => {
      target.missed++
      if (target.missed !== most) return
      notices.push({ node: target.node, at: Date.now() })
      target.end()
    }
    const request = http.get(`${target.address}/health`, { agent: false }, (response) => {
      response.resume()
      target.missed = 0
      target.isReady = response.statusCode === 200
    })
    const late = setTimeout(() => request.destroy(new Error("the check took too long")), patience)
    request.on("error", miss)
    request.on("close", () => clearTimeout(late))
  }
  const checking = setInterval(() => targets.forEach(check), interval)

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // A server that listens at a port has an address with a port.
  const { port } = server.address() as net.AddressInfo

  const edge: Edge = {
    url: `http://127.0.0.1:${port}/mcp`,
    add: (node, address) => void targets.push(new Target(node, address)),
    remove: (node) => {
      const at = targets.findIndex((target) => target.node === node)
      for (const target of targets.splice(at, at < 0 ? 0 : 1)) target.end()
    },
    sever: (node) => targets.find((target) => target.node === node)?.end(),
    passages,
    notices
  }
  const close = () => {
    clearInterval(checking)
    for (const target of targets) target.end()
    server.close()
    server.closeAllConnections()
  }
  return { edge, close }
}

/** A request to write down: one of a client, but not the stream that it always has open. */
const recorded = (headers: http.IncomingHttpHeaders, node: string): Passage | undefined => {
  const guest = headers[guestHeader]
  const place = headers["last-event-id"]
  const isStanding = headers["content-type"] === undefined &&
    (place === undefined || String(place).startsWith("general-"))
  const session = headers["mcp-session-id"]
  return typeof guest !== "string" || isStanding
    ? undefined
    : { guest, session: session === undefined ? undefined : String(session), node, from: Date.now(), to: Infinity }
}
