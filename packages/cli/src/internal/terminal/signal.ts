/**
 * The signals that ask a process to end.
 */
import * as Effect from "effect/Effect"
import { CommandError, ExitCode } from "./CommandError.ts"

/** SIGHUP comes when the terminal is closed: the servers that a command has started lead groups of their own, and stay. */
const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const

type Name = typeof names[number]

/** Waits for one of them. Only the first is taken: a second one ends the process at once, as it would without us. */
export const receivedOf = (names: ReadonlyArray<Name>): Effect.Effect<Name> =>
  Effect.callback((resume) => {
    const forget = () => {
      for (const name of names) process.off(name, end)
    }
    const end = (name: NodeJS.Signals) => {
      forget()
      // It is heard for these alone.
      resume(Effect.succeed(name as Name))
    }
    for (const name of names) process.on(name, end)
    return Effect.sync(forget)
  })

/** Waits for any of them. */
export const received: Effect.Effect<Name> = receivedOf(names)

/** Fails when one of them comes: the command has not done what it was to do. */
export const ended: Effect.Effect<never, CommandError> = Effect.flatMap(
  received,
  (name) => Effect.fail(new CommandError({ exitCode: ExitCode[name], message: `ended by ${name}` }))
)
