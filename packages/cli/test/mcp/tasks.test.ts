/** Calls that become tasks, in a shell, in both generations. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Parley from "../Parley.ts"

class Address extends Context.Service<Address, string>()("test/Address") {
  static readonly layer = Layer.effect(
    Address,
    Effect.gen(function*() {
      const server = yield* Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])
      return (yield* server.line).replace(/^listening /, "")
    })
  )
}

const revisions = ["2025-11-25", "2026-07-28"]

layer(Address.layer, { excludeTestServices: true })("parley mcp and tasks", (it) => {
  for (const revision of revisions) {
    const mcp = (...words: ReadonlyArray<string>) =>
      Effect.flatMap(Address, (address) => {
        const [command = "", ...rest] = words
        return Parley.run(["mcp", command, address, ...rest, "--protocol-version", revision])
      })

    /** Begins a task and leaves it alone. */
    const detached = (...words: ReadonlyArray<string>) =>
      Effect.map(mcp("call", ...words, "--detach"), ({ code, stderr, stdout }) => {
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
        assert.match(stdout, /^\S+\n$/)
        return stdout.trim()
      })

    it.effect(`a call waits for its task and shows it, in ${revision}`, () =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = yield* mcp("call", "failing_job")
        assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
        const [id] = /(?<=^task )\S+(?=: working\n)/.exec(stderr) ?? []
        assert.isDefined(id)
        assert.include(stderr, "parley: The job failed, as it always does.")
        const broken = yield* mcp("call", "protocol_error_job")
        assert.strictEqual(broken.code, 1)
        assert.include(broken.stderr, "The job broke")
      }))

    it.effect(`a call is left alone, and its task is taken up by its id, in ${revision}`, () =>
      Effect.gen(function*() {
        const id = yield* detached("slow_compute", "seconds=1", "label=this")
        const shown = yield* mcp("task", id)
        assert.match(shown.stdout, /^(working|completed) {2}computing this\n$/)
        const { code, stdout } = yield* mcp("task", id, "wait")
        assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: "this was computed in 1 seconds.\n" })
        const json = JSON.parse((yield* mcp("task", id, "--json")).stdout)
        assert.deepInclude(json, { taskId: id, status: "completed" })
      }))

    it.effect(`a task is cancelled, in ${revision}`, () =>
      Effect.gen(function*() {
        const id = yield* detached("slow_compute", "seconds=3600")
        const { code, stdout } = yield* mcp("task", id, "cancel")
        assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: "" })
        const waited = yield* mcp("task", id, "wait")
        assert.strictEqual(waited.code, 1)
        assert.match(waited.stderr, /^parley: http:\S+: the task \S+ was cancelled/m)
        const unknown = yield* mcp("task", "made-up")
        assert.strictEqual(unknown.code, 1)
        assert.match(unknown.stderr, /^parley: http:\S+: the task made-up is not known to the server/m)
      }))

    it.effect(`what a task asks is declined where there is no terminal, in ${revision}`, () =>
      Effect.gen(function*() {
        const id = yield* detached("confirm_delete", "filename=x.txt")
        const { code, stderr, stdout } = yield* mcp("task", id, "wait")
        assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: "x.txt was kept.\n" })
        assert.include(stderr, "declined, for there is no terminal to ask at: Delete x.txt?")
      }))

    it.effect(`a call that is no task answers at once, also where it may be left alone, in ${revision}`, () =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = yield* mcp("call", "greet", "name=Ada", "--detach")
        assert.deepStrictEqual({ code, stderr, stdout }, { code: 0, stderr: "", stdout: "Hello, Ada!\n" })
      }))
  }

  it.effect("Ctrl-C cancels the task of a call", () =>
    Effect.gen(function*() {
      const address = yield* Address
      const running = yield* Parley.start(["mcp", "call", address, "slow_compute", "seconds=3600"])
      const id = (yield* running.errorLine).replace(/^task (\S+): working$/, "$1")
      yield* running.signal("SIGINT")
      assert.strictEqual((yield* running.outcome).code, 130)
      assert.match((yield* Parley.run(["mcp", "task", address, id])).stdout, /^cancelled/)
    }))
})
