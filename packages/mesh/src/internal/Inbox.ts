/** The texts that other nodes send to the names of this one: the handlers that run for them, within their bounds. */
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Handler, Message } from "../Mesh.ts"
import * as Frame from "./Frame.ts"
import type { Post } from "./Post.ts"
import { weightOf } from "./Weight.ts"

/** @internal */
export interface InboxOptions {
  readonly post: Post
  readonly fork: (effect: Effect.Effect<void>) => unknown
  /** The weight of texts whose handlers run. */
  readonly inbox: number
  /** The weight of an answer that was not read. */
  readonly window: number
  /** Whether this node owns a key. */
  readonly owns: (key: string) => boolean
}

interface Served {
  readonly handler: Handler
  readonly context: Context.Context<never>
}

/** @internal */
export class Inbox {
  readonly #options: InboxOptions
  readonly #served = new Map<string, Served>()
  /** By node and id. */
  readonly #running = new Map<string, Map<number, Incoming>>()
  #weight = 0

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /** Whether nothing can come, and nothing runs. */
  get isEmpty(): boolean {
    return this.#served.size === 0 && this.#running.size === 0
  }

  get names(): Iterable<string> {
    return this.#served.keys()
  }

  has(name: string): boolean {
    return this.#served.has(name)
  }

  open(name: string, served: Served) {
    this.#served.set(name, served)
  }

  /** Nothing comes to a name any more, and what runs for it is interrupted. */
  shut(name: string) {
    const served = this.#served.get(name)
    this.#served.delete(name)
    for (const calls of this.#running.values()) {
      for (const incoming of calls.values()) if (incoming.served === served) incoming.cut()
    }
  }

  /** The nodes whose calls run here. */
  get callers(): ReadonlySet<string> {
    return new Set(this.#running.keys())
  }

  /** A node is gone, and with it who waits for its calls. */
  lost(node: string) {
    for (const incoming of this.#running.get(node)?.values() ?? []) if (incoming.isCall) incoming.stop()
  }

  /**
   * A node waits for these texts and no others, and has read so much of their answers. Gives how many texts were answered.
   * Words that it was told before may not have come: so it hears again that a text was taken.
   */
  watched(node: string, counts: Frame.Counts): Frame.Counts {
    const running = this.#running.get(node)
    const waiting = new Set(counts.map(([id]) => id))
    for (const [id, incoming] of running ?? []) if (incoming.isCall && !waiting.has(id)) incoming.stop()
    return counts.map(([id, read]) => {
      const incoming = running?.get(id)
      if (incoming === undefined) return [id, Frame.notRunning]
      if (incoming.isCall) incoming.more(read)
      else this.#took(node, id)
      return [id, incoming.answered]
    })
  }

  take(frame: Frame.Frame) {
    const { detail, from, id, kind } = frame
    if (kind === "call" || kind === "send") return this.#begin(frame, kind === "call")
    const incoming = this.#running.get(from)?.get(id)
    if (kind === "stop") incoming?.stop()
    else if (kind === "more") incoming?.more(Number(detail))
  }

  #begin({ detail, from, id, text }: Frame.Frame, isCall: boolean) {
    const { inbox, post, window } = this.#options
    const at = String(detail)
    const served = this.#handlerOf(at)
    const weight = weightOf(text)
    const isFull = this.#weight > 0 && this.#weight + weight > inbox
    if (served === undefined || isFull) {
      return this.#say(from, { kind: "refused", id, detail: served === undefined ? "nobody" : "full", text: "" })
    }
    if (!isCall) this.#took(from, id)
    const incoming = new Incoming(served, isCall, window, (frame) => post.deliver(from, { ...frame, id }))
    const calls = this.#running.get(from) ?? new Map<number, Incoming>()
    this.#running.set(from, calls.set(id, incoming))
    this.#weight += weight
    incoming.start({ from, at, text }, () => {
      this.#weight -= weight
      calls.delete(id)
      if (calls.size === 0 && this.#running.get(from) === calls) this.#running.delete(from)
    })
  }

  /** The handler of a name, or of a key that this node owns. */
  #handlerOf(at: string): Served | undefined {
    return this.#served.get(at) ?? (this.#options.owns(at) ? this.#served.get(nameOf(at)) : undefined)
  }

  #took(by: string, id: number) {
    this.#say(by, { kind: "took", id, detail: 0, text: "" })
  }

