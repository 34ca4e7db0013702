import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Retry } from "@parley/middleware"
import { Reconnecting } from "@parley/peer"
import type { Transport } from "@parley/transport/Transport"
import { Effect, Logger, Schedule, Scope, Stream } from "effect"
import { breaks, patience, quick, titles } from "./support/breaks.ts"

type Means = Parameters<Laws.Reconnected["make"]>[0]
type Service = Effect.Success<ReturnType<Laws.Reconnected["make"]>>

const make = ({ onConnect, open }: Means): Effect.Effect<Service, never, Scope.Scope> =>
  Effect.provide(
    Reconnecting.make({ open, onConnect, schedule: Schedule.spaced("1 millis"), limits: { drain: 0 } }),
    Logger.layer([])
  )

/** Ids that go on from one connection to the next. */
const counting = (open: Means["open"]): Means["open"] => {
  let last = 0
  return Effect.map(open, (inner): Transport => {
    const before = last
    const moved = (text: string, by: number) =>
      text.replace(/"id":(\d+)/, (_, id) => {
        last = Math.max(last, Number(id) + by)
        return `"id":${Number(id) + by}`
      })
    return {
      ...inner,
      receive: Effect.map(inner.receive, ([first, ...more]) => [
        moved(String(first), -before),
        ...more.map((text) => moved(String(text), -before))
      ]),
      send: ([first, ...more]) => inner.send([moved(first, before), ...more.map((text) => moved(text, before))])
    }
  })
}

/** Flaw, the law that finds it, and what is like that. */
const flaws: ReadonlyArray<readonly [flaw: string, title: string, make: Laws.Reconnected["make"]]> = [
  [
    "goes on counting its ids",
    "ids start at 1 on every connection, and a late response settles nothing",
    (means) => make({ ...means, open: counting(means.open) })
  ],
  [
    "begins before it is ready",
    "what comes first on each connection precedes every call",
    (means) => make({ ...means, onConnect: () => Effect.void })
  ],
  [
    "lets the young go first",
    "calls that wait for a connection go out in their order, and once",
    (means) =>
      Effect.map(make(means), (caller) => ({
        ...caller,
        request: (method, params, options) =>
          method === "a"
            ? Effect.andThen(Effect.yieldNow, caller.request(method, params, options))
            : caller.request(method, params, options)
      }))
  ],
  [
    "calls again by itself",
    "calls that wait for a connection go out in their order, and once",
    (means) => Effect.map(make(means), (caller) => ({ ...caller, request: sentAgain(caller) }))
  ],
  [
    "keeps what it has opened",
    "a connection is released before the next one is opened",
    (means) => Effect.flatMap(Effect.scope, (scope) => make({ ...means, open: Scope.provide(means.open, scope) }))
  ],
  [
    "does not say that it waits",
    "its states follow each other as they must",
    (means) =>
      Effect.map(make(means), (caller) => ({
        ...caller,
        changes: Stream.filter(caller.changes, ({ _tag }) => _tag !== "Waiting")
      }))
  ],
  [
    "calls again by itself",
    "under any schedule of connections and cuts every call ends once, was sent once, and has its own answer or none",
    (means) => Effect.map(make(means), (caller) => ({ ...caller, request: sentAgain(caller) }))
  ],
  [
    "does not end with its Scope",
    "closing ends every call, with and without a connection",
    (means) =>
      Effect.map(make(means), (caller) => ({
        ...caller,
        request: (...call) =>
          Effect.catchTag(caller.request(...call), "Disconnected", (error) =>
            error.reason._tag === "Closed" ? Effect.never : Effect.fail(error))
      }))
  ]
]

const sentAgain = (caller: Service): Service["request"] => {
  const retrying = Retry.caller({ schedule: Schedule.recurs(5) })(caller)
  return (method, params, options) => retrying.request(method, params, { ...options, idempotent: true })
}

describe("the laws of reconnecting callers", () => {
  const laws = Laws.ofReconnecting({ name: "Reconnecting", make })
  for (const law of laws) it.live(`hold for ours: ${law.name}`, () => law.check)

  for (const [flaw, title, make] of flaws) {
    it.live(`find one that ${flaw}: ${title}`, () =>
      breaks(Laws.ofReconnecting({ name: flaw, make, patience }, quick), title))
  }

  it("can all fail", () => {
    assert.sameMembers([...new Set(flaws.map(([, title]) => title))], [...titles(laws)])
  })
})
