/** Faults and delays as people write them: `METHOD=error:CODE`, `METHOD=drop:every 3`, `METHOD=200ms`. */
import type * as Mock from "@parley/conform/Mock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as duration from "../arguments/duration.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"

/** The fault of a flag. */
export const faultOf = (text: string): Effect.Effect<Mock.Fault, CommandError> => {
  const [method, words] = split(text)
  const [what = "", count, ...others] = words.split(":every ")
  const effect = effectOf(what)
  const every = count === undefined ? 1 : /^\d{1,9}$/.test(count) ? Number(count) : 0
  return method === "" || effect === undefined || every < 1 || others.length > 0
    ? Effect.fail(usage(
      `--fault ${JSON.stringify(text)} is no fault`,
      "for example --fault tools/call=error:-32000, 'echo=drop:every 3', 'tools/*=close' or echo=garble"
    ))
    : Effect.succeed({ method, effect, every })
}

/** A method may have `=` in it, and what becomes of it has none. */
const split = (text: string): readonly [method: string, rest: string] => {
  const at = text.lastIndexOf("=")
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + 1)]
}

const effectOf = (text: string): Mock.FaultEffect | undefined => {
  const [, code] = /^error:(-?\d{1,9})$/.exec(text) ?? []
  if (code !== undefined) return { _tag: "error", code: Number(code) }
  return text === "drop" || text === "close" || text === "garble" ? { _tag: text } : undefined
}

/** The delay of a flag. */
export const delayOf = (text: string): Effect.Effect<Mock.Delay, CommandError> => {
  const [method, time] = split(text)
  const found = duration.fromText(time)
  return method === "" || Option.isNone(found)
    ? Effect.fail(usage(`--delay ${JSON.stringify(text)} is no delay`, "for example --delay tools/call=200ms"))
    : Effect.succeed({ method, time: found.value })
}
