import { assert, describe, it } from "@effect/vitest"
import { NodeChildProcess } from "@parley/node"
import type { Transport } from "@parley/transport"
import { Effect, Fiber, Logger, type Scope } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compileCacheEnv } from "../../../tools/compileCache.ts"
import { fixture } from "./support/pairs.ts"
import { reasonOf } from "./support/reasonOf.ts"

type Start = (options: NodeChildProcess.ChildProcessOptions) => Effect.Effect<
  NodeChildProcess.ChildProcessTransport,
  Transport.TransportError,
  Scope.Scope
>

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Texts until the end, and the end. */
const untilEnd = (side: NodeChildProcess.ChildProcessTransport) => {
  const texts: Array<unknown> = []
  return Effect.map(
    reasonOf(Effect.forever(Effect.map(side.receive, (some) => void texts.push(...some)))),
    (reason) => ({ texts, reason })
  )
}

const suite = (name: string, start: Start) => {
  /** Runs this script in a Node.js of its own. */
  const script = (source: string, options: Partial<NodeChildProcess.ChildProcessOptions> = {}) =>
    start({ command: process.execPath, args: ["-e", source], ...options })

  describe(name, () => {
    it.live("speaks with the process", () =>
      Effect.gen(function*() {
        const side = yield* script(`process.stdin.pipe(process.stdout)`)
        yield* side.send(["1", "2"])
        assert.deepStrictEqual([...(yield* side.receive)], ["1", "2"])
      }))

    it.live("a crash is Exited with code and stderr, after all that it wrote", () =>
      Effect.gen(function*() {
        const side = yield* script(
          `process.stdout.write("1\\n".repeat(100000)); process.stderr.write("out of cheese"); process.exitCode = 3`
        )
        const { reason, texts } = yield* untilEnd(side)
        assert.strictEqual(texts.length, 100_000)
        assert.deepStrictEqual(reason, { _tag: "Exited", code: 3, signal: null, stderr: "out of cheese" })
        assert.deepStrictEqual(yield* reasonOf(side.receive), reason)
      }))

    it.live("a process that is killed is Exited with the signal", () =>
      Effect.gen(function*() {
        const side = yield* script(`process.kill(process.pid, "SIGKILL")`)
        assert.deepStrictEqual(yield* reasonOf(side.receive), {
          _tag: "Exited",
          code: null,
          signal: "SIGKILL",
          stderr: ""
        })
      }))

    it.live("writing to a process that has gone fails, and does not wait", () =>
      Effect.gen(function*() {
        const side = yield* script(`process.exit(0)`)
        assert.strictEqual((yield* reasonOf(side.receive))._tag, "Exited")
        assert.strictEqual((yield* reasonOf(side.send(["1"])))._tag, "Exited")
      }))

    it.live("a command that does not exist is Open", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* reasonOf(start({ command: "/no/such/program" })))._tag, "Open")
        assert.strictEqual((yield* reasonOf(start({ command: process.execPath, cwd: "/no/such" })))._tag, "Open")
        assert.strictEqual((yield* reasonOf(start({ command: process.execPath, args: ["\0"] })))._tag, "Open")
      }))

    it.live("closing ends its stdin, and a process that ends by itself is not killed", () =>
      Effect.gen(function*() {
        const seen: Array<string> = []
        const side = yield* script(
          `process.stdin.on("data", (chunk) => process.stderr.write("got " + chunk))
           process.stdin.on("end", () => process.stderr.write("end"))
           process.on("SIGTERM", () => process.stderr.write("SIGTERM"))
           console.log("ready")`,
          { onStderr: (text) => Effect.sync(() => void seen.push(text)), endGrace: "20 seconds" }
        )
        yield* side.receive
        yield* side.send(["last words"])
        yield* side.close
        assert.isFalse(isRunning(side.pid))
        assert.strictEqual(yield* side.stderr, "got last words\nend")
        assert.strictEqual(seen.join(""), "got last words\nend")
      }))

    it.live("a process that still writes when it is closed can finish", () =>
      Effect.gen(function*() {
        const side = yield* script(
          `console.log("ready")
           process.stdin.resume().on("end", () =>
             process.stdout.write("x".repeat(5_000_000), () => process.stderr.write("written")))`,
          { endGrace: "20 seconds" }
        )
        yield* side.receive
        yield* side.close
        assert.strictEqual(yield* side.stderr, "written")
      }))

    it.live("a process that ignores SIGTERM is killed", () =>
      Effect.gen(function*() {
        const side = yield* script(
          `process.on("SIGTERM", () => process.stderr.write("ignored")); setInterval(() => {}, 1000); console.log("ready")`,
          { endGrace: 50, killGrace: 300 }
        )
        yield* side.receive
        yield* side.close
        assert.isFalse(isRunning(side.pid))
        assert.strictEqual(yield* side.stderr, "ignored")
      }))

    it.live("ends with its Scope, also when that is interrupted", () =>
      Effect.gen(function*() {
        const pids: Array<number> = []
        const using = yield* Effect.forkChild(Effect.scoped(Effect.gen(function*() {
          const side = yield* script(`console.log("ready"); process.stdin.resume()`)
          yield* side.receive
          pids.push(side.pid)
          yield* side.receive
        })))
        while (pids.length === 0) yield* Effect.yieldNow
        yield* Fiber.interrupt(using)
        assert.deepStrictEqual(pids.map(isRunning), [false])
      }))

    it.live("keeps the end of stderr, at most 8 KiB, and shows all of it", () =>
      Effect.gen(function*() {
        let seen = 0
        const side = yield* script(`process.stderr.write("x".repeat(100_000) + "the end")`, {
          onStderr: (text) =>
            Effect.sync(() => {
              seen += text.length
            })
        })
        const reason = yield* reasonOf(side.receive)
        assert(reason._tag === "Exited")
        assert.strictEqual(reason.stderr.length, 8192)
        assert.isTrue(reason.stderr.endsWith("the end"))
        assert.strictEqual(seen, 100_007)
      }))

    it.live("an `onStderr` that dies does not keep the process waiting, and our log says so", () => {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      return Effect.gen(function*() {
        const side = yield* script(
          `process.stderr.write("x".repeat(100_000), () => process.stderr.write("y".repeat(400_000), () => console.log(1)))`,
          {
            onStderr: () => {
              throw new Error("broken")
            }
          }
        )
        assert.deepStrictEqual([...(yield* side.receive)], ["1"])
        assert.deepStrictEqual(logged.filter((line) => line.includes("onStderr")).length, 1)
      }).pipe(Effect.provide(Logger.layer([logger])))
    })

    it.live("a process that closes its stdout and stays is EndOfInput", () =>
      Effect.gen(function*() {
        const side = yield* start({
          command: "/bin/sh",
          args: ["-c", "echo 1; exec 1>&-; exec cat > /dev/null"],
          endGrace: 100
        })
        assert.deepStrictEqual([...(yield* side.receive)], ["1"])
        assert.strictEqual((yield* reasonOf(side.receive))._tag, "EndOfInput")
        assert.isTrue(isRunning(side.pid))
      }))

    it.live("a descendant that keeps the pipes does not hide the exit", () =>
      Effect.gen(function*() {
        const side = yield* start({ command: "/bin/sh", args: ["-c", "sleep 600 & echo $!"], endGrace: 100 })
        const [pid] = yield* side.receive
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => isRunning(Number(pid)) && process.kill(Number(pid), "SIGKILL"))
        )
        const reason = yield* reasonOf(side.receive)
        assert.deepStrictEqual(reason, { _tag: "Exited", code: 0, signal: null, stderr: "" })
      }))

    it.live("has our environment, and what the options add", () =>
      Effect.gen(function*() {
        const side = yield* script(
          `console.log(process.env.PARLEY, process.env.PATH === undefined, process.env.HOME === undefined)
           console.log(process.cwd())`,
          { env: { PARLEY: "1", HOME: undefined }, cwd: tmpdir() }
        )
        const { texts } = yield* untilEnd(side)
        assert.deepStrictEqual(texts, ["1 false true", tmpdir()])
      }))
  })
}

