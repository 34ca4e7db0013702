/** Go's `net/rpc/jsonrpc`, which speaks JSON-RPC 1.0, in both directions. */
import { assert, describe, it } from "@effect/vitest"
import { Contract, Method } from "@parley/contract"
import { ErrorResponse } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { Effect, Result, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import * as Programs from "../../../../../tools/debian/Programs.ts"
import * as Folder from "../Folder.ts"
import { peer, served } from "../sides.ts"
import * as Program from "./Program.ts"

const compiled = Effect.map(Folder.make(), (folder) => {
  const program = join(folder, "arith")
  const { status, stderr } = spawnSync("go", ["build", "-o", program, Program.path("arith.go")], {
    env: { ...process.env, GO111MODULE: "off", GOFLAGS: "" },
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, stderr)
  return program
})

const Args = Schema.Struct({ A: Schema.Int, B: Schema.Int })

class Arith extends Contract.make("Arith", {
  "Arith.Multiply": Method.make({ params: [Args], result: Schema.Int }),
  "Arith.Divide": Method.make({ params: [Args], result: Schema.Int })
}) {}

const one = { framing: Framing.line, dialect: Dialect.jsonRpc1 }

Programs.suites([{ program: "go", package: "golang-go", asked: "version" }], () => {
  describe("net/rpc/jsonrpc of Go", () => {
    it.live("serves our client: results, errors that are strings, and a batch one by one", () =>
      Effect.gen(function*() {
        const port = yield* Program.listening(yield* compiled, "serve")
        const caller = yield* peer(port, one)
        const arith = Arith.client(caller)
        assert.strictEqual(yield* arith["Arith.Multiply"]([{ A: 7, B: 8 }]), 56)
        const error = yield* Effect.flip(arith["Arith.Divide"]([{ A: 1, B: 0 }]))
        assert.deepInclude(error, { _tag: "RemoteError", code: -32000, text: "divide by zero" })
        const outcomes = yield* caller.batch([
          { method: "Arith.Multiply", params: [{ A: 2, B: 3 }] },
          { method: "Arith.Divide", params: [{ A: 9, B: 3 }] }
        ])
        assert.deepStrictEqual(outcomes, [Result.succeed(6), Result.succeed(3)])
        assert.strictEqual(
          yield* Arith.client(yield* peer(port, { ...one, dialect: Dialect.lenient }))["Arith.Multiply"]([
            { A: 1, B: 5 }
          ]),
          5
        )
      }))

    it.live("is served by us: results, and our errors as errors", () =>
      Effect.gen(function*() {
        const port = yield* served(one, {
          "Arith.Multiply": ({ params }) => {
            const [{ A, B }] = Schema.decodeUnknownSync(Schema.Tuple([Args]))(params)
            return Effect.succeed(A * B)
          },
          "Arith.Divide": () => Effect.fail(ErrorResponse.make(1, "divide by zero"))
        })
        assert.strictEqual(yield* Program.printed(yield* compiled, "call", String(port)), "56 <nil>\ntrue\n")
      }))
  })
})
