import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as name from "../../../src/internal/mcp/bridge/name.ts"

const named = (command: string, ...args: ReadonlyArray<string>) =>
  name.of({ endpoint: { _tag: "Command", command, args }, name: "all of it" })

describe("the name of a server behind a bridge", () => {
  it("is the program and its script, without other words", () => {
    assert.strictEqual(named("/usr/bin/python3", "/srv/srv.py", "--api-key", "AAA", "--token=BBB"), "python3 srv.py")
    assert.strictEqual(named("node", "--import", "tsx", "src/server.ts", "AAA"), "node server.ts")
    assert.strictEqual(named("./server", "--key", "AAA", "--file=a.js", "https://a/?key=b.js"), "server")
    assert.strictEqual(
      name.of({ endpoint: { _tag: "Http", url: "https://a/mcp?b" }, name: "https://a/mcp" }),
      "https://a/mcp"
    )
  })

  it("is the runner and its package, without the values of flags", () => {
    assert.strictEqual(named("npx", "-y", "@scope/server@1", "AAA"), "npx @scope/server@1")
    assert.strictEqual(named("npx", "--loglevel", "error", "-y", "pkg"), "npx pkg")
    assert.strictEqual(
      named("uvx", "--python=3.12", "--with", "a", "my-server[extra]==1.2"),
      "uvx my-server[extra]==1.2"
    )
    assert.strictEqual(named("uvx", "--unknown", "AAA", "my-server"), "uvx")
    assert.strictEqual(named("npx", "git+https://AAA@example.org/a"), "npx")
  })

  it.prop("has no word of a secret", { text: Schema.String }, ({ text }) => {
    const secret = `SECRET${text}Z`
    for (
      const [command = "", ...args] of [
        ["uvx", "--index-url", `https://me:${secret}@example.org/simple`, "my-server"],
        ["uvx", "--from", `git+https://${secret}@example.org/a`, "my-server"],
        ["npx", `https://${secret}@example.org/a.tgz`],
        ["npx", "--token", secret, "my-server"],
        ["npx", "-y", "my-server", secret],
        ["npx", "-f", "my-server", secret],
        ["npx", "--color", "my-server", secret],
        ["pnpx", "-c", "my-server", secret],
        ["bash", "-c", `cd /srv; mytool --token ${secret} server.js`],
        ["node", "server.js", "--token", secret],
        ["node", "--env", `KEY=${secret}.js`, "server.js"]
      ]
    ) {
      assert.notInclude(named(command, ...args), "SECRET")
    }
  })
})
