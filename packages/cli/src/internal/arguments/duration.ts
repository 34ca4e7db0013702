/**
 * A duration as people write it: `500ms`, `5s`, `1.5m`, `2h`, or `none`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CommandError, usage } from "../terminal/CommandError.ts"

/** The duration of a text; `none` is infinite. */
export const fromText = (text: string): Option.Option<Duration.Duration> => {
  if (text === "none") return Option.some(Duration.infinity)
  const [, digits, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const milliseconds = Number(digits) * (units[unit] ?? NaN)
  return milliseconds > 0 && Number.isFinite(milliseconds)
    ? Option.some(Duration.millis(milliseconds))
    : Option.none()
}

/** The duration of a text that has one. Partial: throws for another text. */
export const fromTextUnsafe = (text: string): Duration.Duration => Option.getOrThrow(fromText(text))

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** The duration of the flag `--timeout`. */
export const fromFlag = (text: string): Effect.Effect<Duration.Duration, CommandError> =>
  Option.match(fromText(text), {
    onNone: () =>
      Effect.fail(usage(`${JSON.stringify(text)} is not a duration`, "for example --timeout 500ms, 5s or 2m, or none")),
    onSome: Effect.succeed
  })
