/** Requests that were given up stayed in the queue of undici, with their bodies, until a connection was free. */
import type * as Undici from "@effect/platform-node/Undici"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Connections, Reading } from "../../src/internal/http/undici.ts"

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

it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: a request that waits for a connection leaves", () =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const dispatcher = {
      dispatch: ({ path }: Undici.Dispatcher.DispatchOptions) => sent.push(path) > 0
    } as unknown as Undici.Dispatcher
    const connections = new Connections(dispatcher, 1)
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
