import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listening } from "../../../mcp/test/auth/support/mcp.ts"
import * as Parley from "../Parley.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(join(tmpdir(), "parley-login-"))),
  (directory) => Effect.promise(() => fs.rm(directory, { recursive: true, force: true }))
)

/** A server that wants tokens, and a person with a folder of state. */
const person = Effect.gen(function*() {
  const world = yield* listening
  const state = yield* folder
  const runtime: Parley.Runtime = ["/usr/bin/env", `XDG_STATE_HOME=${state}`, process.execPath]
  const run = (...words: ReadonlyArray<string>) => Parley.runScript(runtime, [Parley.bin, "mcp", ...words])
  const command = (...words: ReadonlyArray<string>) => Parley.start(words, runtime)
  return { world, state, run, command, start: (...words: ReadonlyArray<string>) => command("mcp", ...words) }
})

/** Opens the page that a command has printed, and goes where it leads. */
const browse = (running: Parley.Running, change: (back: URL) => void = () => {}) =>
  Effect.gen(function*() {
    assert.include(yield* running.errorLine, "open this page")
    const page = yield* running.errorLine
    return yield* Effect.promise(async () => {
      const { headers } = await fetch(page, { redirect: "manual" })
      const back = new URL(headers.get("location") ?? "")
      change(back)
      return fetch(back)
    })
  })

