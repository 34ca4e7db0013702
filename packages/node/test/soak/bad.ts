/** Those who do what they should not, each over connections of its own, until the Scope closes. */
import { NodeWS } from "@effect/platform-node"
import { Limits } from "@parley/protocol"
import { Effect, type Scope } from "effect"
import * as tls from "node:tls"
import { portOf } from "../support/pairs.ts"
import { dial, pour, said } from "./dial.ts"
import * as Ledger from "./Ledger.ts"
import { type Addresses, lines } from "./Served.ts"

/** Where the bad ones are let loose. */
export interface Ground {
  readonly addresses: Addresses
  readonly ledger: Ledger.Ledger
  /** What became of them, and of how many. */
  readonly tally: Map<string, number>
}

/** Runs to its end; what it has begun beside that goes on until the Scope closes. */
type Bad = (ground: Ground) => Effect.Effect<void, Error, Scope.Scope>

const MiB = 1024 * 1024

const add = ({ tally }: Ground, what: string, count = 1) => {
  tally.set(what, (tally.get(what) ?? 0) + count)
}

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }), () => effect, { concurrency: "unbounded", discard: true })

const message = (method: string, params: unknown, id?: number) =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params })

const large = message("echo", ["x".repeat(64 * 1024)], 1)
const trespass = message("trespass", [])

const postOf = (text: string) =>
  `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`

/** Writes a few bytes now and then, for ever. */
const trickle = (address: string, opening: string | Uint8Array, drop: string) =>
  Effect.gen(function*() {
    const socket = yield* dial(address)
    socket.write(opening)
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(
      Effect.sleep(200),
      Effect.sync(() => socket.writable && socket.write(drop))
    )))
  })

/** A text message of WebSocket of a thousand bytes, masked with zeros: its beginning. */
const frameHead = Uint8Array.of(0x81, 0xfe, 1_000 >> 8, 1_000 & 0xff, 0, 0, 0, 0, 0x7b)

const upgrade =
  "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"

/** The status line that an address answers to these bytes. */
const statusOf = (address: string, bytes: string | Uint8Array) =>
  Effect.scoped(Effect.gen(function*() {
    const socket = yield* dial(address)
    const answer = said(socket)
    socket.write(bytes)
    return (yield* answer).split("\r\n")[0]
  }))

/** As many bytes of nothing in particular; no zero, which a line could begin with. */
const noise = Uint8Array.from({ length: 64 * 1024 }, (_, index) => (Math.imul(index, 2_654_435_761) >>> 13) & 0xff)

const isEnded = (address: string, bytes: string | Uint8Array) =>
  Effect.scoped(Effect.flatMap(dial(address), (socket) => {
    const answer = said(socket)
    socket.write(bytes)
    return answer
  }))

/** They stay, and are not finished. */
const staying: Readonly<Record<string, Bad>> = {
  "half open, with their answer": (ground) =>
    times(
      20,
      Effect.gen(function*() {
        const { addresses, ledger } = ground
        const socket = yield* dial(addresses.tcp)
        socket.end(`${message("sum", [1, 2], 1)}\n`)
        Ledger.expect(ledger, "a half-open connection", JSON.parse(yield* said(socket)).result, 3)
        add(ground, "half-open connections answered")
      })
    ),
  "connected, and silent": (ground) =>
    Effect.forEach(Object.values(ground.addresses), (address) => times(5, dial(address)), { discard: true }),
  "a TCP client that never reads": ({ addresses }) =>
    Effect.gen(function*() {
      const socket = yield* dial(addresses.tcp)
      yield* Effect.forkScoped(Effect.promise(() => pour(socket.pause(), `${large}\n`)))
    }),
  "an HTTP client that never reads": ({ addresses }) =>
    Effect.gen(function*() {
      const socket = yield* dial(addresses.http)
      yield* Effect.forkScoped(Effect.promise(() => pour(socket.pause(), postOf(large))))
    }),
  "a WebSocket client that never reads": ({ addresses }) =>
    Effect.gen(function*() {
      const bare = yield* Effect.acquireRelease(
        Effect.callback<InstanceType<typeof NodeWS.WebSocket>>((resume) => {
          const bare = new NodeWS.WebSocket(addresses.webSocket, [], { perMessageDeflate: false })
          bare.on("error", () => {}).on("open", () => resume(Effect.succeed(bare)))
        }),
        (bare) => Effect.sync(() => bare.terminate())
      )
      bare.pause()
      const written = Effect.callback<void>((resume) => bare.send(large, () => resume(Effect.void)))
      yield* Effect.forkScoped(Effect.repeat(written, { while: () => bare.readyState === bare.OPEN }))
    }),
  "slow heads": ({ addresses }) => times(24, trickle(addresses.http, "POST / HTTP/1.1\r\nx-slow: ", "x")),
  "slow bodies": ({ addresses }) => times(24, trickle(addresses.http, postOf(large).slice(0, 200), "x")),
  "slow frames over TCP": ({ addresses }) => times(24, trickle(addresses.tcp, "{\"jsonrpc\"", " ")),
  "slow frames over Unix": ({ addresses }) => times(24, trickle(addresses.unix, "Content-Length: 9999\r\n\r\n{", " ")),
  "slow frames over WebSocket": ({ addresses }) =>
    times(
      24,
      Effect.gen(function*() {
        const socket = yield* dial(addresses.webSocket)
        socket.write(`${upgrade}\r\n`)
        yield* Effect.promise(() => new Promise((resolve) => socket.once("data", resolve)))
        socket.write(frameHead)
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(
          Effect.sleep(200),
          Effect.sync(() => socket.writable && socket.write(" "))
        )))
      })
    )
}

