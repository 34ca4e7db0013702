/** The calls of a conversation, put together from their texts. */
import * as Limits from "@parley/protocol/Limits"
import type { Recorded } from "@parley/traffic/Recorder"
import type * as Schema from "effect/Schema"
import * as Message from "./Message.ts"
import type { Step } from "./Script.ts"

/**
 * A request with its response, or a notification.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  readonly connection: number
  /** Who has made it. */
  readonly caller: "client" | "server"
  readonly kind: "request" | "notification"
  readonly method: string
  readonly params: Schema.Json | undefined
  /** Milliseconds since 1970. */
  readonly time: number
  /** The whole response. Absent where none was recorded, and for notifications. */
  readonly response: Schema.Json | undefined
  /** Between the request and its response. */
  readonly milliseconds: number | undefined
}

export class Calls {
  /** Requests without a response, by connection, caller and id. */
  readonly #waiting = new Map<string, Call>()

  /** The calls that end with a line. */
  add(recorded: Recorded): ReadonlyArray<Call> {
    if (recorded._tag === "Begun") return this.rest()
    if (recorded._tag !== "Sent" && recorded._tag !== "Received") return []
    const { _tag, connection, text, time } = recorded
    return this.#texts(connection, _tag === "Sent", time, Message.membersOf(text))
  }

  /** The calls that end with a step. */
  step(connection: number, step: Step): ReadonlyArray<Call> {
    return step._tag === "ClientText" || step._tag === "ServerText"
      ? this.#texts(connection, step._tag === "ClientText", step.time, step.members)
      : []
  }

  /** The calls that have no response. */
  rest(): ReadonlyArray<Call> {
    const calls = [...this.#waiting.values()]
    this.#waiting.clear()
    return calls
  }

  #texts(
    connection: number,
    isOfClient: boolean,
    time: number,
    members: ReadonlyArray<Message.Message>
  ): ReadonlyArray<Call> {
    const ended: Array<Call> = []
    for (const member of members) {
      const { id, json, kind, method = "" } = member
      const caller = isOfClient === (kind !== "response") ? "client" : "server"
      const key = `${connection} ${caller} ${id ?? ""}`
      if (kind === "response") {
        const call = this.#waiting.get(key)
        if (call === undefined) continue
        this.#waiting.delete(key)
        ended.push({ ...call, response: json, milliseconds: time - call.time })
      } else if (kind !== "none") {
        const params = Message.paramsOf(member)
        const call = {
          connection,
          caller,
          kind,
          method,
          params,
          time,
          response: undefined,
          milliseconds: undefined
        } as const
        if (kind === "notification") ended.push(call)
        else {
          this.#waiting.set(key, call)
          ended.push(...this.#oldest())
        }
      }
    }
    return ended
  }

  #oldest(): ReadonlyArray<Call> {
    if (this.#waiting.size <= Limits.defaults.waiting) return []
    for (const [key, call] of this.#waiting) {
      this.#waiting.delete(key)
      return [call]
    }
    return []
  }
}
