/** Honest clients over four wires, whose calls are all accounted for; and who breaks their connections. */
import * as Specimen from "@parley/conformance/Specimen"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Caller, Peer, Reconnecting, Router } from "@parley/peer"
import type { Transport } from "@parley/transport"
import { Effect, Fiber, Result, Schedule, type Scope } from "effect"
import type { Sockets } from "./dial.ts"
import * as Ledger from "./Ledger.ts"
import type { Addresses } from "./Served.ts"
import { transports } from "./transports.ts"

type Client = Caller.Caller

export type Wire = keyof Addresses

/** A client that can be called back, where the wire allows it. One of HTTP keeps two connections. */
export const connect = (
  wire: Wire,
  addresses: Addresses,
  router: Router.Router
): Effect.Effect<Client, Transport.TransportError, Scope.Scope> =>
  wire === "http"
    ? NodeHttp.makeCaller({ url: addresses.http, limits: { connections: 2 }, timeout })
    : Effect.flatMap(transports(addresses)[wire], (side) => Peer.make(side, { router, timeout }))

/** How long a machine that is busy with other things may take for a call. */
const timeout = "5 minutes"

const forkOptions = { startImmediately: true }

/** Numbers below 1, the same for the same seed. */
export const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Visit {
  readonly ledger: Ledger.Ledger
  readonly client: Client
  readonly wire: Wire
  /** Different each time, so that a wrong answer shows. */
  readonly number: number
}

type Step = (visit: Visit) => Effect.Effect<void, Caller.CallError>

const expecting = (
  { client, ledger }: Visit,
  method: string,
  params: Parameters<Client["request"]>[1],
  expected: unknown,
  options?: Parameters<Client["request"]>[2]
) =>
  Effect.map(
    Ledger.entered(ledger, client.request(method, params, options)),
    (result) => Ledger.expect(ledger, method, result, expected)
  )

const large = "x".repeat(64 * 1024)

/** It must fail, and so; that the connection was lost is for others to judge. */
const failing = ({ client, ledger }: Visit, method: string, params: [], expected: object, timeout?: number) =>
  Effect.matchEffect(
    Ledger.entered(ledger, client.request(method, params, timeout === undefined ? {} : { timeout })),
    {
      onSuccess: (result) => Effect.sync(() => Ledger.expect(ledger, method, result, expected)),
      onFailure: (error) => {
        if (error._tag === "Disconnected") return Effect.fail(error)
        const { _tag } = error
        const code = error._tag === "RemoteError" ? { code: error.code } : {}
        return Effect.sync(() => Ledger.expect(ledger, method, { _tag, ...code }, expected))
      }
    }
  )

const sum: Step = (visit) => expecting(visit, "sum", [visit.number, 1], visit.number + 1)

const steps: ReadonlyArray<readonly [weight: number, step: Step]> = [
  [30, sum],
  [20, (visit) => expecting(visit, "echo", { number: visit.number, text: "é" }, { number: visit.number, text: "é" })],
  [1, (visit) => expecting(visit, "echo", [visit.number, large], [visit.number, large])],
  [10, (visit) => expecting(visit, "subtract", { minuend: visit.number, subtrahend: 1 }, visit.number - 1)],
  [5, (visit) => failing(visit, "fail", [], { _tag: "RemoteError", code: 1234 })],
  [5, (visit) => failing(visit, "nobody_knows", [], { _tag: "RemoteError", code: -32601 })],
  [10, ({ client, ledger, number }) => {
    ledger.notifications++
    return client.notify("update", [number])
  }],
  [5, ({ client, ledger, number }) =>
    Effect.gen(function*() {
      ledger.notifications++
      const members = [
        { method: "sum", params: [number, 1] },
        { method: "update", params: [number], notification: true },
        { method: "fail" },
        { method: "echo", params: [number] }
      ]
      const results = yield* Ledger.entered(ledger, client.batch(members))
      for (const result of results) {
        if (result !== undefined && Result.isFailure(result) && result.failure._tag === "Disconnected") {
          return yield* Effect.fail(result.failure)
        }
      }
      const values = results.map((result) =>
        result === undefined ? "none" : Result.isSuccess(result) ? result.success : result.failure._tag
      )
      Ledger.expect(ledger, "a batch", values, [number + 1, "none", "RemoteError", [number]])
    })],
  [5, (visit) =>
    visit.wire === "http"
      ? sum(visit)
      : expecting(visit, "callback", { method: "echo", params: [visit.number] }, [visit.number])],
  [5, (visit) =>
    Effect.gen(function*() {
      const { client, ledger } = visit
      const call = yield* Effect.forkChild(Ledger.entered(ledger, client.request("hang")), forkOptions)
      // By then the other one has been sent.
      yield* Effect.ensuring(sum(visit), Fiber.interrupt(call))
    })],
  [2, (visit) => failing(visit, "hang", [], { _tag: "RequestTimeout" }, 20)],
  [2, (visit) =>
    Effect.gen(function*() {
      const heard: Array<unknown> = []
      const onProgress = (params: unknown) => void heard.push(Object(params).step)
      yield* expecting(visit, "progress", {}, "done", { onProgress })
      Ledger.expect(visit.ledger, "progress", heard, [1, 2, 3])
    })]
]

