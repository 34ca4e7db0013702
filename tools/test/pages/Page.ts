/** The blocks of one page, as files and programs. */
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fencesOf } from "../../docs/Fence.ts"

const root = join(import.meta.dirname, "../../..")

/** The only block of a page that has this language and this text. */
export const block = (page: string, language: string, text: string): string => {
  const all = fencesOf(page, readFileSync(join(root, page), "utf8"))
  const found = all.filter((fence) => fence.language === language && fence.code.includes(text))
  assert.lengthOf(found, 1, `${page} has one block of ${language} with ${text}`)
  return found[0]?.code ?? ""
}

/** A folder that git ignores, where programs find the packages. */
export const folder = (name: string): string => {
  const path = join(root, ".tmp/pages", name)
  mkdirSync(path, { recursive: true })
  return path
}

/** Writes a file, and returns its path. */
export const save = (folder: string, name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

export interface Running {
  readonly pid: number
  /** All that it has printed so far, on either stream. */
  readonly printed: () => string
  /** Its exit code, or the name of the signal that ended it. */
  readonly exit: Effect.Effect<number | NodeJS.Signals | null>
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
}

/** Runs a command until it prints what is waited for. It is ended with the Scope. */
export const start = (
  command: string,
  args: ReadonlyArray<string>,
  { env, until }: { readonly env?: NodeJS.ProcessEnv; readonly until?: RegExp } = {}
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const ended = once(child, "exit")
    let printed = ""
    yield* Effect.callback<void>((resume) => {
      const look = (chunk = "") => {
        printed += chunk
        if (until === undefined || until.test(printed)) resume(Effect.void)
      }
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", look)
      child.on("exit", () => resume(Effect.die(new Error(`it has ended: ${printed}`))))
      child.on("error", (error) => resume(Effect.die(error)))
      look()
    })
    return {
      pid: child.pid ?? 0,
      printed: () => printed,
      exit: Effect.map(Effect.promise(() => ended), ([code, signal]) => code ?? signal),
      kill: (signal) => Effect.sync(() => void child.kill(signal))
    }
  })

/** Tries until it succeeds. */
export const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  Effect.catch(effect, () => Effect.andThen(Effect.sleep("100 millis"), eventually(effect)))
