/**
 * One direction of a link: bounded, late, and read in pieces, as a socket with the buffers of the kernel is.
 *
 * Characters are counted as they are *written* by the sender, *accepted* by the link, *arrived* at the other end, and
 * *read*. A link accepts so many characters more than were read. The reader hands over whole texts; what it has read of
 * an unfinished one no longer fills the link.
 */
import type * as Schema from "effect/Schema"
import type { Links } from "../Scenario.ts"
import type { World } from "../World.ts"

/** Whether a side reads at the moment, and who wants to know when it does again. @internal */
export class Reading {
  #stalls = 0
  #isDead = false
  readonly #wakes = new Set<() => void>()

  get isStalled(): boolean {
    return this.#stalls > 0 || this.#isDead
  }

  get isDead(): boolean {
    return this.#isDead
  }

  stall(world: World, milliseconds: number) {
    this.#stalls++
    world.after(milliseconds, () => {
      this.#stalls--
      for (const wake of [...this.#wakes]) wake()
    })
  }

  die() {
    this.#isDead = true
  }

  onWake(wake: () => void): () => void {
    this.#wakes.add(wake)
    return () => void this.#wakes.delete(wake)
  }
}

/** The input of a reader: texts, or why there are no more. @internal */
export type Read<E> =
  | { readonly _tag: "Texts"; readonly texts: readonly [string, ...ReadonlyArray<string>] }
  | { readonly _tag: "End"; readonly end: E }

/** @internal */
export interface Options {
  readonly world: World
  readonly links: Links
  readonly writer: Reading
  readonly reader: Reading
  /** Hears how long a text is that is written. */
  readonly onText: (size: number) => void
}

/** `E` says why it ended. @internal */
export class Pipe<E = Schema.Json> {
  readonly #world: World
  readonly #links: Links
  readonly #writer: Reading
  readonly #reader: Reading
  readonly #onText: (size: number) => void
  readonly #unsubscribe: () => void
  /** The texts that are not handed over yet, and where each of them ends. */
  #texts: Array<{ readonly text: string; readonly end: number }> = []
  #written = 0
  #accepted = 0
  #arrived = 0
  #read = 0
  readonly #senders: Array<{ readonly end: number; readonly done: (lost: E | undefined) => void }> = []
  #waiting: ((read: Read<E>) => void) | undefined
  /** Why no more comes behind what was accepted. */
  #end: { readonly reason: E } | undefined
  /** Why nothing comes any more. */
  #broken: { readonly reason: E } | undefined
  #isDelivering = false

  constructor({ links, onText, reader, world, writer }: Options) {
    this.#world = world
    this.#links = links
    this.#writer = writer
    this.#reader = reader
    this.#onText = onText
    this.#unsubscribe = reader.onWake(() => this.#deliver())
  }

  /** How many characters lie in it, and how many wait: a reason why nothing moves. */
  get unread(): { readonly accepted: number; readonly waiting: number } {
    const isOver = this.#broken !== undefined
    return {
      accepted: isOver ? 0 : this.#accepted - this.#read,
      waiting: isOver ? 0 : this.#written - this.#accepted
    }
  }

  get isOver(): boolean {
    return this.#broken !== undefined || this.#end !== undefined
  }

  /** Writes texts. Gives `undefined` if they were accepted, or else what registers who waits for it. */
  write(
    texts: ReadonlyArray<string>
  ): undefined | ((done: (lost: E | undefined) => void) => () => void) {
    for (const text of texts) {
      this.#onText(text.length)
      this.#written += text.length
      this.#texts.push({ text, end: this.#written })
    }
    const end = this.#written
    this.#accept()
    this.#deliver()
    if (this.#accepted >= end || this.isOver) return undefined
    return (done) => {
      if (this.#accepted >= end) {
        done(undefined)
        return () => {}
      }
      const sender = { end, done }
      this.#senders.push(sender)
      return () => {
        const at = this.#senders.indexOf(sender)
        if (at >= 0) this.#senders.splice(at, 1)
      }
    }
  }

  /** Waits for texts. Gives how to stop waiting, if it waits. */
  take(resume: (read: Read<E>) => void): (() => void) | undefined {
    this.#waiting = resume
    this.#deliver()
    if (this.#waiting !== resume) return undefined
    return () => {
      if (this.#waiting === resume) this.#waiting = undefined
    }
  }

  /** No more comes behind what was accepted. */
  end(reason: E, toSenders: E = reason) {
    if (this.isOver) return
    this.#end = { reason }
    this.#texts = this.#texts.filter(({ end }) => end <= this.#accepted)
    this.#release(toSenders)
    this.#deliver()
  }

  /** Nothing arrives any more, including the data in flight. */
  break(reason: E, toSenders: E = reason) {
    if (this.#broken !== undefined) return
    this.#broken = { reason }
    this.#texts = []
    this.#unsubscribe()
    this.#release(toSenders)
    this.#deliver()
  }

  #release(lost: E) {
    for (const { done } of this.#senders.splice(0)) done(lost)
  }

  #accept() {
    if (this.isOver || this.#writer.isDead) return
    const last = this.#texts[this.#links.texts - 1]?.end ?? Number.POSITIVE_INFINITY
    const accepted = Math.min(this.#written, this.#read + this.#links.bytes, last)
    if (accepted <= this.#accepted) return
    this.#accepted = accepted
    if (this.#links.delay === 0) this.#arrived = accepted
    else {
      this.#world.after(this.#links.delay, () => {
        this.#arrived = accepted
        this.#deliver()
      })
    }
    // A sender that is let go may write again, and come here in the middle of the loop. Senders wait in the order of
    // their texts.
    for (let first = this.#senders[0]; first !== undefined && first.end <= this.#accepted; first = this.#senders[0]) {
      this.#senders.shift()
      first.done(undefined)
    }
  }

  #deliver() {
    if (this.#isDelivering) return
    this.#isDelivering = true
    while (this.#waiting !== undefined && this.#deliverOne(this.#waiting)) {
      // A reader that was handed something may wait again.
    }
    this.#isDelivering = false
  }

  /** Hands over what there is. False if the reader has to wait. */
  #deliverOne(resume: (read: Read<E>) => void): boolean {
    if (this.#broken !== undefined) return this.#finish(resume, this.#broken.reason)
    if (this.#reader.isStalled) return false
    const count = this.#texts.findIndex(({ end }) => end > this.#read)
    const [first, ...rest] = this.#texts.slice(0, count < 0 ? this.#texts.length : count)
    if (first !== undefined) {
      this.#texts = this.#texts.slice(1 + rest.length)
      this.#waiting = undefined
      this.#accept()
      resume({ _tag: "Texts", texts: [first.text, ...rest.map(({ text }) => text)] })
      return true
    }
    if (this.#arrived > this.#read) {
      this.#read = Math.min(this.#arrived, this.#read + this.#links.chunk)
      this.#accept()
      return true
    }
    return this.#end !== undefined && this.#read >= this.#accepted && this.#finish(resume, this.#end.reason)
  }

  #finish(resume: (read: Read<E>) => void, end: E): true {
    this.#waiting = undefined
    resume({ _tag: "End", end })
    return true
  }
}
