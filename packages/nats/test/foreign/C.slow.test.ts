/** The client of NATS for C, which knows nothing of Parley: it calls our service, and serves our calls beside it. */
import { assert, it } from "@effect/vitest"
import * as NatsRpc from "@parley/nats/NatsRpc"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Router from "@parley/peer/Router"
import { Effect, Layer } from "effect"
import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { served } from "../support/nats.ts"
import * as NatsServer from "../support/NatsServer.ts"

const source = join(import.meta.dirname, "account.c")
const subject = "account"
const queue = "tellers"

/** The program, until the Scope closes. */
const compiled = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => {
    const program = join(folder, "account")
    const { status, stderr } = spawnSync("gcc", ["-o", program, source, "-lnats"], { encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    return program
  }
)

/** Serves `add`, which tells who has served it. */
const serving = Effect.fnUntraced(
  function*({ connected }: Effect.Success<ReturnType<typeof served>>, onAdd: () => void) {
    const context = yield* Layer.build(Router.layer({
      add: ({ params }) =>
        Effect.sync(() => {
          onAdd()
          const [one, other] = params as unknown as readonly [number, number]
          return one + other
        }),
      withdraw: () => Effect.fail(ErrorResponse.make(1001, "insufficient", { balance: 5 }))
    }))
    yield* connected(Effect.provideContext(NatsRpc.serve({ subject, queue }), context))
  }
)

NatsServer.suites("the client of NATS for C", () => {
  if (!existsSync("/usr/include/nats.h") || spawnSync("gcc", ["--version"]).status !== 0) {
    it("needs packages of Debian: apt-get install gcc libnats-dev", () => {
      if (process.env["CI"]) assert.fail("missing: gcc or libnats-dev")
    })
    return
  }

  it.live("calls our service by plain requests", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      yield* serving(nats, () => {})
      const program = yield* compiled
      const texts = [
        `{"jsonrpc":"2.0","id":7,"method":"add","params":[40,2]}`,
        `{"jsonrpc":"2.0","id":"a","method":"withdraw"}`,
        `[{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]},{"jsonrpc":"2.0","method":"add","params":[1,2]}]`,
        `{"jsonrpc":"2.0","method":"add","params":[1,2]}`,
        `{`
      ]
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(program, ["call", nats.server.address, subject, ...texts])
      )
      const [sum, refused, batch, nothing, malformed] = stdout.split("\n")
      assert.strictEqual(sum, `{"jsonrpc":"2.0","id":7,"result":42}`)
      assert.deepStrictEqual(JSON.parse(refused!), {
        jsonrpc: "2.0",
        id: "a",
        error: { code: 1001, message: "insufficient", data: { balance: 5 } }
      })
      assert.strictEqual(batch, `[{"jsonrpc":"2.0","id":1,"result":3}]`)
      // A notification that asks for a reply gets an empty one, so that nobody waits.
      assert.strictEqual(nothing, "")
      assert.deepInclude(JSON.parse(malformed!), { id: null })
      assert.strictEqual(JSON.parse(malformed!).error.code, -32700)
    }))

  it.live("answers our calls, alone and as a member of the queue of our service", () =>
    Effect.gen(function*() {
      const nats = yield* served()
      const program = yield* compiled
      const teller = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(program, ["serve", nats.server.address, subject, queue], { stdio: ["pipe", "pipe", "inherit"] })
        ),
        (teller) =>
          Effect.promise(async () => {
            const exited = once(teller, "exit")
            teller.stdin.end()
            await exited
          })
      )
      yield* Effect.promise(() => once(createInterface(teller.stdout), "line"))
      const caller = yield* nats.connected(NatsRpc.makeClient({ subject }))
      assert.strictEqual(yield* caller.request("add", [40, 2]), 42)
      const unknown = yield* Effect.flip(caller.request("subtract", [1, 2]))
      assert.deepInclude(unknown, { _tag: "RemoteError", code: -32601 })

      let ours = 0
      yield* serving(nats, () => ours++)
      const sums = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) => caller.request("add", [index, 1]),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(sums, Array.from({ length: 200 }, (_, index) => index + 1))
      assert.isTrue(ours > 20 && ours < 180, `${ours} of 200`)
    }))
})
