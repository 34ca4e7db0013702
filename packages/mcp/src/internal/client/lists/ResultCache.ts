/**
 * Results that the server allows to be kept, for as long as it says. A client has one identity, so it also keeps
 * results that are private.
 */
import type * as Message from "@parley/protocol/Message"
import * as Uri from "../../Uri.ts"
import type * as Notices from "../changes/Notices.ts"
import { mostWeight, weightOf } from "./weight.ts"

/** @internal */
export interface ResultCache {
  /** What was kept under a key, if its time is not over. */
  readonly get: (method: string, key: string, now: number) => object | undefined
  /** How often something was forgotten. */
  readonly changes: () => number
  /** Keeps a result for so many milliseconds, unless something was forgotten since it was asked for: it may be older. */
  readonly set: (method: string, key: string, value: object, ttl: number, now: number, since: number) => void
  /** Forgets the results of methods. */
  readonly forget: (...methods: ReadonlyArray<string>) => void
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
export const make = (capacity: number, notices: Notices.Notices): ResultCache => {
  const entries = new Map<string, Entry>()
  const named = (method: string, key: string) => `${method} ${key}`

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
      if (method === "resources/read" && isWithin(uri, key)) remove(name)
    }
  }

  notices.on("notifications/tools/list_changed", () => forget("tools/list"))
  notices.on("notifications/prompts/list_changed", () => forget("prompts/list"))
  notices.on("notifications/resources/list_changed", () => forget("resources/list", "resources/templates/list"))
  notices.on("notifications/resources/updated", updated)

  return {
    get: (method, key, now) => {
      const name = named(method, key)
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
    set: (method, key, value, ttl, now, since) => {
      if (capacity === 0 || ttl <= 0 || since !== changes) return
      const name = named(method, key)
      remove(name)
      entries.set(name, { method, key, value, until: now + Math.min(ttl, longest) })
      weight += weightOf(value)
      for (const oldest of entries.keys()) {
        if (entries.size <= capacity && weight <= mostWeight) break
        remove(oldest)
      }
    },
    forget
  }
}

/** Whether a resource is another one, or a part of it. @internal */
export const isWithin = (uri: string, whole: string): boolean => isPartOf(Uri.normalised(uri), Uri.normalised(whole))

const isPartOf = (uri: string, whole: string): boolean =>
  uri === whole || (uri.startsWith(whole) && (whole.endsWith("/") || "/?#".includes(uri[whole.length] ?? " ")))
