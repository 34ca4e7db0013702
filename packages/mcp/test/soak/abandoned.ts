/** Sessions that are opened and left: what each holds, and that all are gone after the idle time. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as posting from "./posting.ts"
import * as Served from "./Served.ts"

const tools = 50

/** Sessions that are opened before, so that what all share is there. */
const warmUp = 100

/** The idle time is half an hour; what looks for sessions that are over may come later. */
const later = 61 * 60_000

export const abandoned = Effect.fnUntraced(function*(count: number) {
  const served = yield* Served.start({ tools })
  const client = posting.make(served.url, 16)
  yield* Effect.addFinalizer(() => Effect.sync(client.close))
  const open = Effect.promise(async () => {
    const session = await client.begin()
    assert.isDefined(session)
    const answer = await client.post(posting.call(1, "echo", { text: "hello" }), session).answer
    assert.include(answer?.text, "hello")
    return session
  })
  const openAll = (count: number) =>
    Effect.forEach(Array.from({ length: count }, () => open), (one) => one, { concurrency: 16 })
  const early = yield* openAll(warmUp)
  yield* served.pass(later)
  const before = yield* served.stats
  const sessions = yield* openAll(count)
  const opened = yield* served.stats
  yield* served.pass(later)
  // This looks for each, so that the server has nothing to do for a while.
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" }
  const statuses = yield* Effect.forEach(
    [...early, ...sessions],
    (session) => Effect.promise(async () => (await client.post(ping, session).answer)?.status),
    { concurrency: 16 }
  )
  const after = yield* served.stats
  const each = (opened.used - after.used) / count
  const left = after.used - before.used
  console.log(
    `${count} sessions opened and left, ${tools} tools: ${Math.round(each)} bytes each, and ${
      Math.round(left / count)
    } that stay when they are gone`
  )
  assert.deepStrictEqual(new Set(statuses), new Set([404]))
  // Six kilobytes are the aim. With the connection that its handshake came by, a session would have ten.
  assert.isBelow(each, 7_000)
  // Code that has become hot holds something in any case.
  assert.isBelow(left, 1024 * 1024)
  assert.strictEqual(after.running, 0)
})
