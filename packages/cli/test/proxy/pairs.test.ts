import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Parley from "../Parley.ts"
import * as Joined from "./Joined.ts"

const endpointOf = (kind: string) => kind === "stdio" ? Effect.succeed(Parley.serveStdio) : Joined.serve(kind)

/** The same characters that `mirror` got, except the name of one member. */
const request = (id: string) =>
  `{ "b": 12345678901234567890, "id" : ${id},\t"a": 1e400, "method":"echo","params": [9007199254740993, 0.10, {"z":1,"y":2}], "jsonrpc":"2.0" }`

const response = (id: string) => request(id).replace(`"method":"echo","params"`, `"result"`)

const mirror = (text: string) => [text.replaceAll(`"method":"echo","params"`, `"result"`)]

const places = ["tcp", "unix", "ws", "http"]

describe("a proxy", () => {
  for (const place of places) {
    for (const kind of ["tcp", "unix", "stdio", "ws", "http"]) {
      it.live(`passes calls from ${place} to ${kind}: results, errors, batches and notifications`, () =>
        Effect.gen(function*() {
          const address = yield* Joined.proxy(yield* Joined.place(place), yield* endpointOf(kind))
          const caller = yield* Joined.caller(address)
          assert.strictEqual(yield* caller.request("subtract", [42, 23]), 19)
          const error = yield* Effect.flip(caller.request("fail"))
          assert.deepInclude(error, { _tag: "RemoteError", code: 1234, data: { detail: "boom" } })
          yield* caller.notify("update", [1])
          const outcomes = yield* caller.batch([
            { method: "sum", params: [1, 2] },
            { method: "update", notification: true },
            { method: "fail" }
          ])
          assert.deepStrictEqual(
            outcomes.map((outcome) =>
              outcome === undefined ? "none" : Result.isSuccess(outcome) ? outcome.success : "fail"
            ),
            [3, "none", "fail"]
          )
          if (place !== "http" && kind !== "http") {
            const back = yield* caller.request("callback", { method: "echo", params: ["back"] })
            assert.deepStrictEqual(back, ["back"])
          }
        }))
    }

    for (const kind of ["tcp", "http"]) {
      it.live(`passes the characters of texts unchanged from ${place} to ${kind}, and those of ids back`, () =>
        Effect.gen(function*() {
          const seen: Array<string> = []
          const endpoint = yield* Joined.serveRaw(kind, (text) => {
            seen.push(text)
            return mirror(text)
          })
          const address = yield* Joined.proxy(yield* Joined.place(place), endpoint)
          for (const id of ["7", "9007199254740993", "\"a\\u0062\"", "1.50", "null"]) {
            assert.strictEqual(yield* Joined.converse(address, request(id)), response(id))
            // One connection for all clients of HTTP needs ids of its own.
            const passed = place === "http" && kind === "tcp" ? request(String(seen.length)) : request(id)
            assert.strictEqual(seen.at(-1), passed)
          }
          const batch = `[${request("1")} ,${request("\"x\"")}]`
          const expected = place === "http" && kind === "tcp"
            ? `[${response("1")},${response("\"x\"")}]`
            : `[${response("1")} ,${response("\"x\"")}]`
          assert.strictEqual(yield* Joined.converse(address, batch), expected)
        }))
    }
  }

  for (const place of places) {
    it.live(`gives many clients over ${place} at once their own answers, though their ids are the same`, () =>
      Effect.gen(function*() {
        const address = yield* Joined.proxy(yield* Joined.place(place), yield* Joined.serve("tcp"))
        const answers = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, n) => n),
          (n) =>
            Effect.scoped(
              Effect.flatMap(Joined.caller(address), (caller) => caller.request("echo", [n]))
            ),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers, answers.map((_, n) => [n]))
      }))
  }
})
