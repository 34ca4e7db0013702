/**
 * An edge of this program.
 *
 * It asks the nodes once a second whether they are ready. A node that answers 503 gets no new requests while others are
 * ready. One that misses two checks is dead: its connections are ended, so that whoever waits for it hears so. A request goes
 * to another node only where the first has refused the connection, and so has seen nothing of it.
 */
import { Effect, type Scope } from "effect"
import * as http from "node:http"
import { type Edge, type Notice, readyPath } from "./Edge.ts"
import { type Exchange, listen, type Passage, server as serverOf, Way } from "./Passages.ts"

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
  readonly way: Way
  missed = 0
  isReady = true

  constructor(way: Way) {
    this.way = way
  }

  get isDead(): boolean {
    return this.missed >= most
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

  const attempt = (exchange: Exchange, [target, ...others]: ReadonlyArray<Target>) => {
    const { outgoing } = exchange
    const refuse = (status: number) => {
      if (outgoing.headersSent) return void outgoing.destroy()
      outgoing.writeHead(status, status === 503 ? { "retry-after": "1" } : {}).end()
    }
    if (target === undefined) return refuse(503)
    target.way.send(exchange, ({ code }) => {
      if (code === "ECONNREFUSED" && !outgoing.destroyed) attempt(exchange, others)
      else refuse(502)
    })
  }

  const server = serverOf((exchange) => attempt(exchange, candidates()))

  const check = (target: Target) => {
    const { address, node } = target.way
    const miss = () => {
      target.missed++
      if (target.missed !== most) return
      notices.push({ node, at: Date.now() })
      target.way.end()
    }
    const request = http.get(address + readyPath, { agent: false }, (response) => {
      response.resume()
      target.missed = 0
      target.isReady = response.statusCode === 200
    })
    const late = setTimeout(() => request.destroy(new Error("the check took too long")), patience)
    request.on("error", miss)
    request.on("close", () => clearTimeout(late))
  }
  const checking = setInterval(() => targets.forEach(check), interval)

  const edge: Edge = {
    url: `http://127.0.0.1:${await listen(server)}/mcp`,
    add: ({ address, name }) => Effect.sync(() => void targets.push(new Target(new Way(name, address, passages)))),
    remove: (node) => {
      const at = targets.findIndex(({ way }) => way.node === node)
      for (const { way } of targets.splice(at, at < 0 ? 0 : 1)) way.end()
    },
    sever: (node) => targets.find(({ way }) => way.node === node)?.way.end(),
    passages,
    notices
  }
  const close = () => {
    clearInterval(checking)
    for (const { way } of targets) way.end()
    server.close()
    server.closeAllConnections()
  }
  return { edge, close }
}