const weights = steps.reduce((sum, [weight]) => sum + weight, 0)

const stepOf = (random: number): Step => {
  let left = random * weights
  for (const [weight, step] of steps) {
    left -= weight
    if (left < 0) return step
  }
  return sum
}

/** What one client is told. */
export interface Plan {
  readonly addresses: Addresses
  readonly ledger: Ledger.Ledger
  readonly router: Router.Router
  readonly random: () => number
  readonly isOver: () => boolean
  /** Milliseconds that it rests between two steps: up to twice as many. */
  readonly rest: () => number
  /** Runs when its first connection has answered. */
  readonly onReady: Effect.Effect<void>
}

/** One step after the other until it is over, over a new connection whenever one is lost. */
export const honest = (wire: Wire, plan: Plan): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { addresses, isOver, ledger, onReady, random, rest, router } = plan
    let number = 0
    let ready = false
    const visit = Effect.scoped(Effect.gen(function*() {
      const client = yield* connect(wire, addresses, router)
      ledger.opened++
      const next = (): Visit => ({ ledger, client, wire, number: ++number })
      yield* sum(next())
      if (!ready) {
        ready = true
        yield* onReady
      }
      while (!isOver()) {
        yield* stepOf(random())(next())
        if (rest() > 0) yield* Effect.sleep(2 * rest() * random())
      }
    }))
    do {
      yield* Effect.catch(visit, (error) =>
        Effect.sync(() => {
          ledger.lost++
          if (error._tag !== "Disconnected" && error._tag !== "TransportError") ledger.wrong.push(String(error))
        }))
    } while (!isOver())
  })

/** A client that connects again and again. */
export const returning = (
  wire: Exclude<Wire, "http">,
  addresses: Addresses,
  router: Router.Router
): Effect.Effect<Reconnecting.Reconnecting, never, Scope.Scope> =>
  Reconnecting.make({ open: transports(addresses)[wire], router, schedule: Schedule.spaced("50 millis") })

/** The clients' side of callbacks. */
export const answering = Effect.tap(Router.make(), (router) => router.add("echo", Specimen.echo))

/** The beginning of a frame, for any wire. */
const beginnings = [
  "{\"jsonrpc\":\"2.0\",\"id\":",
  "Content-Length: 100\r\n\r\n{\"jsonrpc\"",
  Uint8Array.of(0x81, 0xfe, 0x10)
]

/** Breaks one connection after the other, within a frame: some end in order, some are reset. Counts them. */
export const breaking = (sockets: Sockets, random: () => number, broken: { count: number }): Effect.Effect<never> =>
  Effect.forever(Effect.gen(function*() {
    yield* Effect.sleep(30)
    const socket = sockets.pick(random())
    if (socket === undefined) return
    broken.count++
    socket.write(beginnings[Math.floor(random() * beginnings.length)] ?? "", () => {
      // Unix sockets have no reset, and no address either.
      if (random() < 0.5 && socket.remoteAddress !== undefined) socket.resetAndDestroy()
      else socket.destroy()
    })
  }))
