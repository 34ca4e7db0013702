/**
 * Ids that the program chooses for its requests. A table of calls knows its calls by numbers; this finds them by what
 * they are called on the wire, and exists only where a program chooses.
 */
import * as RequestId from "@parley/protocol/RequestId"

/** Gives the id of a request, which would be `next` otherwise. */
export type Choose = (next: number) => string | number

export class ChosenIds<Call extends object> {
  readonly #choose: Choose
  readonly #calls = new Map<string, Call>()
  readonly #ids = new WeakMap<object, string | number>()

  constructor(choose: Choose) {
    this.#choose = choose
  }

  /** The id of the next call. Throws where it is no id, or that of a call that waits. */
  next(number: number): string | number {
    const id = this.#choose(number)
    if (typeof id !== "string" && !Number.isFinite(id)) {
      throw new TypeError(`\`ids\` gave ${String(id)}: an id is a string or a finite number`)
    }
    if (this.#calls.has(RequestId.keyOf(id))) {
      throw new RangeError(`\`ids\` gave ${JSON.stringify(id)}, which is the id of a call that waits`)
    }
    return id
  }

  add(call: Call, id: string | number): void {
    this.#calls.set(RequestId.keyOf(id), call)
    this.#ids.set(call, id)
  }

  /** Lets others have the id of a call. The call keeps it, for what cancels it. */
  delete(call: Call): void {
    const id = this.#ids.get(call)
    if (id !== undefined) this.#calls.delete(RequestId.keyOf(id))
  }

  /** The call that a response belongs to. */
  get(id: RequestId.RequestId): Call | undefined {
    return typeof id === "number" && !Number.isFinite(id) ? undefined : this.#calls.get(RequestId.keyOf(id))
  }

  /** The id of a call. */
  of(call: object): string | number | undefined {
    return this.#ids.get(call)
  }
}
