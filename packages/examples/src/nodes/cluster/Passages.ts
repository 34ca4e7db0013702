/** The way of requests from an edge to a node, and the record of those that went there. */
import { once } from "node:events"
import * as http from "node:http"
import type * as net from "node:net"
import { buffer } from "node:stream/consumers"

/** A request that went to a node. */
export interface Passage {
  readonly guest: string
  readonly session: string | undefined
  readonly node: string
  readonly from: number
  to: number
}

/** The header that names the client, whichever session it has. */
export const guestHeader = "x-guest"

/** A request with its whole body, and its response. */
export interface Exchange {
  readonly incoming: http.IncomingMessage
  readonly body: Buffer
  readonly outgoing: http.ServerResponse
}

/** A server of HTTP without a port. It gives each request away when its body is there. */
export const server = (take: (exchange: Exchange) => void): http.Server =>
  http.createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (incoming, outgoing) => {
    // A request that breaks off has nobody who waits for its answer.
    buffer(incoming).then((body) => take({ incoming, body, outgoing }), () => outgoing.destroy())
  })

/** Has a server listen on this machine, by default at a port that is free, and gives the port. */
export const listen = async (server: http.Server, at = 0): Promise<number> => {
  server.listen(at, "127.0.0.1")
  await once(server, "listening")
  // A server that listens at a port has an address with a port.
  return (server.address() as net.AddressInfo).port
}

/** The way to one node. */
export class Way {
  readonly node: string
  readonly address: string
  /** Closes connections that rest, before the node does and a request meets that. */
  readonly #agent = new http.Agent({ keepAlive: true, timeout: 2_000 })
  readonly #requests = new Set<http.ClientRequest>()
  readonly #passages: Array<Passage>

  constructor(node: string, address: string, passages: Array<Passage>) {
    this.node = node
    this.address = address
    this.#passages = passages
  }

  /** Sends a request to the node, and its response to the client. It says where the node has not answered. */
  send({ body, incoming, outgoing }: Exchange, failed: (error: NodeJS.ErrnoException) => void) {
    const { headers, method, url } = incoming
    const request = http.request(this.address + url, { agent: this.#agent, method, headers })
    this.#requests.add(request)
    const passage = recorded(headers, this.node)
    if (passage !== undefined) this.#passages.push(passage)
    request.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      outgoing.flushHeaders()
      response.pipe(outgoing)
      // A stream that breaks must not look as if it were complete.
      response.on("error", () => outgoing.destroy())
    })
    request.on("error", failed)
    request.on("close", () => {
      this.#requests.delete(request)
      if (passage !== undefined) passage.to = Date.now()
    })
    outgoing.once("close", () => request.destroy())
    request.end(body)
  }

  /** Ends its connections. */
  end() {
    for (const request of this.#requests) request.destroy()
    this.#agent.destroy()
  }
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
