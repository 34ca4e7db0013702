/**
 * The flags of what is shown. What shows it is loaded when it is asked for.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import type * as Display from "./Display.ts"
import * as Filter from "./Filter.ts"
import * as Watch from "./Watch.ts"

/** The flags that say what is shown. */
export interface Shown {
  readonly show: Option.Option<string>
  readonly secrets: boolean
}

/** The flags of a command that shows its own traffic. */
export interface Traced extends Shown {
  readonly trace: boolean
}

/** The filter of `--show`. */
export const filterOf = ({ show }: Shown): Effect.Effect<Filter.Filter, CommandError> =>
  Option.match(show, {
    onNone: () => Effect.succeed(Filter.everything),
    onSome: (text) =>
      Effect.mapError(
        Effect.fromResult(Filter.fromText(text)),
        (why) =>
          usage(
            `--show: ${why}`,
            `a term is a pattern of methods, such as tools/*, or one of ${Filter.kinds.join(", ")}; `
              + "! before it leaves out what it names, as in --show 'tools/*,error,!ping'"
          )
      )
  })

/** Shows the traffic on stderr where the flags ask for it. */
export const traced = (
  input: Traced,
  { dialect, isShared }: Pick<Display.Options, "dialect" | "isShared">
): Effect.Effect<Watch.Watch, CommandError> =>
  Effect.gen(function*() {
    const filter = yield* filterOf(input)
    if (!input.trace && Option.isNone(input.show)) return Watch.none
    const [{ make }, Watcher] = yield* Effect.promise(() =>
      Promise.all([import("./Display.ts"), import("./Watcher.ts")])
    )
    return Watcher.make(make({ stream: process.stderr, dialect, filter, isShared, secrets: input.secrets }), dialect)
  })
