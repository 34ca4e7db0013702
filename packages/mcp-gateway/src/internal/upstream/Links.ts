/**
 * The URIs to which the results of a server have referred, which nobody else may answer for. There are only so many: a server
 * that refers to new ones without an end forgets its own.
 */
import { Uri } from "@parley/mcp/shared"
import { JsonObject } from "@parley/protocol/shared"

/** @internal */
export class Links {
  readonly #all = new Map<string, number>()
  #characters = 0

  /** When a URI was referred to first. */
  at(uri: string): number | undefined {
    return this.#all.get(Uri.normalised(uri))
  }

  /** Remembers the URIs in the content of a result: links, embedded resources, and what was read. */
  learn(content: unknown) {
    const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content.slice(0, mostOfOne) : [content]
    for (const block of blocks) {
      if (!JsonObject.isObject(block)) continue
      const { resource, uri } = block
      if (typeof uri === "string") this.#add(uri)
      if (JsonObject.isObject(resource) && typeof resource["uri"] === "string") this.#add(resource["uri"])
    }
  }

  #add(given: string) {
    if (given.length > longest) return
    const uri = Uri.normalised(given)
    if (this.#all.has(uri)) return
    this.#all.set(uri, ++count)
    this.#characters += uri.length
    for (const oldest of this.#all.keys()) {
      if (this.#all.size <= most && this.#characters <= mostCharacters) break
      this.#all.delete(oldest)
      this.#characters -= oldest.length
    }
  }
}

/** One order for all servers of a process. */
let count = 0

const most = 4_096

const mostCharacters = 1024 * 1024

/** Of one result. */
const mostOfOne = 1_024

const longest = 2_048
