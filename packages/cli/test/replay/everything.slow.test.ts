/** server-everything, recorded by the command: its clients cannot tell the mock from it, and a replay finds no difference. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Recording from "@parley/conform/Recording"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as everything from "../../../mcp/test/support/everything.ts"
import * as Parley from "../Parley.ts"
import { clients } from "./Sessions.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-replay-"))

afterAll(() => rmSync(folder, { recursive: true }))

/** One of its tools shows the environment, which has names and values that look like secrets. */
const secrets = "--secrets"

const server = [process.execPath, everything.program, "stdio"]

const recordingOf = (file: string) => Recording.fromText(readFileSync(file, "utf8"))

/** The texts of a recording in their order. */
const textsOf = (file: string): ReadonlyArray<string> =>
  recordingOf(file).conversations.flatMap(({ steps }) =>
    steps.flatMap((step) =>
      step._tag === "ClientText" ? [`> ${step.text}`] : step._tag === "ServerText" ? [`< ${step.text}`] : []
    )
  )

/** What is the same whichever stream is read first. */
const sides = (texts: ReadonlyArray<string>) => ({
  sent: texts.filter((text) => text.startsWith(">")).toSorted(),
  received: texts.filter((text) => text.startsWith("<")).toSorted()
})

/** Records what a client does over HTTP. */
const recordedOverHttp = (url: string, out: string, use: (url: string) => Effect.Effect<unknown, unknown>) =>
  Effect.scoped(Effect.gen(function*() {
    const recorder = yield* Parley.start([
      "record",
      url,
      ...["--out", out, "--listen", "http://127.0.0.1:0/mcp"],
      secrets
    ])
    const line = yield* recorder.errorLine
    const result = yield* use(line.replace("listening ", ""))
    yield* recorder.signal("SIGTERM")
    yield* recorder.outcome
    return result
  }))

describe.each(clients)("$name before server-everything", ({ http, name, stdio }) => {
  const file = (what: string) => join(folder, `${name}-${what}.jsonl`.replaceAll(/[ ,]/g, "-"))

  it.live("cannot tell a mock over stdio from it: all texts are equal", () =>
    Effect.gen(function*() {
      const [first, second] = [file("stdio"), file("stdio-mock")]
      const record = (out: string) => [Parley.bin, "record", secrets, "--out", out, "--listen", "stdio:", "--"]
      const real = yield* stdio([...record(first), ...server])
      const mocked = yield* stdio([
        ...record(second),
        process.execPath,
        Parley.bin,
        "mock",
        first,
        "--stdio",
        "--strict"
      ])
      assert.deepStrictEqual(mocked, real)
      const texts = textsOf(first)
      assert.deepStrictEqual(sides(textsOf(second)), sides(texts))
      for (const method of ["sampling/createMessage", "elicitation/create", "roots/list", "notifications/progress"]) {
        assert.isTrue(texts.some((text) => text.startsWith("<") && text.includes(`"method":"${method}"`)), method)
      }
    }), 120_000)

  it.live(
    "cannot tell a mock over HTTP from it, and a replay finds no difference",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const url = yield* everything.serve("streamableHttp", "/mcp")
        const [first, second] = [file("http"), file("http-mock")]
        const real = yield* recordedOverHttp(url, first, http)
        const replayed = yield* Parley.run([
          "replay",
          first,
          url,
          // Which of them come, and how many, is drawn.
          ...["--ignore", "notifications/message", "--ignore", "notifications/resources/updated"],
          ...["--format", "json"]
        ])
        assert.strictEqual(replayed.code, 0, replayed.stdout + replayed.stderr)
        const mock = yield* Parley.start(["mock", first, "--http", "127.0.0.1:0/mcp", "--strict"])
        const mocked = yield* recordedOverHttp((yield* mock.line).replace("listening ", ""), second, http)
        assert.deepStrictEqual(mocked, real)
        assert.deepStrictEqual(sides(textsOf(second)), sides(textsOf(first)))
        yield* mock.signal("SIGTERM")
        const outcome = yield* mock.outcome
        assert.strictEqual(outcome.code, 0, outcome.stderr)
      })),
    120_000
  )
})