describe("parley mcp login", () => {
  it.live("signs in by a page, and every command uses the tokens until logout", () =>
    Effect.gen(function*() {
      const { run, start, state, world } = yield* person
      const before = yield* run("list", world.server, "tools")
      assert.deepInclude(before, { code: 2, stdout: "" })
      assert.include(before.stderr, `(hint: run \`parley mcp login ${world.server}`)

      const login = yield* start("login", world.server)
      assert.strictEqual((yield* browse(login)).status, 200)
      assert.deepInclude(yield* login.outcome, {
        code: 0,
        stdout: `Signed in to ${world.server} at ${world.issuer}.\n`
      })

      world.valid.clear()
      assert.deepInclude(yield* run("list", world.server, "tools"), { code: 0, stdout: "hello\n", stderr: "" })
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token"])

      const who = yield* run("whoami", world.server)
      assert.match(who.stdout, new RegExp(`Issuer +${world.issuer}\\nClient +client-1\\n`))
      const files = yield* Effect.promise(() => fs.readdir(join(state, "parley", "tokens")))
      assert.strictEqual(files.length, 2)
      assert.notMatch(before.stderr + who.stdout + who.stderr, /access-|refresh-/)

      assert.deepInclude(yield* run("logout", world.server), { code: 0, stdout: `Signed out of ${world.server}.\n` })
      assert.deepInclude(yield* run("whoami", world.server), { code: 1, stdout: "" })
    }), 60_000)

  it.live(
    "lends its tokens to a tap with --login, and without that the tap says what a challenge means",
    () =>
      Effect.gen(function*() {
        const { command, run, start, world } = yield* person
        const tap = (...flags: ReadonlyArray<string>) =>
          Effect.gen(function*() {
            const running = yield* command("tap", world.server, "--show", "http", ...flags)
            return { ...running, address: (yield* running.errorLine).replace(/^listening /, "") }
          })
        const plain = yield* tap()
        const refused = yield* run("list", plain.address, "tools")
        assert.strictEqual(refused.code, 2)
        assert.include(yield* plain.line, `"text":"POST: 401, www-authenticate: Bearer `)
        assert.include(
          yield* plain.errorLine,
          `parley: ${world.server}: asks for a login, for the resource ${world.server}. A client signs in there by itself`
        )

        const early = yield* tap("--login")
        const unknown = yield* run("list", early.address, "tools")
        assert.strictEqual(unknown.code, 1)
        assert.include(unknown.stderr, `requires a login (hint: run \`parley mcp login ${world.server}`)
        assert.include(yield* early.errorLine, `run \`parley mcp login ${world.server}\``)

        const login = yield* start("login", world.server, "--trace")
        const lines: Array<string> = []
        for (let line = yield* login.errorLine; !line.includes("open this page"); line = yield* login.errorLine) {
          lines.push(line)
        }
        const page = yield* login.errorLine
        yield* Effect.promise(async () =>
          fetch((await fetch(page, { redirect: "manual" })).headers.get("location") ?? "")
        )
        const { code, stderr } = yield* login.outcome
        assert.strictEqual(code, 0)
        // What passes beside messages is told, and no token is.
        assert.isTrue(lines.some((line) => line.includes("/.well-known/")))
        assert.match(stderr, /"text":"POST [^"]*: 200"/)
        assert.notMatch(stderr, /access-|refresh-/)

        const lent = yield* tap("--login")
        assert.deepInclude(yield* run("list", lent.address, "tools"), { code: 0, stdout: "hello\n", stderr: "" })
      }),
    60_000
  )

  it.live("takes no answer that belongs to another request", () =>
    Effect.gen(function*() {
      const { start, world } = yield* person
      const login = yield* start("login", world.server, "--patience", "1s")
      const response = yield* browse(login, (back) => back.searchParams.set("state", "other"))
      assert.strictEqual(response.status, 404)
      const outcome = yield* login.outcome
      assert.strictEqual(outcome.code, 2)
      assert.include(outcome.stderr, "nobody signed in within 1s")
      assert.deepStrictEqual(world.tokens(), [])
    }), 60_000)

  it.live("goes on waiting where somebody asks its page for what is no path", () =>
    Effect.gen(function*() {
      const { start, world } = yield* person
      const login = yield* start("login", world.server)
      const response = yield* browse(login, (back) => back.pathname = "//")
      assert.strictEqual(response.status, 404)
      yield* login.signal("SIGTERM")
      assert.strictEqual((yield* login.outcome).code, 143)
    }), 60_000)

  it.live(
    "asks for scopes that are named, whatever is stored, and keeps that until somebody has agreed",
    () =>
      Effect.gen(function*() {
        const { run, start, world } = yield* person
        const first = yield* start("login", world.server, "--scope", "read")
        yield* browse(first)
        yield* first.outcome
        const declined = yield* start("login", world.server, "--scope", "write", "--patience", "1s")
        assert.include(yield* declined.errorLine, "open this page")
        assert.strictEqual((yield* declined.outcome).code, 2)
        assert.include((yield* run("whoami", world.server)).stdout, "Scopes  read\n")
        const second = yield* start("login", world.server, "--scope", "write")
        yield* browse(second)
        assert.deepInclude(yield* second.outcome, { code: 0 })
        assert.include((yield* run("whoami", world.server)).stdout, "Scopes  write\n")
      }),
    60_000
  )

  it.live("a command that lacks scopes says with which to sign in", () =>
    Effect.gen(function*() {
      const { run, start, world } = yield* person
      const login = yield* start("login", world.server)
      yield* browse(login)
      yield* login.outcome
      world.needed = ["write", "$(id)'"]
      const listed = yield* run("list", world.server, "tools")
      assert.strictEqual(listed.code, 2)
      assert.include(
        listed.stderr,
        `(hint: run \`parley mcp login ${world.server} --scope write --scope '$(id)'\\'''\`)\n`
      )
    }), 60_000)

  it.live("a server that asks nobody, and one that is not over HTTP, say so", () =>
    Effect.gen(function*() {
      const { run } = yield* person
      const open = yield* Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])
      const address = (yield* open.line).replace(/^listening /, "")
      assert.deepInclude(yield* run("login", address), { code: 0, stdout: `${address} asks nobody to sign in.\n` })
      assert.deepInclude(yield* run("login", "tcp://127.0.0.1:1"), { code: 64, stdout: "" })
    }), 60_000)
})
