/**
 * Requests that were given up stayed in the queue of undici, with their bodies, until a connection was free. And all
 * connections of a caller together were more than a listener takes.
 */
import type * as Undici from "@effect/platform-node/Undici"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { Connections, open, Reading } from "../../src/internal/http/undici.ts"

class Ignored extends Reading<never, never, void> {
  onResponseStart() {}
  onResponseData() {}
  protected override close() {
    this.end(Effect.void)
  }
  override lose(cause: unknown) {
    this.end(Effect.die(cause))
  }
}

/** A dispatcher that keeps the path of each request, and answers none. */
const keeping = (sent: Array<string>) =>
  ({
    dispatch: ({ path }: Undici.Dispatcher.DispatchOptions) => sent.push(path) > 0,
    destroy: () => Promise.resolve()
  }) as unknown as Undici.Dispatcher

it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: a request that waits for a connection leaves", () =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const connections = new Connections(keeping(sent), 1)
    const request = (path: string) => {
      const reading = new Ignored()
      connections.dispatch({ origin: "http://here", path, method: "GET" }, reading)
      return reading
    }
    const first = request("1")
    const second = request("2")
    request("3")
    connections.dispatch({ origin: "http://there", path: "4", method: "GET" }, new Ignored())
    assert.deepStrictEqual(sent, ["1", "4"])
    yield* second.abort
    first.onResponseEnd()
    first.onResponseError(undefined, "late")
    yield* Effect.promise(() => Promise.resolve())
    assert.deepStrictEqual(sent, ["1", "4", "3"])
    // The third has the only connection.
    request("5")
    assert.deepStrictEqual(sent, ["1", "4", "3"])
  }))

it.effect("promise 22: when nothing moves, nothing waits that could move: requests that wait go in their order, also after nobody waited", () =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const connections = new Connections(keeping(sent), 2)
    const request = (path: string) => {
      const reading = new Ignored()
      connections.dispatch({ origin: "http://here", path, method: "GET" }, reading)
      return reading
    }
    const ends = (reading: Ignored) =>
      Effect.promise(() => {
        reading.onResponseEnd()
        return Promise.resolve()
      })
    const [first, second, third] = ["1", "2", "3", "4"].map(request)
    if (first === undefined || second === undefined || third === undefined) return assert.fail("there are four")
    yield* ends(first)
    yield* ends(second)
    assert.deepStrictEqual(sent, ["1", "2", "3", "4"])
    // Nobody waits now.
    yield* ends(third)
    const fifth = request("5")
    request("6")
    assert.deepStrictEqual(sent, ["1", "2", "3", "4", "5"])
    yield* ends(fifth)
    assert.deepStrictEqual(sent, ["1", "2", "3", "4", "5", "6"])
  }))

it.effect("promise 12: the receive loop waits for nothing but the transport: a listener takes all connections of a caller", () =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const shares = yield* open({ connections: 2, limits: { connections: 10 } }, () => Effect.succeed(keeping(sent)))
    for (const share of ["call", "nested", "reply"] as const) {
      for (let count = 0; count < 20; count++) {
        shares[share].dispatch({ origin: "http://here", path: share, method: "GET" }, new Ignored())
      }
    }
    const counted = Map.groupBy(sent, (share) => share)
    assert.deepStrictEqual([...counted].map(([share, all]) => [share, all.length]), [
      ["call", 2],
      ["nested", 6],
      ["reply", 2]
    ])
  }))

it.effect("limits refuse what is no bound: the connections of a caller", () =>
  Effect.gen(function*() {
    for (const connections of [Number.NaN, 0, -1, 1.5, Number.POSITIVE_INFINITY]) {
      const exit = yield* Effect.exit(open({ connections }, () => Effect.succeed(keeping([]))))
      assert.match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", /RangeError: the limit `connections`/)
    }
  }))
