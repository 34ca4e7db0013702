/**
 * The pauses of a reconnecting caller: each holds on every connection, those that
 * are open and those to come, until it is let go.
 */
import type { Caller } from "../../Caller.ts"

/** @internal */
export class Pauses {
  /** How each pause ends, by the connections that it holds on. */
  readonly #pauses = new Set<Map<Caller, () => void>>()
  readonly #connections = new Set<Caller>()

  attach(connection: Caller): void {
    this.#connections.add(connection)
    for (const pause of this.#pauses) pause.set(connection, connection.pause())
  }

  detach(connection: Caller): void {
    this.#connections.delete(connection)
    for (const pause of this.#pauses) pause.delete(connection)
  }

  readonly pause: Caller["pause"] = () => {
    const pause = new Map([...this.#connections].map((connection) => [connection, connection.pause()]))
    this.#pauses.add(pause)
    return () => {
      if (!this.#pauses.delete(pause)) return
      for (const goOn of pause.values()) goOn()
    }
  }
}
