import { assert, describe, it } from "@effect/vitest"
import * as Corpus from "@parley/conformance/Corpus"
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import { Effect, Queue, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { bin } from "./Parley.ts"

interface Server {
  /** The answer of the server to a text, which arrives in chunks of these sizes. */
  readonly ask: (text: string, sizes: () => number) => Effect.Effect<ReadonlyArray<string>>
  /** Ends the input, and waits for the exit code. */
  readonly end: Effect.Effect<number | null>
}

const start = (framing: Framing.Framing, name: string): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [bin, "serve", "--stdio", "--framing", name], { stdio: ["pipe", "pipe", "ignore"] })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const exited = once(child, "exit")
    const splitter = framing.splitter(Limits.defaults)
    const answers = yield* Queue.unbounded<string>()
    child.stdout.on("data", (chunk: Uint8Array) => {
      for (const frame of splitter.push(chunk)) Queue.offerUnsafe(answers, String(frame))
    })
    let asked = 0
    return {
      ask: (text, sizes) =>
        Effect.gen(function*() {
          // A request behind the text, whose answer tells that the server has dealt with the text.
          const id = `after ${asked++}`
          const bytes = framing.join([text, `{"jsonrpc":"2.0","id":"${id}","method":"get_data"}`])
          for (let at = 0; at < bytes.length;) {
            const size = sizes()
            const chunk = bytes.subarray(at, at += size)
            yield* Effect.promise(() => new Promise((resolve) => child.stdin.write(chunk, resolve)))
          }
          const before: Array<string> = []
          while (true) {
            const answer = yield* Queue.take(answers)
            if (answer.includes(`"id":"${id}"`)) return before
            before.push(answer)
          }
        }),
      end: Effect.promise(async () => {
        child.stdin.end()
        await exited
        return child.exitCode
      })
    }
  })

/** Sizes that look random and are the same in every run. */
const cuts = (seed: number, largest: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return 1 + (seed % largest)
}

const suites = [
  { name: "line", framing: Framing.line, cases: Corpus.corpus.filter(Corpus.isLine) },
  { name: "content-length", framing: Framing.contentLength, cases: Corpus.corpus }
]

describe.each(suites)("parley serve --stdio --framing $name", ({ cases, framing, name }) => {
  const all = (sizesOf: (text: string) => () => number) =>
    Effect.gen(function*() {
      const server = yield* start(framing, name)
      const wrong: Array<string> = []
      for (const one of cases) {
        const answers = yield* server.ask(one.input, sizesOf(one.input))
        const verdict = answers.length > 1 ? `${answers.length} answers` : Corpus.compare(one, answers[0])
        if (verdict !== undefined) wrong.push(`${one.name}: ${verdict.slice(0, 300)}`)
      }
      assert.deepStrictEqual(wrong, [])
      assert.strictEqual(yield* server.end, 0)
    })

  it.live("answers every case of the corpus", () => all(() => () => Infinity))

  it.live("answers every case of the corpus, wherever the bytes are cut", () =>
    all((text) => cuts(text.length, text.length < 400 ? 7 : text.length)))
})
