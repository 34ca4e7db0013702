/** Bun and Deno, from npm: each serves our side on Node.js over every wire, and calls it over every wire. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { programOf } from "../../../tools/pack/Runtime.ts"
import * as Parley from "./Parley.ts"

const runtimes = [
  { name: "Bun", program: programOf("bun"), args: [] },
  { name: "Deno", program: programOf("deno"), args: ["run", "--allow-all"] }
].map(({ args, name, program }) => ({
  name: program === undefined ? `${name} (needs the package of this platform)` : name,
  runtime: program === undefined ? undefined : [program, ...args] as const
}))

const fixture = (name: string): string => new URL(`fixtures/${name}.ts`, import.meta.url).pathname

/** Where a server of the specimen is, for the fixture and for `parley call`. */
const served = (wire: string, runtime: Parley.Runtime) =>
  wire === "stdio"
    ? Effect.succeed([...runtime, Parley.bin, "serve", "--stdio"])
    : Effect.map(Parley.listen([`--${wire}`, "127.0.0.1:0"], runtime), ({ address }) => [address])

const keepsTheLaws = (wire: string, server: Parley.Runtime, client: Parley.Runtime) =>
  Effect.gen(function*() {
    const where = yield* served(wire, server)
    const { code, stderr, stdout } = yield* Parley.runScript(client, [fixture("check"), wire, ...where])
    assert.match(stdout, /^\d+ laws\n$/, stderr)
    assert.strictEqual(code, 0)
  })

describe.each(runtimes)("$name", ({ runtime }) => {
  // Under CI nothing may be missing.
  if (runtime === undefined) return it("is missing", () => assert.isUndefined(process.env["CI"]))

  it.live.each(["tcp", "ws", "http", "stdio"])(
    "serves our side on Node.js over %s",
    (wire) => keepsTheLaws(wire, runtime, Parley.node)
  )

  it.live.each(["tcp", "ws", "http", "stdio"])(
    "calls our side on Node.js over %s",
    (wire) => keepsTheLaws(wire, Parley.node, runtime)
  )

  it.live("aborts posts that are given up, and tells which were not sent", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* Parley.runScript(runtime, [fixture("posts")])
      assert.strictEqual(stdout, "hello\ninterrupted\nOpen, not sent\n", stderr)
    }))

  it.live.each(["tcp", "ws", "http"])("runs `parley call` over %s", (wire) =>
    Effect.gen(function*() {
      const [address = ""] = yield* served(wire, Parley.node)
      const call = (...args: ReadonlyArray<string>) => Parley.runScript(runtime, [Parley.bin, "call", ...args])
      const sum = yield* call(address, "sum", "[1, 2, 3]")
      assert.deepStrictEqual([sum.code, sum.stdout], [0, "6\n"], sum.stderr)
      const late = yield* call("--timeout", "100ms", address, "sleep", "[60000]")
      assert.notStrictEqual(late.code, 0)
      assert.match(late.stderr, /no response to sleep/)
    }))
})
