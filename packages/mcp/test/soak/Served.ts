/** The server of the soak: a process of its own, which says how it fares. */
import { Effect, type Scope } from "effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

export interface Stats {
  /** Handlers that run. */
  readonly running: number
  /** What keeps its event loop. */
  readonly resources: ReadonlyArray<string>
  /** Bytes of memory in use, when all that can be collected is. */
  readonly used: number
}

/** What it is asked: how it fares, or to let time pass. */
export type Question = { readonly _tag: "Stats" } | { readonly _tag: "Pass"; readonly milliseconds: number }

export interface Served {
  readonly url: string
  readonly stats: Effect.Effect<Stats>
  /** Lets time pass, where it does not pass by itself. */
  readonly pass: (milliseconds: number) => Effect.Effect<void>
}

/** Starts it, until the Scope closes. Without an idle time it has the default one, and a clock that stands still. */
export const start = Effect.fnUntraced(function*(
  options: { readonly tools: number; readonly idle?: number }
): Effect.fn.Return<Served, never, Scope.Scope> {
  const { idle, tools } = options
  const args = [String(tools), ...(idle === undefined ? [] : [String(idle)])]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(fileURLToPath(new URL("serving.ts", import.meta.url)), args, { execArgv: ["--expose-gc", "--no-warnings"] })
    ),
    (child) =>
      Effect.promise(async () => {
        const ended = once(child, "exit")
        child.kill()
        if (child.exitCode === null) await ended
      })
  )
  // What `serving.ts` sends: its URL, then an answer to each question.
  const heard = async <A>(): Promise<A> => (await once(child, "message"))[0] as A
  const ask = <A>(question: Question) =>
    Effect.promise(() => {
      const answer = heard<A>()
      child.send(question)
      return answer
    })
  return {
    url: yield* Effect.promise(() => heard<string>()),
    stats: ask<Stats>({ _tag: "Stats" }),
    pass: (milliseconds) => ask({ _tag: "Pass", milliseconds })
  }
})
