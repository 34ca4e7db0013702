/** Callers that go at any moment: every call ends, and nothing is left of them. */
import { assert } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, References, Schedule } from "effect"
import { setTimeout } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import * as Ledger from "./Ledger.ts"
import * as posting from "./posting.ts"
import * as Served from "./Served.ts"

/** Milliseconds after which a session that nobody uses is over. */
const idle = 500

interface Ground {
  readonly url: string
  readonly ledger: Ledger.Ledger
  readonly isOver: () => boolean
  /** Below so much. */
  readonly random: (below: number) => number
  /** Sessions that were begun by hand. */
  readonly sessions: Array<string>
}

/** The same numbers at each run. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

const toolOf = ({ random }: Ground): readonly [name: string, args: Readonly<Record<string, string | number>>] => {
  switch (random(5)) {
    case 0:
      return ["rest", { ms: random(200) }]
    case 1:
      return ["steps", { ms: random(50) }]
    case 2:
      return ["ask", {}]
    default:
      return ["echo", { text: "hello" }]
  }
}

/** Uses our client: gives calls up, leaves in order, and comes back. */
const ours = (ground: Ground, revision: Revision) => {
  const { isOver, ledger, random, url } = ground
  const once = Effect.scoped(Effect.gen(function*() {
    const fetcher = yield* NodeHttp.makeFetcher()
    const client = yield* McpHttpClient.make(fetcher, {
      name: "ours",
      version: "1",
      protocolVersion: revision,
      url,
      handlers: { elicit: () => Effect.succeed({ action: "accept", content: { name: "Ada" } }) }
    })
    for (let calls = 1 + random(20); calls > 0 && !isOver(); calls--) {
      const [name, args] = toolOf(ground)
      const call = Ledger.entered(ledger, client.callTool(name, args))
      const patience = random(3) === 0 ? random(60) : 60_000
      yield* Effect.ignore(Effect.timeoutOption(call, patience))
    }
  }))
  const connecting = Effect.catch(once, (error) =>
    Effect.sync(() => {
      // On a busy machine a session may be over before its handshake is.
      if (error._tag !== "SessionExpired") ledger.wrong.push(`connecting: ${error._tag}`)
    }))
  return Effect.repeat(connecting, { until: isOver })
}

/** Speaks by hand: cuts its connections, answers nothing that it is asked, and leaves without a word, or ends sessions at work. */
const byHand = ({ isOver, ledger, random, sessions, url, ...rest }: Ground) =>
  Effect.promise(async () => {
    const ground = { isOver, ledger, random, sessions, url, ...rest }
    const client = posting.make(url, Infinity)
    const settle = async (exchange: posting.Exchange, isCut: boolean) => {
      ledger.begun++
      const answer = await exchange.answer
      if (answer === undefined) return Ledger.enter(ledger, isCut ? "cut" : "lost")
      Ledger.enter(ledger, answer.status === 200 ? "result" : String(answer.status))
    }
    while (!isOver()) {
      const session = await client.begin()
      if (session === undefined) {
        ledger.wrong.push("no session")
        continue
      }
      sessions.push(session)
      const general = client.get(session)
      const running: Array<Promise<void>> = []
      for (let id = 1; id <= 1 + random(8); id++) {
        const [name, args] = toolOf(ground)
        const exchange = client.post(posting.call(id, name, args), session)
        // Nobody answers what this asks.
        const isCut = name === "ask" || random(2) === 0
        running.push(settle(exchange, isCut))
        if (isCut) running.push(setTimeout(random(100)).then(exchange.cut))
        if (random(3) === 0) await setTimeout(random(50))
      }
      if (random(2) === 0) await client.remove(session).answer
      await Promise.all(running)
      general.cut()
      await general.answer
    }
    client.close()
  })

export const dropping = Effect.fnUntraced(function*(callers: number, seconds: number) {
  const served = yield* Served.start({ tools: 5, idle })
  const fresh = yield* served.stats
  const sessions: Array<string> = []
  const random = randomOf(1)
  const traffic = (ledger: Ledger.Ledger, milliseconds: number) => {
    const end = performance.now() + milliseconds
    const ground: Ground = { url: served.url, ledger, random, sessions, isOver: () => performance.now() > end }
    const kinds = [() => ours(ground, "2025-11-25"), () => ours(ground, "2026-07-28"), () => byHand(ground)]
    const all = Array.from({ length: callers }, (_, index) => kinds[index % kinds.length]!())
    return Effect.all(all, { concurrency: "unbounded", discard: true }).pipe(
      // The server's messages are for nobody here.
      Effect.provideService(References.MinimumLogLevel, "Warn")
    )
  }
  const client = posting.make(served.url, 8)
  yield* Effect.addFinalizer(() => Effect.sync(client.close))
  const statusOf = (session: string) =>
    Effect.promise(async () => (await client.post({ jsonrpc: "2.0", id: 1, method: "ping" }, session).answer)?.status)
  /** The sessions that are still there. To ask for one is to use it: this asks seldom. */
  const remaining = Effect.suspend(() =>
    Effect.filter(sessions, (session) => Effect.map(statusOf(session), (status) => status !== 404), { concurrency: 8 })
  )
  const settled = Effect.gen(function*() {
    const left = yield* Effect.repeat(remaining, {
      until: (left) => left.length === 0,
      times: 5,
      schedule: Schedule.spaced(2 * idle)
    })
    client.close()
    const stats = yield* Effect.repeat(served.stats, {
      until: ({ running, resources }) => running === 0 && isDeepStrictEqual(resources, fresh.resources),
      times: 50,
      schedule: Schedule.spaced(200)
    })
    return { left, stats }
  })

  // Code that is not compiled yet would count as well.
  yield* traffic(Ledger.make(), Math.max(500, seconds * 100))
  const before = (yield* settled).stats
  sessions.length = 0
  const ledger = Ledger.make()
  yield* traffic(ledger, seconds * 1_000)
  const { left, stats } = yield* settled
  console.log(
    `${callers} callers for ${seconds} s: ${ledger.begun} calls in ${sessions.length} sessions by hand and those of our clients, ended by `
      + [...ledger.ends].map(([end, count]) => `${end} ${count}`).join(", ")
      + `; ${Math.round((stats.used - before.used) / 1024)} KiB more in use`
  )
  assert.deepStrictEqual(ledger.wrong, [])
  assert.strictEqual(Ledger.ended(ledger), ledger.begun)
  assert.isAbove(ledger.begun, callers)
  assert.deepStrictEqual(left, [])
  assert.strictEqual(stats.running, 0)
  assert.deepStrictEqual(stats.resources, fresh.resources)
  assert.isBelow(stats.used - before.used, 2 * 1024 * 1024)
})
