/**
 * Results that the server allows to be kept, for as long as it says. A private result is given only to the identity that
 * it was sent to: the credentials of a client may change from request to request.
 */
import type * as Message from "@parley/protocol/Message"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Uri from "../../../shared/Uri.ts"
import type * as Notices from "../changes/Notices.ts"
import { mostWeight, weightOf } from "./weight.ts"

/** @internal */
export interface ResultCache {
  /** Identifies the sender of requests now; `undefined` where it never changes. */
  readonly identity: Effect.Effect<string | undefined>
  /** Returns the entry of a key, for everybody or for one identity, if its time is not over. */
  readonly get: (method: string, key: string, now: number, identity: string | undefined) => object | undefined
  /** How often something was forgotten. */
  readonly changes: () => number
  /**
   * Keeps a result for as long as it says, unless something was forgotten since it was asked for: it may be older. Nor is a
   * private one kept where the identity has changed meanwhile: nobody knows which of them it is for.
   */
  readonly keep: (
    method: string,
    key: string,
    value: Cacheable,
    since: number,
    identity: string | undefined
  ) => Effect.Effect<void>
  /** Forgets the results of methods. */
  readonly forget: (...methods: ReadonlyArray<string>) => void
}

/** A result that says how long it may be kept, and for whom. @internal */
export interface Cacheable {
  readonly ttlMs?: number | undefined
  readonly cacheScope?: "public" | "private" | undefined
}

interface Entry {
  readonly method: string
  readonly key: string
  readonly value: object
  readonly until: number
}

/** The longest time that anything is kept: a server that says more may be wrong about its own life. */
const longest = 24 * 60 * 60 * 1_000

/** Keeps so many results, and no more than a weight of them; the one that was not used for longest goes first. @internal */
export const make = (
  capacity: number,
  notices: Notices.Notices,
  asks: Effect.Effect<string> | undefined
): ResultCache => {
  const entries = new Map<string, Entry>()
  const named = (method: string, key: string, identity: string | undefined) =>
    identity === undefined ? `${method} ${key}` : `${method} ${key}\n${identity}`
  const identity: ResultCache["identity"] = asks === undefined || capacity === 0 ? Effect.undefined : asks

  let changes = 0
  let weight = 0

  const remove = (name: string) => {
    const entry = entries.get(name)
    if (entry === undefined) return
    entries.delete(name)
    weight -= weightOf(entry.value)
  }

  const forget: ResultCache["forget"] = (...methods) => {
    changes++
    for (const [name, { method }] of entries) if (methods.includes(method)) remove(name)
  }

  const updated = (params: Message.Params | undefined) => {
    // An array has no such member.
    const uri = (params as { readonly uri?: unknown } | undefined)?.uri
    if (typeof uri !== "string") return forget("resources/read")
    changes++
    for (const [name, { key, method }] of entries) {
      if (method === "resources/read" && Uri.isWithin(uri, key)) remove(name)
    }
  }

  notices.on("notifications/tools/list_changed", () => forget("tools/list"))
  notices.on("notifications/prompts/list_changed", () => forget("prompts/list"))
  notices.on("notifications/resources/list_changed", () => forget("resources/list", "resources/templates/list"))
  notices.on("notifications/resources/updated", updated)

  const set = (method: string, key: string, value: object, until: number, identity: string | undefined) => {
    const name = named(method, key, identity)
    remove(name)
    entries.set(name, { method, key, value, until })
    weight += weightOf(value)
    for (const oldest of entries.keys()) {
      if (entries.size <= capacity && weight <= mostWeight) break
      remove(oldest)
    }
  }

  return {
    identity,
    get: (method, key, now, identity) => {
      const own = named(method, key, identity)
      const name = entries.has(own) ? own : named(method, key, undefined)
      const entry = entries.get(name)
      if (entry === undefined) return undefined
      if (entry.until <= now) {
        remove(name)
        return undefined
      }
      entries.delete(name)
      entries.set(name, entry)
      return entry.value
    },
    changes: () => changes,
    keep: (method, key, value, since, asked) => {
      const { cacheScope, ttlMs = 0 } = value
      if (capacity === 0 || ttlMs <= 0 || since !== changes) return Effect.void
      const isPublic = cacheScope === "public"
      return Effect.flatMap(
        isPublic ? Effect.undefined : identity,
        (now) =>
          Effect.map(Clock.currentTimeMillis, (at) => {
            if (since !== changes || (!isPublic && now !== asked)) return
            set(method, key, value, at + Math.min(ttlMs, longest), isPublic ? undefined : asked)
          })
      )
    },
    forget
  }
}