  #say(to: string, frame: Omit<Frame.Frame, "from">) {
    this.#options.fork(Effect.ignore(this.#options.post.deliver(to, frame)))
  }
}

/** The name that a key begins with. */
const nameOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf("/")))

type Said = Omit<Frame.Frame, "from" | "id">

/** A text whose handler runs. */
class Incoming {
  readonly served: Served
  readonly isCall: boolean
  readonly #window: number
  readonly #say: (frame: Said) => Effect.Effect<boolean, unknown>
  #fiber: Fiber.Fiber<void> | undefined
  /** The weight of what was answered, and of how much of it was read. */
  #sent = 0
  #read = 0
  /** The place of the next text. */
  #next = 0
  /** How many texts the engine has taken: one that waits for the engine is not missing yet. */
  answered = 0
  #isStopped = false
  /** Whether the handler has given its last answer, which is on its way. */
  #isAnswered = false
  /** Answers that wait for the reader: a handler may give several at once. */
  #waiting: Set<() => void> | undefined

  constructor(
    served: Served,
    isCall: boolean,
    window: number,
    say: (frame: Said) => Effect.Effect<boolean, unknown>
  ) {
    this.served = served
    this.isCall = isCall
    this.#window = window
    this.#say = say
  }

  start(message: Message, onEnd: () => void) {
    const { context, handler } = this.served
    const run = Effect.matchCauseEffect(Effect.suspend(() => handler(message, this.#answer)), {
      onSuccess: (last) => {
        this.#isAnswered = true
        return this.#tell(last === undefined ? "done" : "end", last ?? "")
      },
      onFailure: (cause) =>
        this.#isStopped ? Effect.void : Effect.andThen(
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.logError(`what takes the texts for ${Excerpt.line(message.at)} died`, Excerpt.cause(cause)),
          this.#tell("died", "")
        )
    })
    this.#fiber = Effect.runForkWith(context)(run)
    if (this.#isStopped) this.#fiber.interruptUnsafe()
    this.#fiber.addObserver(onEnd)
  }

  /** Its caller has left. */
  stop() {
    this.#isStopped = true
    this.#fiber?.interruptUnsafe()
  }

  /** Tells its caller that nothing more follows, unless that is about to be told. */
  cut() {
    if (!this.#isAnswered) this.#fiber?.interruptUnsafe()
  }

  more(read: number) {
    if (!(read > this.#read)) return
    this.#read = read
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.forEach((wake) => wake())
  }

  readonly #answer = (text: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!this.isCall) return Effect.void
      // A full window is more than a reader may have read without a word: it will say so, or has not read it.
      if (this.#sent - this.#read >= this.#window) return Effect.andThen(this.#hasRead, this.#answer(text))
      this.#sent += weightOf(text)
      return this.#tell("item", text)
    })

  /** Tells the caller, as soon as the engine takes it. If the caller hears nothing any more, nobody waits for the rest. */
  #tell(kind: "item" | "end" | "done" | "died", text: string): Effect.Effect<void> {
    return !this.isCall ? Effect.void : Effect.flatMap(
      Effect.exit(this.#say({ kind, detail: this.#next++, text })),
      (exit) => {
        if (Exit.isSuccess(exit) && exit.value) {
          this.answered++
          return Effect.void
        }
        this.#isStopped = true
        return kind === "item" ? Effect.interrupt : Effect.void
      }
    )
  }

  readonly #hasRead: Effect.Effect<void> = Effect.callback((resume) => {
    const wake = () => resume(Effect.void)
    const waiting = this.#waiting ??= new Set()
    waiting.add(wake)
    return Effect.sync(() => waiting.delete(wake))
  })
}
