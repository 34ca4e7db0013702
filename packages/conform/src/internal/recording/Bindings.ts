/**
 * Values of a recording that have others in a conversation of now: ids, tokens, and what else was drawn. A text of the
 * recording is sent with the values of now, and everything else in it stays as it was written.
 */
import { RequestId } from "@parley/protocol/shared"
import { mark } from "@parley/traffic/Redaction"
import type { Bind, Rules } from "./difference.ts"
import { placesOf } from "./places.ts"
import * as shapes from "./shapes.ts"

const redacted = JSON.stringify(mark)

/** How many values are remembered. Beyond that, the oldest is forgotten. */
const most = 10_000

export class Bindings {
  /** Whole values of members that carry tokens, by their recorded texts. */
  readonly #tokens = new Map<string, string>()
  /** Drawn texts that may stand within others. */
  readonly #drawn = new Map<string, string>()
  /** Requests by their recorded ids, for those that name one: cancellations. */
  readonly #requests = new Map<string, string>()

  /** Values in place of secrets that were left out, by the names of their members. */
  readonly #secrets = new Map<string, string>()

  /** Remembers a recorded value and what stands in its place now. */
  readonly bind: Bind = (recorded, came, name) => {
    if (recorded === mark && name !== undefined) return remember(this.#secrets, name, JSON.stringify(came))
    if (shapes.isTokenName(name)) {
      remember(this.#tokens, JSON.stringify(recorded), JSON.stringify(came))
      // A token that is no small number or word is found wherever it stands.
      if (typeof recorded === "string" && typeof came === "string" && recorded.length >= 8) {
        remember(this.#drawn, recorded, came)
      }
      return
    }
    if (typeof recorded !== "string" || typeof came !== "string") return
    const [ours, theirs] = [shapes.drawnOf(recorded), shapes.drawnOf(came)]
    if (ours.length === theirs.length) ours.forEach((one, at) => remember(this.#drawn, one, theirs[at] ?? one))
  }

  /** Remembers the id of a request, as it is written. */
  request(recorded: string, now: string): void {
    remember(this.#requests, recorded, now)
  }

  /** The id that a request has now. */
  requestOf(recorded: string): string | undefined {
    return this.#requests.get(recorded)
  }

  /** Whether a value of now stands for a recorded one. */
  readonly isBound: Rules["isBound"] = (recorded, came, name) => {
    if (isRequestName(name)) {
      const request = this.#requests.get(keyOfSource(JSON.stringify(recorded)))
      return request !== undefined && request === JSON.stringify(came)
    }
    return typeof recorded === "string" && typeof came === "string" && this.#drawn.size > 0
      && this.#within(recorded) === came
  }

  /**
   * The text with the values of now. `idOf` gives the id of a message, as it is written, in place of the recorded one.
   */
  text(text: string, idOf: (key: string, source: string) => string | undefined = () => undefined): string {
    let result = ""
    let from = 0
    const top = topOf(text)
    for (const { depth, end, name, start } of placesOf(text)) {
      const source = text.slice(start, end)
      const by = depth === top && name === "id" ? idOf(keyOfSource(source), source) : this.#valueOf(source, name)
      if (by === undefined || by === source) continue
      result += text.slice(from, start) + by
      from = end
    }
    return from === 0 ? text : result + text.slice(from)
  }

  #valueOf(source: string, name: string | undefined): string | undefined {
    if (source === redacted && name !== undefined) return this.#secrets.get(name)
    const known = isRequestName(name)
      ? this.#requests.get(keyOfSource(source))
      : shapes.isTokenName(name)
      ? this.#tokens.get(source)
      : undefined
    if (known !== undefined) return known
    if (!source.startsWith("\"") || this.#drawn.size === 0) return undefined
    return this.#within(source)
  }

  #within(text: string): string {
    let result = text
    for (const [recorded, now] of this.#drawn) {
      if (result.includes(recorded)) result = result.replaceAll(recorded, now)
    }
    return result
  }
}

/** Whether a member of a notification names a request that is cancelled. */
const isRequestName = (name: string | undefined): boolean => name === "id" || name === "requestId"

const remember = (map: Map<string, string>, recorded: string, now: string): void => {
  map.set(recorded, now)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

/** The depth of the members of a message: one more in a batch. */
const topOf = (text: string): number => /^\s*\[/.test(text) ? 2 : 1

/** The key of an id as it is written. */
export const keyOfSource = (source: string): string => {
  const parsed: unknown = JSON.parse(source)
  const id = RequestId.fromParsed(parsed, () => source)
  return id === undefined ? source : RequestId.keyOf(id)
}

/** The ids of the messages of a text as they are written, in their order. */
export const idSourcesOf = (text: string): ReadonlyArray<string> => {
  const top = topOf(text)
  return placesOf(text).flatMap(({ depth, end, name, start }) =>
    depth === top && name === "id" ? [text.slice(start, end)] : []
  )
}
