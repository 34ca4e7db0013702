/** `parley` against programs that nobody here wrote: Debian's `nc` and `socat`, whose processes end with their test. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { buffer, text } from "node:stream/consumers"
import * as Programs from "../../../tools/debian/Programs.ts"
import * as Parley from "./Parley.ts"

/** There are other programs of the name `nc`, with other options. */
const needed = [
  { program: "nc", package: "netcat-openbsd", asked: "-h", says: "OpenBSD netcat" },
  { program: "socat", package: "socat", asked: "-V", says: "socat version" }
]

/** Starts a program with a group of its own, since `socat` has children. */
const start = (command: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(command, args, {
        cwd: dirname(Parley.bin),
        env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` },
        stdio: "pipe",
        detached: true
      })
      child.stdin.on("error", () => {})
      await once(child, "spawn")
      return child
    }),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const exited = once(child, "exit")
        process.kill(-groupOf(child), "SIGKILL")
        await exited
      })
  )

/** A child that has started has a number. */
const groupOf = (child: ChildProcessWithoutNullStreams): number => child.pid ?? assert.fail("it has no number")

/** Pipes the input into a program, and gives what it printed before it ended well. */
const pipe = (command: string, args: ReadonlyArray<string>, input: string | Uint8Array): Effect.Effect<Buffer> =>
  Effect.scoped(Effect.flatMap(start(command, args), (child) =>
    Effect.promise(async () => {
      child.stdin.end(input)
      const [output, errors, [code]] = await Promise.all([
        buffer(child.stdout),
        text(child.stderr),
        once(child, "close")
      ])
      assert.deepStrictEqual({ code, errors }, { code: 0, errors: "" }, [command, ...args].join(" "))
      return output
    })))

/** A `socat` that listens on a port of its own choice, which `parley call` takes as an endpoint. */
const listen = (address: string, { options = "", flags = [] as ReadonlyArray<string> } = {}) =>
  Effect.gen(function*() {
    const listener = `TCP-LISTEN:0,bind=127.0.0.1,fork${options}`
    const child = yield* start("socat", ["-d", "-d", ...flags, listener, address])
    return yield* Effect.promise(async () => {
      for await (const line of createInterface(child.stderr)) {
        const [, host] = /listening on AF=\d+ (.*)$/.exec(line) ?? []
        if (host === undefined) continue
        child.stderr.resume()
        return `tcp://${host}`
      }
      return assert.fail("socat did not listen")
    })
  })

/** A framing, written down once more: what these programs carry is not read by the code that is tested. */
interface Wire {
  readonly framing: string
  readonly join: (texts: ReadonlyArray<string>) => string
  readonly split: (bytes: Buffer) => ReadonlyArray<string>
}

