/**
 * HAProxy as the edge, with a configuration that binds a port of this machine and names its servers by ports of this machine.
 *
 * Behind each of these ports is a place for a node. A place passes on what HAProxy sends to it, and writes it down. Like the
 * port of a node, it refuses connections where no node is, or the process of its node has ended.
 */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import type * as http from "node:http"
import { createInterface } from "node:readline"
import type { Edge, Notice } from "./Edge.ts"
import { listen, type Passage, server as serverOf, Way } from "./Passages.ts"
import * as Program from "./Program.ts"

/** HAProxy with the configuration of a file in front of no nodes, until the Scope closes. */
export const make = (file: string): Effect.Effect<Edge, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { checks, front, servers } = read(fs.readFileSync(file, "utf8"))
    const passages: Array<Passage> = []
    const notices: Array<Notice> = []
    const places = new Map([...servers].map(([server, port]) => [server, new Place(port)]))
    yield* Effect.addFinalizer(() => Effect.sync(() => places.forEach((place) => place.leave())))
    yield* run(file, checks, (server) => {
      const node = places.get(server)?.node
      if (node !== undefined) notices.push({ node, at: Date.now() })
    })
    const placeOf = (node: string | undefined) => [...places.values()].find((place) => place.node === node)
    return {
      url: `http://127.0.0.1:${front}/mcp`,
      add: ({ address, ended, name }) =>
        Effect.promise(async () => {
          const free = placeOf(undefined)
          if (free === undefined) throw new Error(`no server of ${file} is free for ${name}`)
          await free.take(new Way(name, address, passages), ended)
        }),
      remove: (node) => placeOf(node)?.leave(),
      sever: (node) => placeOf(node)?.sever(),
      passages,
      notices
    }
  })

/** The port that a configuration binds, the ports of its servers by their names, and how many servers its backends check. */
const read = (configuration: string) => {
  const [front, ...others] = [...configuration.matchAll(/^ *bind 127\.0\.0\.1:(\d+)$/gm)].map(([, port]) =>
    Number(port)
  )
  const checked = [...configuration.matchAll(/^ *server (\S+) 127\.0\.0\.1:(\d+)/gm)]
  if (front === undefined || others.length > 0 || checked.length === 0) {
    throw new Error("the configuration of HAProxy must bind one port of 127.0.0.1, and have servers at 127.0.0.1")
  }
  return { front, checks: checked.length, servers: new Map(checked.map(([, name = "", port]) => [name, Number(port)])) }
}

/** The checks of a backend have found a server dead. */
const death = /Server \S+\/(\S+) is DOWN/

/**
 * Runs HAProxy until the Scope closes. It begins with servers that are alive, so this waits until all of its checks have
 * found out that nobody is there yet. Then it tells which servers HAProxy finds dead: once for each backend, whose
 * connections HAProxy ends.
 */
const run = (
  file: string,
  checks: number,
  died: (server: string) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const haproxy = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn("haproxy", ["-db", "-f", file], { env: Program.env, stdio: ["ignore", "ignore", "pipe"] })
      ),
      (haproxy) => Effect.sync(() => haproxy.kill("SIGKILL"))
    )
    const said: Array<string> = []
    yield* Effect.callback<void>((resume) => {
      let left = checks
      createInterface(haproxy.stderr).on("line", (line) => {
        said.push(line)
        const server = death.exec(line)?.[1]
        if (server === undefined) return
        if (left === 0) died(server)
        else if (--left === 0) resume(Effect.void)
      })
      haproxy.on("error", (error) => resume(Effect.die(error)))
      haproxy.on("close", () => resume(Effect.die(new Error(`HAProxy has ended: ${said.join("\n")}`))))
    })
  })

/** A port of a server of HAProxy, and the node that is behind it. */
class Place {
  readonly #port: number
  #server: http.Server | undefined
  #way: Way | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** The name of its node, also where its process has ended. */
  get node(): string | undefined {
    return this.#way?.node
  }

  /** Gives the place to a node. */
  async take(way: Way, ended: Promise<unknown>) {
    this.#way = way
    const server = serverOf((exchange) => way.send(exchange, () => exchange.outgoing.destroy()))
    this.#server = server
    ended.then(() => this.#server === server && this.#close())
    await listen(server, this.#port)
  }

  leave() {
    this.#close()
    this.#way = undefined
  }

  sever() {
    this.#way?.end()
  }

  #close() {
    this.#way?.end()
    this.#server?.close()
    this.#server?.closeAllConnections()
  }
}
