/**
 * A recipient that is told by notifications over its connection.
 */
import type { EncodeOptions } from "@parley/protocol/Message"
import * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import type { DisconnectReason } from "../CallerError.ts"
import type { Outlet } from "../conversation/ConnectionKey.ts"
import { SharedText } from "../conversation/SharedText.ts"
import { isTooLarge } from "../incoming/ReplyText.ts"
import { limited } from "../outgoing/OutgoingCalls.ts"
import { type Audience, Recipient } from "./Audience.ts"
import type { Leaving } from "./Change.ts"
import type { Entry } from "./RecipientQueue.ts"

/** A notification whose text is written once for all who are told, or once for each form of a dialect. @internal */
export class Notice implements Entry {
  readonly #method: string
  readonly #params: Message.Params | undefined
  readonly #text: SharedText
  #others: Map<EncodeOptions, SharedText | undefined> | undefined = undefined

  /** Partial: throws where the params have no JSON text, or the text is larger than a frame. */
  constructor(method: string, params: Message.Params | undefined, frame: number) {
    this.#method = method
    this.#params = params
    this.#text = new SharedText(limited(Message.notificationText(method, params), frame))
  }

  get weight(): number {
    return this.#text.length
  }

  /** Its text in a form; `undefined` where the form has none. */
  textIn(form: EncodeOptions | undefined): SharedText | undefined {
    if (form === undefined) return this.#text
    const others = this.#others ??= new Map()
    if (!others.has(form)) others.set(form, this.#write(form))
    return others.get(form)
  }

  #write(form: EncodeOptions): SharedText | undefined {
    try {
      return new SharedText(Message.notificationText(this.#method, this.#params, undefined, form))
    } catch {
      return undefined
    }
  }
}

/** @internal */
export class PeerRecipient<Face> extends Recipient<Notice, Face> {
  readonly face: Face
  readonly #outlet: Outlet
  readonly #onLeft: () => void
  readonly #withdraw: () => void
  #hasLagged = false

  constructor(
    audience: Audience<Notice, Face>,
    outlet: Outlet,
    faceOf: (recipient: PeerRecipient<Face>) => Face,
    onLeft: () => void
  ) {
    super(audience)
    this.face = faceOf(this)
    this.#outlet = outlet
    this.#onLeft = onLeft
    this.#withdraw = outlet.onClose(Effect.sync(() => audience.remove(this, "ended")))
  }

  /** The most bytes of a text for it. */
  get frame(): number {
    return this.#outlet.frame
  }

  protected override canTake(notice: Notice): boolean {
    const text = notice.textIn(this.#outlet.form)
    return text === undefined || !isTooLarge(text.texts[0], this.frame)
  }

  /** Where the form of its dialect has no text for the notification, there is nothing to write. */
  protected take(notice: Notice): boolean {
    const text = notice.textIn(this.#outlet.form)
    return text === undefined || this.#outlet.push(text, this)
  }

  /** Why it is told nothing more. */
  get reason(): DisconnectReason {
    return this.#outlet.reason ?? (this.#hasLagged ? lagged : closed)
  }

  left(reason: Leaving): void {
    this.#hasLagged = reason === "lagged"
    this.drop()
    this.#withdraw()
    this.#outlet.withdraw(this)
    this.#onLeft()
    // Others are still being told, and the end of a connection runs effects that wait for it.
    if (this.#hasLagged) queueMicrotask(() => this.#outlet.abort(lagged))
  }
}

const lagged = { _tag: "Lagged" } as const
const closed = { _tag: "Closed" } as const