suite("NodeChildProcess", NodeChildProcess.makeTransport)

describe("NodeChildProcess", () => {
  it.live("gives the process no secrets of ours, unless it inherits them", () =>
    Effect.gen(function*() {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.env["PARLEY_TOKEN"] = "secret"
        }),
        () =>
          Effect.sync(() => {
            delete process.env["PARLEY_TOKEN"]
          })
      )
      const shown = (inherit?: NodeChildProcess.Inherit) =>
        Effect.scoped(Effect.gen(function*() {
          const side = yield* NodeChildProcess.makeTransport({
            command: process.execPath,
            args: ["-e", "console.log(process.env.PARLEY_TOKEN, process.env.PATH !== undefined, process.env.ADDED)"],
            env: { ADDED: "1" },
            inherit
          })
          return (yield* untilEnd(side)).texts
        }))
      assert.deepStrictEqual(yield* shown(), ["undefined true 1"])
      assert.deepStrictEqual(yield* shown("safe"), ["undefined true 1"])
      assert.deepStrictEqual(yield* shown("all"), ["secret true 1"])
      assert.deepStrictEqual(yield* shown(["PARLEY_TOKEN"]), ["secret false 1"])
    }))

  it.live("what a process wrote before it exited is there for who reads late", () =>
    Effect.gen(function*() {
      const side = yield* NodeChildProcess.makeTransport({
        command: "/bin/sh",
        args: ["-c", "echo 1; echo out of cheese >&2; exit 3"]
      })
      while (isRunning(side.pid)) yield* Effect.yieldNow
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* untilEnd(side), {
        texts: ["1"],
        reason: { _tag: "Exited", code: 3, signal: null, stderr: "out of cheese\n" }
      })
    }))

  it.live("what ignores its end is killed when our process exits without waiting", () =>
    Effect.gen(function*() {
      const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log(process.pid)`
      const ours = `
        import { NodeChildProcess } from "@parley/node"
        import { Effect } from "effect"
        const start = NodeChildProcess.makeTransport({ command: process.execPath, args: ["-e", ${
        JSON.stringify(stubborn)
      }] })
        await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
          const side = yield* start
          console.log((yield* side.receive)[0])
          process.exit(0)
        })))`
      const side = yield* NodeChildProcess.makeTransport({
        command: process.execPath,
        args: ["--input-type=module", "-e", ours],
        cwd: new URL("..", import.meta.url).pathname
      })
      const { reason, texts } = yield* untilEnd(side)
      assert.strictEqual(reason._tag, "Exited")
      assert.lengthOf(texts, 1)
      const pid = Number(texts[0])
      yield* Effect.eventually(Effect.suspend(() => isRunning(pid) ? Effect.fail("runs") : Effect.void))
    }))

  describe("on Windows", () => {
    /** Starts a command in a process that takes itself for Windows and this script for its cmd.exe. */
    const onWindows = (comspec: string, ...args: ReadonlyArray<string>) =>
      Effect.gen(function*() {
        const directory = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true }))
        )
        writeFileSync(join(directory, "cmd"), `#!/bin/sh\n${comspec}\n`, { mode: 0o755 })
        writeFileSync(join(directory, "tool.CMD"), "")
        const side = yield* NodeChildProcess.makeTransport({
          command: process.execPath,
          args: [fixture("windows.ts"), ...args],
          env: { ...compileCacheEnv, PATH: directory, PATHEXT: ".EXE;.CMD", comspec: join(directory, "cmd") }
        })
        const result: unknown = JSON.parse(String((yield* side.receive)[0]))
        return result
      })

    it.live("a script runs in its interpreter, with arguments that it cannot misread", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* onWindows(`printf '%s\\n' "$@"`, "tool", "a b", "&calc.exe", "%PATH%"), {
          texts: ["/d", "/s", "/c", `"tool ^"a^ b^" ^"^&calc.exe^" ^"^%PATH^%^""`],
          reason: { _tag: "Exited", code: 0, signal: null, stderr: "" }
        })
      }))

    it.live("a command that is not there is Exited, as its interpreter is", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* onWindows(`echo "not recognized" >&2; exit 1`, "nope"), {
          texts: [],
          reason: { _tag: "Exited", code: 1, signal: null, stderr: "not recognized\n" }
        })
      }))
  })
})