const wires: ReadonlyArray<Wire> = [
  {
    framing: "line",
    join: (texts) => texts.map((text) => `${text}\n`).join(""),
    split: (bytes) => bytes.toString().split("\n").slice(0, -1)
  },
  {
    framing: "content-length",
    join: (texts) => texts.map((text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`).join(""),
    split: (bytes) => {
      const [, digits] = /^Content-Length: (\d+)\r\n\r\n/.exec(bytes.toString("latin1")) ?? []
      if (digits === undefined) return bytes.length === 0 ? [] : assert.fail(`no header: ${bytes.toString()}`)
      const body = bytes.subarray(`Content-Length: ${digits}\r\n\r\n`.length)
      return [
        body.subarray(0, Number(digits)).toString(),
        ...wires[1]?.split(body.subarray(Number(digits))) ?? []
      ]
    }
  }
]

interface Place {
  readonly kind: "TCP" | "Unix"
  readonly serve: ReadonlyArray<string>
}

const places: Effect.Effect<ReadonlyArray<Place>, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => [
    { kind: "TCP", serve: ["--tcp", "127.0.0.1:0"] },
    { kind: "Unix", serve: ["--unix", join(folder, "s")] }
  ]
)

/** How `nc` names an address of ours. */
const ncPlace = (address: string): ReadonlyArray<string> => {
  const { hostname, pathname, port, protocol } = new URL(address)
  return protocol === "unix:" ? ["-U", pathname] : [hostname, port]
}

/** How `socat` does. */
const socatPlace = (address: string): string => {
  const { hostname, pathname, port, protocol } = new URL(address)
  return protocol === "unix:" ? `UNIX-CONNECT:${pathname}` : `TCP:${hostname}:${port}`
}

interface Way {
  readonly name: string
  readonly command: string
  readonly args: (address: string) => ReadonlyArray<string>
}

/** `socat` gives up half a second after the end of its input, unless `-t` says otherwise. */
const patience = ["-t", "60"]

const ways: ReadonlyArray<Way> = [
  { name: "nc -N", command: "nc", args: (address) => ["-N", ...ncPlace(address)] },
  { name: "socat", command: "socat", args: (address) => [...patience, "-", socatPlace(address)] },
  {
    name: "socat, byte by byte",
    command: "socat",
    args: (address) => [...patience, "-b", "1", "-", socatPlace(address)]
  }
]

const request = (id: number | string, method: string, params?: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

const success = (id: number | string, result: unknown) => ({ jsonrpc: "2.0", id, result })

const update = JSON.stringify({ jsonrpc: "2.0", method: "update", params: [1] })

/** Different bytes and characters count, and what tells frames apart. */
const difficult = ["é😀\u2028", "a\nContent-Length: 5\r\n\r\n", "}{][\"\\"]

const questions = [
  request(1, "sleep", [200]),
  request(2, "subtract", [42, 23]),
  update,
  `[${request(3, "sum", [1, 2, 4])},${update},${request("é", "get_data")}]`,
  request("", "echo", { difficult }),
  "{garbage"
]

const answers: ReadonlyArray<unknown> = [
  success(1, null),
  success(2, 19),
  [success(3, 7), success("é", ["hello", 5])],
  success("", { difficult }),
  { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }
]

const parsed = ({ split }: Wire, output: Buffer): Array<unknown> => split(output).map((text) => JSON.parse(text))

const echoed = (text: string) => request(1, "echo", [text])

const suites = () => {
  describe.each(wires)("parley serve --framing $framing", (wire) => {
    const { framing, join: joined } = wire

    it.live.each(ways)("answers all that $name has piped in", ({ args, command }) =>
      Effect.gen(function*() {
        for (const { serve } of yield* places) {
          const { address } = yield* Parley.listen([...serve, "--framing", framing])
          const output = yield* pipe(command, args(address), joined(questions))
          assert.sameDeepMembers(parsed(wire, output), [...answers])
        }
      }))

    it.live("answers while nc -q waits", () =>
      Effect.gen(function*() {
        const { address } = yield* Parley.listen(["--tcp", "127.0.0.1:0", "--framing", framing])
        const output = yield* pipe("nc", ["-q", "2", ...ncPlace(address)], joined(questions))
        assert.sameDeepMembers(parsed(wire, output), [...answers])
      }))

    it.live("carries megabytes there and back", () =>
      Effect.gen(function*() {
        const long = difficult.join("").repeat(100_000)
        for (const { serve } of yield* places) {
          const { address } = yield* Parley.listen([...serve, "--framing", framing])
          for (const { args, command } of ways.slice(0, 2)) {
            const output = yield* pipe(command, args(address), joined([echoed(long)]))
            // Compared by hand: a difference of megabytes is not worth printing.
            assert.isTrue(JSON.stringify(parsed(wire, output)) === JSON.stringify([success(1, [long])]), command)
          }
        }
      }))

    it.live("outlives an nc and a socat that are killed within a call", () =>
      Effect.gen(function*() {
        for (const { serve } of yield* places) {
          const { address } = yield* Parley.listen([...serve, "--framing", framing])
          for (const { args, command } of ways) {
            yield* Effect.scoped(Effect.gen(function*() {
              const child = yield* start(command, args(address))
              const answered = once(child.stdout, "data")
              child.stdin.write(joined([request(1, "sleep", [1e9]), request(2, "echo")]))
              yield* Effect.promise(() => answered)
            }))
            const outcome = yield* Parley.run(["call", address, "sum", "[1, 2]", "--framing", framing])
            assert.deepStrictEqual(outcome, { code: 0, signal: null, stdout: "3\n", stderr: "" })
          }
        }
      }))

    it.live("answers on the stdio that socat gives it, which is a socket", () =>
      Effect.gen(function*() {
        const address = `EXEC:node bin.ts serve --stdio --framing ${framing}`
        const output = yield* pipe("socat", [...patience, "-", address], joined(questions))
        assert.sameDeepMembers(parsed(wire, output), [...answers])
      }))

    it.live("is called through socat, which connects to it or starts it", () =>
      Effect.gen(function*() {
        const [, unix] = yield* places
        const { address } = yield* Parley.listen([...unix?.serve ?? [], "--framing", framing])
        const relays = [
          yield* listen(socatPlace(address)),
          yield* listen(`EXEC:node bin.ts serve --stdio --framing ${framing}`)
        ]
        for (const relay of relays) {
          for (
            const [method, params, result] of [["echo", { difficult }, { difficult }], ["sum", [1, 2], 3]] as const
          ) {
            const outcome = yield* Parley.run(["call", relay, method, JSON.stringify(params), "--framing", framing])
            assert.deepStrictEqual(outcome, {
              code: 0,
              signal: null,
              stdout: `${JSON.stringify(result)}\n`,
              stderr: ""
            })
          }
        }
      }))
  })

  describe("parley call", () => {
    /** Reads something of the request first: socat drops the answer of a program that ends without. */
    const saying = (script: string) => `SYSTEM:${escaped(`head -c 20 >/dev/null; ${script}`)}`

    /** For socat, which takes quotes away and reads commas and colons itself. */
    const escaped = (text: string) => text.replace(/\W/g, "\\$&")

    interface Stranger {
      readonly name: string
      readonly endpoint: ReturnType<typeof listen>
      readonly framing?: string
      readonly says: RegExp
    }

    const strangers: ReadonlyArray<Stranger> = [
      {
        name: "closes at once",
        endpoint: listen("EXEC:true"),
        says:
          /^parley: [^ ]+: (the other side writes no more|the connection was lost: (read|write) \w+); sum was (?:not )?sent\n$/
      },
      {
        name: "closes when it was asked",
        endpoint: listen(saying("true")),
        says: /^parley: [^ ]+: the other side writes no more; sum was sent\n$/
      },
      {
        name: "resets when it was asked",
        endpoint: listen(saying("true"), { options: ",linger=0,shut-close" }),
        says: /^parley: [^ ]+: the connection was lost: read ECONNRESET; sum was sent\n$/
      },
      {
        name: "says one word",
        endpoint: listen(saying("echo garbage")),
        says: /^parley: [^ ]+: the other side writes no more; sum was sent\n$/
      },
      {
        name: "says one word instead of a header",
        endpoint: listen(saying("echo garbage")),
        framing: "content-length",
        says: /^parley: [^ ]+: a line of a header block is not a field \(at byte 0: garbage\\x0a\); sum was sent\n$/
      },
      {
        name: "talks without end",
        endpoint: listen("EXEC:yes"),
        says: /^parley: [^ ]+: as many texts in a row were no JSON as the limit `badFrames` says; sum was sent\n$/
      },
      {
        name: "talks without end or line",
        endpoint: listen("OPEN:/dev/zero,rdonly", { flags: ["-U"] }),
        says: /^parley: [^ ]+: no response to sum \(id 1\) within 1000 ms(; no text has come [^\n]+)?\n$/
      },
      {
        name: "talks without end or header",
        endpoint: listen("OPEN:/dev/zero,rdonly", { flags: ["-U"] }),
        framing: "content-length",
        says: /^parley: [^ ]+: a header block is larger than 8192 bytes \(at byte 0: (\\x00)+\); sum was sent\n$/
      },
      {
        name: "is silent",
        endpoint: listen(saying("sleep 60")),
        says: /^parley: [^ ]+: no response to sum \(id 1\) within 1000 ms(; no text has come [^\n]+)?\n$/
      },
      {
        name: "answers another call",
        endpoint: listen(saying(`echo '{"jsonrpc":"2.0","id":2,"result":3}'; sleep 60`)),
        says: /^parley: [^ ]+: no response to sum \(id 1\) within 1000 ms(; no text has come [^\n]+)?\n$/
      },
      {
        name: "answers with another version",
        endpoint: listen(saying(`echo '{"jsonrpc":"1.0","id":1,"result":3}'; sleep 60`)),
        says: /^parley: [^ ]+: the response to sum \(id 1\) is invalid: `jsonrpc` must be "2\.0"; it came in [^\n]+\n$/
      }
    ]

    it.live.each(strangers)(
      "exits 2 when the other side $name",
      ({ endpoint, framing = "line", says }) =>
        Effect.gen(function*() {
          const address = yield* endpoint
          const timed = says.source.includes("no response") ? ["--timeout", "1s"] : []
          const outcome = yield* Parley.run(["call", address, "sum", "[1, 2]", "--framing", framing, ...timed])
          assert.deepStrictEqual(outcome, { code: 2, signal: null, stdout: "", stderr: outcome.stderr })
          assert.match(outcome.stderr, says)
        })
    )

    it.live("is its own server where the other side is a mirror", () =>
      Effect.gen(function*() {
        const mirror = yield* listen("PIPE")
        const echo = yield* Parley.run(["call", mirror, "echo", "[1]"])
        assert.deepStrictEqual(echo, { code: 0, signal: null, stdout: "[1]\n", stderr: "" })
        const sum = yield* Parley.run(["call", mirror, "sum", "[1]"])
        assert.deepStrictEqual(sum, {
          code: 1,
          signal: null,
          stdout: "",
          stderr: `parley: ${mirror}: sum (id 1) was answered with error -32601: Method not found\ndata: "sum"\n`
        })
      }))
  })
}

Programs.suites(needed, suites)
