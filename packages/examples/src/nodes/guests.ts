/** The clients of a trial as a process: they call from their start until they are told to stop. */
import { Deferred, Effect, Random } from "effect"
import * as Program from "./cluster/Program.ts"
import * as Load from "./Load.ts"

/** The settings of this program. */
export interface Settings {
  readonly url: string
  readonly guests: number
  /** Calls a second; half of what the machine carries where it is absent. */
  readonly rate?: number | undefined
  readonly seed: string
}

/** The last word of this program. */
export interface Report {
  readonly calls: ReadonlyArray<Load.Call>
  /** How many guests still have a session that is answered. */
  readonly answered: number
}

const settings = Program.settings<Settings>()

const program = Effect.gen(function*() {
  const stopped = yield* Deferred.make<void>()
  Program.serve(() => Deferred.doneUnsafe(stopped, Effect.void))
  const guests = yield* Load.visit(settings.url, settings.guests)
  const rate = settings.rate ?? (yield* Load.saturate(guests, 128, 5)) / 2
  Program.say(rate)
  const calls = yield* Load.during(guests, rate, Deferred.await(stopped))
  Program.say({ calls, answered: yield* Load.answered(guests) } satisfies Report)
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(Random.withSeed(program, settings.seed)))