/** They come to an end, which is looked at. */
const ending: Readonly<Record<string, Bad>> = {
  "a flood of notifications": (ground) =>
    Effect.gen(function*() {
      const socket = yield* dial(ground.addresses.tcp)
      const notifications = `${message("update", ["x".repeat(1_000)])}\n`.repeat(64)
      const written = yield* Effect.promise(() => pour(socket, notifications, 64 * MiB))
      Ledger.expect(ground.ledger, "a flood of notifications", socket.writable, true)
      add(ground, "MB of notifications from one client", Math.round(written / 1e6))
    }),
  "`fetch` at the TCP port": (ground) =>
    Effect.gen(function*() {
      const url = `http://127.0.0.1:${portOf(ground.addresses.tcp)}/`
      const body = `\n${trespass}\n`
      const refused = yield* Effect.promise(() => fetch(url, { method: "POST", body }).then(() => false, () => true))
      Ledger.expect(ground.ledger, "`fetch` at the TCP port", refused, true)
      const raw = yield* isEnded(
        ground.addresses.tcp,
        `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.org\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      )
      Ledger.expect(ground.ledger, "a browser's POST at the TCP port", raw, "")
      add(ground, "foreign protocols closed", 2)
    }),
  "TLS at the TCP port": (ground) =>
    Effect.gen(function*() {
      const refused = yield* Effect.callback<boolean>((resume) => {
        const socket = tls.connect({ host: "127.0.0.1", port: portOf(ground.addresses.tcp), rejectUnauthorized: false })
        socket.on("error", () => resume(Effect.succeed(true))).on("secureConnect", () => resume(Effect.succeed(false)))
      })
      Ledger.expect(ground.ledger, "TLS at the TCP port", refused, true)
      add(ground, "foreign protocols closed")
    }),
  "pages from elsewhere": (ground) =>
    Effect.gen(function*() {
      const { addresses, ledger } = ground
      const origin = "origin: https://example.org\r\nconnection: close\r\n"
      const page = yield* statusOf(addresses.webSocket, `${upgrade}${origin}\r\n`)
      Ledger.expect(ledger, "an upgrade from elsewhere", page, "HTTP/1.1 403 Forbidden")
      const post = yield* statusOf(addresses.http, postOf(trespass).replace("\r\n\r\n", `\r\n${origin}\r\n`))
      Ledger.expect(ledger, "a POST from elsewhere", post, "HTTP/1.1 403 Forbidden")
      add(ground, "foreign pages refused", 2)
    }),
  garbage: (ground) =>
    Effect.forEach(
      Object.values(ground.addresses),
      (address) => Effect.map(times(5, isEnded(address, noise)), () => add(ground, "garbage closed", 5)),
      { concurrency: "unbounded", discard: true }
    )
}

const begin = (bads: Readonly<Record<string, Bad>>, ground: Ground) =>
  Effect.forEach(
    Object.entries(bads),
    ([name, bad]) => Effect.mapError(bad(ground), (cause) => new Error(name, { cause })),
    { concurrency: "unbounded", discard: true }
  )

/** All of them at once, until the Scope closes. Waits for those that come to an end. */
export const unleash = (ground: Ground): Effect.Effect<void, Error, Scope.Scope> =>
  Effect.andThen(begin(staying, ground), begin(ending, ground))

/** A line of a gigabyte, from a process that does nothing else: it has to end within `Limits.partialFrame`. */
export const gigabyte: Bad = (ground) =>
  Effect.gen(function*() {
    const [answer = "", sum = "", written] = yield* lines("longLine.ts", portOf(ground.addresses.tcp))
    Ledger.expect(ground.ledger, "a line beyond its limit", JSON.parse(answer).error?.code, -32001)
    Ledger.expect(ground.ledger, "the connection of such a line", JSON.parse(sum).result, 3)
    // Far more than a frame, and than all connections may hold together.
    Ledger.expect(ground.ledger, "the length of such a line", Number(written) > Limits.defaults.budget, true)
    add(ground, "MB without a newline, skipped", Math.round(Number(written) / 1e6))
  })
