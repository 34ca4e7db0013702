/**
 * A call that came in and is not over.
 */
import type * as Message from "@parley/protocol/Message"
import type * as Fiber from "effect/Fiber"
import type { Left } from "./AfterReply.ts"
import type { Arrival } from "./Arrival.ts"
import type * as Reply from "./Reply.ts"
import { Alarm } from "./Sweeper.ts"

/** The alarm is for a notification whose handler holds back what comes after it for too long. @internal */
export class Inbound extends Alarm {
  readonly message: Message.Request | Message.Notification
  /** The text of a request's id; `undefined` for a notification. */
  readonly key: string | undefined
  readonly size: number
  readonly sink: Reply.Sink
  /** The text it came in, where that is answered by itself. */
  readonly arrival: Arrival | undefined
  /** Whether the answer to that text waits for it. */
  isAwaited = true
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined
  /** Whether it still holds its place in flight, or holds back what comes after it. */
  holds = false
  /** Whether the budget counts it. */
  counted = false
  /** Set when it is stopped from outside: what it is answered with, if it ends by that. */
  stopped: { readonly reply: string | undefined } | undefined = undefined
  /** What is to run when its success is on its way. */
  after: Array<Left> | undefined = undefined
  private readonly overstay: (inbound: Inbound) => void

  constructor(
    message: Message.Request | Message.Notification,
    key: string | undefined,
    size: number,
    sink: Reply.Sink,
    arrival: Arrival | undefined,
    overstay: (inbound: Inbound) => void
  ) {
    super()
    this.message = message
    this.key = key
    this.size = size
    this.sink = sink
    this.arrival = arrival
    this.overstay = overstay
  }

  override ring() {
    this.overstay(this)
  }
}
