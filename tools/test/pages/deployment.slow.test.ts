/** The program of docs/how-to/deploy-a-service.md as its container and its units run it. */
import { assert, describe, it } from "@effect/vitest"
import { NodeTcp, NodeWebSocket } from "@parley/node"
import { Peer } from "@parley/peer"
import { Effect, Fiber } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { suites } from "../../debian/Programs.ts"
import { freePort } from "../../docs/ports.ts"
import * as Page from "./Page.ts"

const page = "docs/how-to/deploy-a-service.md"
const dockerfile = Page.block(page, "dockerfile", "FROM")

/** The folder `/app` of the container, as far as `COPY src src` makes it. */
const app = Page.folder("app")
mkdirSync(join(app, "src"), { recursive: true })
Page.save(app, "src/main.ts", Page.block(page, "ts", "NodeHttp.layerHost"))
Page.save(app, "src/stdio.ts", Page.block(page, "ts", "NodeStdio.runServer"))

/** The list after a word of the Dockerfile: the program, which is Node.js, and its arguments. */
const listAfter = (word: string): ReadonlyArray<string> => {
  const list: ReadonlyArray<string> = JSON.parse(
    new RegExp(`^${word} (?:--\\S+ )*(?:CMD )?(\\[.*\\])$`, "m").exec(dockerfile)?.[1] ?? "[]"
  )
  assert.strictEqual(list[0], "node")
  return list.slice(1)
}

const variables = (line: string): NodeJS.ProcessEnv =>
  Object.fromEntries(Array.from(line.matchAll(/(\w+)=(\S+)/g), ([, name = "", value]) => [name, value]))

const call = (port: number, method: string) =>
  Effect.tryPromise(async () => {
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method })
    const response = await fetch(`http://127.0.0.1:${port}/rpc`, { method: "POST", headers, body })
    return `${response.status} ${await response.text()}`
  })

const health = (port: number) =>
  Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/health`).then(({ status }) => status))

/** The program that `CMD` starts, at a free port. */
const contained = Effect.gen(function*() {
  const port = yield* Effect.promise(freePort)
  const env = { ...variables(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? ""), PORT: String(port) }
  const args = listAfter("CMD").map((arg) => arg.endsWith(".ts") ? join(app, arg) : arg)
  const running = yield* Page.start(process.execPath, args, { env, until: /Listening at ws:/ })
  return { port, running }
})

describe("the container", () => {
  it.live("has a health check that sees the program, and one that is gone", () =>
    Effect.gen(function*() {
      const { port, running } = yield* contained
      const [flag = "", code = ""] = listAfter("HEALTHCHECK")
      const check = () => spawnSync(process.execPath, [flag, code.replace("4000", String(port))]).status
      assert.strictEqual(check(), 0)
      yield* running.kill("SIGTERM")
      yield* running.exit
      assert.strictEqual(check(), 1)
    }))

  it.live("drains at SIGTERM, logs lines of JSON, and exits with code 0", () =>
    Effect.gen(function*() {
      const { port, running } = yield* contained
      const peer = yield* Peer.make(yield* NodeWebSocket.makeTransport({ url: `ws://127.0.0.1:${port}/rpc` }))
      const waiting = yield* Effect.forkChild(peer.request("wait"), { startImmediately: true })
      // It runs when the call behind it is answered.
      yield* peer.request("ping")
      yield* running.kill("SIGTERM")
      yield* Page.eventually(Effect.filterOrFail(health(port), (status) => status === 503))
      assert.match(yield* call(port, "ping"), /^503 .*"Shutting down","data":{"started":false}/)
      assert.isNull(yield* Fiber.join(waiting))
      assert.strictEqual(yield* running.exit, 0)
      for (const line of running.printed().trim().split("\n")) assert.isString(JSON.parse(line).message)
    }))

  it("copies what the page has, and lists its packages", () => {
    const copied = Array.from(dockerfile.matchAll(/^COPY (\S+) \S+$/gm), ([, source = ""]) => source)
    assert.isNotEmpty(copied)
    for (const source of copied) assert.isTrue(existsSync(join(app, source)), source)
    const installs = Page.block(page, "bash", "npm install")
    const program = readFileSync(join(app, "src/main.ts"), "utf8")
    const imported = Array.from(program.matchAll(/from "((?:@[^/]+\/)?[^/"]+)/g), ([, name = ""]) => name)
    assert.isNotEmpty(imported)
    for (const name of imported) assert.include(installs.split(" "), name)
  })
})

suites([{ program: "systemd-analyze", package: "systemd" }], () => {
  const units = Page.folder("units")
  const run = (unit: string) => unit.replace("/usr/bin/node", process.execPath).replace("/srv/service", app)
  Page.save(units, "service.service", run(Page.block(page, "ini", "DynamicUser=yes\nRestart")))
  Page.save(units, "ping.socket", Page.block(page, "ini", "[Socket]"))
  Page.save(units, "ping@.service", run(Page.block(page, "ini", "StandardInput=socket")))

  describe("the units of systemd", () => {
    it.each(["service.service", "ping.socket", "ping@.service"])("are valid: %s", (name) => {
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(units, name)], { encoding: "utf8" })
      const own = stderr.split("\n").filter((line) => line.includes("service.service") || line.includes("ping"))
      assert.deepStrictEqual([status, own], [0, []])
    })

    it.live("start a process for each connection", () =>
      Effect.gen(function*() {
        const port = yield* Effect.promise(freePort)
        const args = ["--accept", "--inetd", "-l", `127.0.0.1:${port}`, process.execPath, join(app, "src/stdio.ts")]
        yield* Page.start("systemd-socket-activate", args, { until: /Listening on/ })
        for (const _ of [1, 2]) {
          const peer = yield* Peer.make(yield* NodeTcp.makeTransport({ port }))
          assert.strictEqual(yield* peer.request("ping"), "pong")
        }
      }))
  })
})
