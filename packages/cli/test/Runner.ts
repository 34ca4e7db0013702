/**
 * A process that runs the command once for each test that asks: to start it takes longer than what it does. It ends with
 * the worker whose tests it serves.
 */
import { Deferred, Effect, Queue, Semaphore } from "effect"
import { spawn } from "node:child_process"
import type { Outcome } from "./Parley.ts"

interface Runner {
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<Outcome>
  readonly kill: Effect.Effect<void>
}

const script = new URL("fixtures/runner.ts", import.meta.url).pathname

const start = (): Runner => {
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "pipe", "ipc"] })
  const [stdout, stderr] = [endsIn(child.stdout!), endsIn(child.stderr!)]
  const ended = Effect.runSync(Deferred.make<never>())
  child.on("close", (code, signal) => {
    if (current === runner) current = undefined
    Deferred.doneUnsafe(ended, Effect.die(new Error(`the runner ended with ${code ?? signal}: ${stderr.rest()}`)))
  })
  const runner: Runner = {
    run: (args) =>
      Effect.sync(() => child.send(args)).pipe(
        Effect.andThen(Effect.all([stdout.next, stderr.next])),
        Effect.map(([[stdout, code], [stderr]]) => ({ code, signal: null, stdout, stderr })),
        Effect.raceFirst(Deferred.await(ended))
      ),
    kill: Effect.sync(() => {
      if (current === runner) current = undefined
      child.kill("SIGKILL")
    })
  }
  return runner
}

let current: Runner | undefined
const turn = Semaphore.makeUnsafe(1)

/** Runs `parley` to its end, without input. */
export const run = (args: ReadonlyArray<string>): Effect.Effect<Outcome> =>
  turn.withPermit(Effect.suspend(() => {
    const runner = current ??= start()
    // A run that a test has given up delays no other.
    return Effect.onInterrupt(runner.run(args), () => runner.kill)
  }))

/** The output of each run, and its exit code. */
const endsIn = (stream: NodeJS.ReadableStream) => {
  const ends = Effect.runSync(Queue.unbounded<readonly [text: string, code: number]>())
  let rest = ""
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    rest += chunk
    for (let end = mark.exec(rest); end !== null; end = mark.exec(rest)) {
      Queue.offerUnsafe(ends, [rest.slice(0, end.index), Number(end[1])])
      rest = rest.slice(end.index + end[0].length)
    }
  })
  return { next: Queue.take(ends), rest: () => rest }
}

const mark = /\0(\d+)\n/
