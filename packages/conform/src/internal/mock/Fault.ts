/** The faults of a mock, which it has because somebody asked for it. */
import type * as Duration from "effect/Duration"
import { idSourcesOf } from "../recording/Bindings.ts"

/** The fate of an answer. @category models @since 0.1.0 */
export type Effect =
  | { readonly _tag: "error"; readonly code: number; readonly message?: string | undefined }
  | { readonly _tag: "drop" }
  | { readonly _tag: "close" }
  | { readonly _tag: "garble" }

/** A fault of the answers to a method. @category models @since 0.1.0 */
export interface Fault {
  /** The method; `*` in it stands for any characters. */
  readonly method: string
  readonly effect: Effect
  /** Which of its answers have the fault: each (1), each second (2), and so on. 1 by default. */
  readonly every?: number | undefined
}

/** Answers to a method that come later. @category models @since 0.1.0 */
export interface Delay {
  readonly method: string
  readonly time: Duration.Input
}

/** The fault and the delay of one answer. */
export interface Verdict {
  readonly effect: Effect | undefined
  readonly delay: Duration.Input | undefined
}

/** Counts answers, and tells what becomes of each. */
export class Faults {
  readonly #faults: ReadonlyArray<{ readonly fault: Fault; readonly fits: (method: string) => boolean; count: number }>
  readonly #delays: ReadonlyArray<{ readonly delay: Delay; readonly fits: (method: string) => boolean }>

  constructor(faults: ReadonlyArray<Fault>, delays: ReadonlyArray<Delay>) {
    this.#faults = faults.map((fault) => ({ fault, fits: fitsOf(fault.method), count: 0 }))
    this.#delays = delays.map((delay) => ({ delay, fits: fitsOf(delay.method) }))
  }

  /** The verdict on an answer to these methods. A text that answers nothing has none of it. */
  of(methods: ReadonlyArray<string>): Verdict {
    let effect: Effect | undefined
    for (const one of this.#faults) {
      if (!methods.some((method) => one.fits(method))) continue
      one.count++
      if (one.count % (one.fault.every ?? 1) === 0) effect ??= one.fault.effect
    }
    const delay = this.#delays.find(({ fits }) => methods.some((method) => fits(method)))
    return { effect, delay: delay?.delay.time }
  }
}

/** Whether a method fits a pattern. */
const fitsOf = (pattern: string) => {
  const parts = pattern.split("*")
  const [first = "", ...others] = parts
  const last = others.pop()
  return (method: string): boolean => {
    if (last === undefined) return method === first
    if (!method.startsWith(first) || !method.endsWith(last)) return false
    let at = first.length
    for (const part of others) {
      const found = method.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= method.length - last.length
  }
}

/** The text of an answer with its fault. */
export const spoilt = (text: string, effect: Effect): string => {
  switch (effect._tag) {
    case "error": {
      const error = { code: effect.code, message: effect.message ?? "a fault of the mock" }
      const answers = idSourcesOf(text).map((id) => `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`)
      return answers.length === 1 ? answers.join("") : `[${answers.join(",")}]`
    }
    case "garble":
      return text.slice(0, Math.ceil(text.length / 2))
    case "drop":
    case "close":
      return text
  }
}
