/** The programs of docs/reference/runtimes.md in Bun and Deno. */
import { assert, describe, it } from "@effect/vitest"
import { NodeHttp } from "@parley/node"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { freePort } from "../../docs/ports.ts"
import { runtimes } from "../../runtimes.ts"
import * as Page from "./Page.ts"

const page = "docs/reference/runtimes.md"
const folder = Page.folder("runtimes")
const program = Page.save(folder, "main.ts", Page.block(page, "ts", "NodeTcp"))
const edge = Page.save(folder, "edge.ts", Page.block(page, "ts", "HttpRoute"))

describe.each(runtimes)("$name", ({ name, runtime }) => {
  // Under CI nothing may be missing.
  if (runtime === undefined) return it("is missing", () => assert.isUndefined(process.env["CI"]))
  const [command, ...args] = runtime

  it("runs the program of the page", () => {
    const { stderr, stdout } = spawnSync(command, [...args, program], { encoding: "utf8" })
    assert.strictEqual(stdout, "Hello, Ada\n", stderr)
  })

  it.live("serves the handler of the page", () =>
    Effect.gen(function*() {
      const port = yield* Effect.promise(freePort)
      const served = name === "Deno"
        ? ["serve", "--allow-all", "--host", "127.0.0.1", "--port", String(port), edge]
        : [edge]
      yield* Page.start(command, served, { env: { PORT: String(port) } })
      const caller = yield* NodeHttp.makeCaller({ url: `http://127.0.0.1:${port}/` })
      assert.strictEqual(yield* Page.eventually(caller.request("ping")), "pong")
    }))
})
