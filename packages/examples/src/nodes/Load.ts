/**
 * The clients of a trial, and what they call. Each is the client of this project with a session of its own. In an open loop
 * calls begin when they are due, whether or not those before them were answered.
 */
import { McpClient, McpClientError, McpHttpClient } from "@parley/mcp"
import { NodeHttp } from "@parley/node"
import { Clock, Effect, FiberSet, Random, Schedule, type Scope } from "effect"
import { guestHeader } from "./cluster/Passages.ts"
import * as Tools from "./cluster/Tools.ts"

/** A client, by its number. */
export interface Guest {
  readonly name: string
  readonly client: McpClient.McpClient
}

/** A call, from its first attempt until its client was told how it has ended. Milliseconds of the clock. */
export interface Call {
  readonly id: number
  readonly guest: string
  readonly tool: Tools.Name
  readonly from: number
  readonly to: number
  /** Why it has failed; `undefined` where it was answered. */
  readonly error: string | undefined
  /** The progress that its client has heard of. */
  readonly progress: ReadonlyArray<number>
}

/** Milliseconds after which a client gives up: no call may take that long. */
const patience = 30_000

/** So many clients with a session each, until the Scope closes. */
export const visit = Effect.fnUntraced(function*(
  url: string,
  count: number
): Effect.fn.Return<ReadonlyArray<Guest>, never, Scope.Scope> {
  // Each guest has a stream that stays open, and calls beside it.
  const fetcher = yield* Effect.orDie(NodeHttp.makeFetcher({ connections: count * 8 }))
  const elicit = ({ message }: { readonly message: string }) =>
    Effect.succeed({ action: "accept" as const, content: { number: Number(message) } })
  return yield* Effect.forEach(
    Array.from({ length: count }, (_, number) => `guest-${number}`),
    (name) =>
      Effect.map(
        // An engine that has just started takes no claims for a lease.
        Effect.orDie(Effect.retry(
          McpHttpClient.make(fetcher, {
            name,
            version: "1.0.0",
            url,
            protocolVersion: "2025-11-25",
            headers: { [guestHeader]: name },
            timeout: patience,
            handlers: { elicit }
          }),
          { schedule: Schedule.spaced("500 millis"), times: 20 }
        )),
        (client): Guest => ({ name, client })
      ),
    { concurrency: 16 }
  )
})

/** One call in ten asks, one reports progress, and two may be repeated. */
const tools: ReadonlyArray<Tools.Name> = [
  "ask",
  "count",
  ...Array.from({ length: 2 }, () => "repeat" as const),
  ...Array.from({ length: 6 }, () => "tell" as const)
]

let last = 0

/** Has a guest make a call. Never fails: the call says how it has ended. */
const call = Effect.fnUntraced(function*({ client, name }: Guest, tool: Tools.Name): Effect.fn.Return<Call> {
  const id = ++last
  const from = yield* Clock.currentTimeMillis
  const progress: Array<number> = []
  const attempt = client.callTool(tool, { call: id }, { onProgress: ({ progress: step }) => progress.push(step) })
  const error = yield* Effect.match(
    Tools.isIdempotent(tool) ? Effect.retry(attempt, again) : attempt,
    { onFailure: nameOf, onSuccess: () => undefined }
  )
  return { id, guest: name, tool, from, to: yield* Clock.currentTimeMillis, error, progress }
})

/** A call that may run twice is made again where it has failed. */
const again = { schedule: Schedule.spaced("500 millis"), times: 8 }

const nameOf = (error: McpClientError.McpToolError): string => {
  switch (error._tag) {
    case "ProtocolError":
      return `${error._tag} ${error.code}`
    case "HttpStatusError":
      return `${error._tag} ${error.status}`
    default:
      return error._tag
  }
}

/** How many calls a second are answered where `callers` make one after the other, for so many seconds. */
export const saturate = Effect.fnUntraced(function*(
  guests: ReadonlyArray<Guest>,
  callers: number,
  seconds: number
): Effect.fn.Return<number> {
  let answered = 0
  const caller = Effect.forever(Effect.andThen(any(guests), Effect.sync(() => answered++)))
  yield* Effect.all(Array.from({ length: callers }, () => caller), { concurrency: "unbounded", discard: true }).pipe(
    Effect.timeoutOption(`${seconds} seconds`)
  )
  return answered / seconds
})

const any = (guests: ReadonlyArray<Guest>): Effect.Effect<Call> =>
  Effect.flatMap(
    Effect.orDie(Effect.zip(Random.choice(guests), Random.choice(tools))),
    ([guest, tool]) => call(guest, tool)
  )

/** Calls of guests in an open loop, so many a second, until an effect ends; when they have ended, gives all of them. */
export const during = (
  guests: ReadonlyArray<Guest>,
  rate: number,
  until: Effect.Effect<void>
): Effect.Effect<ReadonlyArray<Call>> =>
  Effect.scoped(Effect.gen(function*() {
    const calls: Array<Call> = []
    const running = yield* FiberSet.make()
    const loop = Effect.gen(function*() {
      let due = yield* Clock.currentTimeMillis
      for (;;) {
        // The time between two calls of many clients that know nothing of each other.
        due += -Math.log(1 - (yield* Random.next)) * 1_000 / rate
        const wait = due - (yield* Clock.currentTimeMillis)
        if (wait > 0) yield* Effect.sleep(wait)
        yield* FiberSet.run(running, Effect.map(any(guests), (call) => calls.push(call)))
      }
    })
    yield* Effect.raceFirst(loop, until)
    yield* FiberSet.awaitEmpty(running)
    return calls
  }))

/** How many guests still have a session that is answered. */
export const answered = (guests: ReadonlyArray<Guest>): Effect.Effect<number> =>
  Effect.map(
    Effect.forEach(guests, ({ client }) => Effect.isSuccess(client.ping), { concurrency: 16 }),
    (pings) => pings.filter((isAnswered) => isAnswered).length
  )
