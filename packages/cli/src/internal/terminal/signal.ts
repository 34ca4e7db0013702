/**
 * The signals that ask a process to end.
 */
import * as Effect from "effect/Effect"
import { CommandError, ExitCode } from "./CommandError.ts"

/** SIGHUP comes when the terminal is closed: the servers that a command has started lead groups of their own, and stay. */
const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const

type Name = typeof names[number]

let hasCome = false

/** Waits for an end that may never come, as of what nobody reads; but not for long once a signal has come. */
export const patient = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => hasCome ? Effect.asVoid(Effect.timeoutOption(effect, patience)) : effect)

/** Milliseconds. */
const patience = 1_000

/** Waits for one of them. Only the first is taken: a second one ends the process and its servers at once. */
export const receivedOf = (names: ReadonlyArray<Name>): Effect.Effect<Name> =>
  Effect.callback((resume) => {
    const forget = () => {
      for (const name of names) process.off(name, end)
    }
    const end = (name: NodeJS.Signals) => {
      hasCome = true
      forget()
      exitAtNext()
      // It is heard for these alone.
      resume(Effect.succeed(name as Name))
    }
    for (const name of names) process.on(name, end)
    return Effect.sync(forget)
  })

/** A process that a signal kills runs nothing at its exit, which ends the servers that ignore their end. */
const exitAtNext = () => {
  for (const name of names) process.once(name, () => process.exit(ExitCode[name]))
}

/** Waits for any of them. */
export const received: Effect.Effect<Name> = receivedOf(names)

/** Fails when one of them comes: the command has not done what it was to do. */
export const ended: Effect.Effect<never, CommandError> = Effect.flatMap(
  received,
  (name) => Effect.fail(new CommandError({ exitCode: ExitCode[name], message: `ended by ${name}` }))
)

/** A signal is no failure of a command that has done what it was to do, and that goes on until it is ended. */
export const endsWell = (isDone: () => boolean) => <A, R>(effect: Effect.Effect<A, CommandError, R>) =>
  Effect.catchIf(
    effect,
    ({ exitCode }) => isDone() && names.some((name) => ExitCode[name] === exitCode),
    () => Effect.void
  )
