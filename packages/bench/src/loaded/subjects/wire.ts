/** The wires of loads: a transport in the hands of the load, requests as texts, and scopes that stay open. */
import { Direct } from "@parley/transport/shared"
import type { Transport } from "@parley/transport/Transport"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { small } from "../../Subject.ts"
import { idOf } from "./ticker.ts"

type Texts = NonEmptyReadonlyArray<string>

/** The other side of a transport. */
export interface Raw {
  readonly transport: Transport
  /** Brings a chunk of texts to the side that is measured. */
  readonly say: (texts: ReadonlyArray<string>) => void
}

/** A transport whose other side hears the texts of each write. It writes at once, unless `hear` returns an effect. */
export const raw = (hear: (texts: Texts) => Effect.Effect<void> | void): Raw => {
  const chunks: Array<Texts> = []
  let resume: Parameters<Direct.Take>[0] | undefined
  return {
    transport: {
      receive: Direct.receive((take) => {
        const chunk = chunks.shift()
        if (chunk !== undefined) {
          take(Exit.succeed(chunk))
          return undefined
        }
        resume = take
        return () => {
          resume = undefined
        }
      }),
      send: Direct.send((texts) => hear(texts) ?? Exit.void),
      close: Effect.void
    },
    say: ([first, ...others]) => {
      if (first === undefined) return
      const waiting = resume
      resume = undefined
      if (waiting === undefined) chunks.push([first, ...others])
      else waiting(Exit.succeed([first, ...others]))
    }
  }
}

/** Answers the requests that open subscriptions with ids from 1, each in a chunk of its own. */
export const opening = (say: (texts: ReadonlyArray<string>) => void) => {
  let last = 0
  return (texts: ReadonlyArray<string>): void => {
    for (const text of texts) {
      const { id, method } = JSON.parse(text)
      if (method !== "ticks") continue
      const reply = JSON.stringify({ jsonrpc: "2.0", id, result: idOf(++last) })
      setImmediate(() => say([reply]))
    }
  }
}

/** A request with the payload of all tables. */
export const request = (id: number, method: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params: small })

/** A Scope that stays open as long as its load, and what it gives. */
export const scoped = async <A, E>(
  effect: Effect.Effect<A, E, Scope.Scope>
): Promise<readonly [A, () => Promise<void>]> => {
  const scope = Scope.makeUnsafe()
  const value = await Effect.runPromise(Scope.provide(effect, scope))
  return [value, () => Effect.runPromise(Scope.close(scope, Exit.void))]
}

export const immediate = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds))

/** Waits until so many have come: `come` says that one more has. */
export const counter = () => {
  let missing = 0
  let done: (() => void) | undefined
  return {
    come: (count = 1): void => {
      missing -= count
      if (missing > 0) return
      const resolve = done
      done = undefined
      resolve?.()
    },
    wait: (count: number): Promise<void> =>
      new Promise((resolve) => {
        missing += count
        if (missing <= 0) resolve()
        else done = resolve
      })
  }
}
