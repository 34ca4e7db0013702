/**
 * The history of a run: every call, notification and handler, and the lines that tell it.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type { Json } from "effect/Schema"
import { type Call, isHonest, isPosting, type Scenario, type Side, type Work } from "./Scenario.ts"
import type { World } from "./World.ts"

/** The world and the history of one run. @internal */
export interface Own {
  readonly world: World
  readonly history: History
}

/** The options that a caller chose for a call. @internal */
export type Asking = Pick<
  Call,
  "aside" | "giveUp" | "hold" | "idempotent" | "own" | "partial" | "progress" | "size" | "timeout"
>

/** A request, seen by its caller. @internal */
export interface Asked {
  readonly n: number
  readonly side: Side
  readonly method: string
  readonly work: Work
  readonly asking: Asking
  /** Whether a handler made it. */
  readonly isNested: boolean
  readonly began: number
  /** How many of the same side waited when it began, with the calls of its batch. */
  readonly before: number
  /** The notifications that must have been handled before it. */
  readonly behind: ReadonlyArray<Noted>
  isServed: boolean
  progress: number
  partial: number
  /** Whether the other side works for it, if it opens a stream. */
  feed: "none" | "open" | "over"
  exit: Exit.Exit<Json | undefined, unknown> | undefined
}

/** A stream, seen by its consumer. @internal */
export interface Watched {
  readonly n: number
  readonly side: Side
  /** Whether it is opened again on the next connection. */
  readonly isResumed: boolean
  /** How often it was opened, and how often its consumer was told of a gap. */
  runs: number
  gaps: number
  /** How many items the last run has given. */
  items: number
  /** The call of the last run. */
  asked: Asked | undefined
  exit: Exit.Exit<unknown, unknown> | undefined
}

/** A notification, seen by who sends it. @internal */
export interface Noted {
  readonly n: number
  readonly side: Side
  /** The notifications of one source keep their order. */
  readonly source: string
  /** The call whose handler sends it. */
  readonly during: number | undefined
  /** Whether it goes behind the reply of that call. */
  readonly isAfter: boolean
  readonly began: number
  exit: Exit.Exit<void, unknown> | undefined
  handled: "no" | "running" | "parked" | "ended"
}

/** A call, seen by its handler. @internal */
export interface Served {
  readonly n: number
  readonly name: string
  readonly side: Side
  readonly isRequest: boolean
  readonly work: Work
  /** It holds at least this, in the unit of a budget. */
  readonly weight: number
  /** Progress and partial results that were sent for certain. */
  progress: number
  partial: number
  isHanging: boolean
  /** How its handler ended. */
  exit: Exit.Exit<unknown, unknown> | undefined
}

/**
 * The name of a rule that a run can break.
 *
 * - `blocked`: at rest somebody waits although a text lies unread or unwritten.
 * - `forgotten`: at rest somebody waits although everything was written and read.
 * - `ended`: two honest sides have ended each other. `refused`: one has refused what it could take a moment later.
 * - `outcome`: a call ended as nothing in the scenario explains. `late`: its time ran out although it had no limit, or
 *   progress came after its end.
 * - `once`, `order`, `unseen`, `lost`: something came twice, out of order, before what it must follow, or never.
 * - `uncancelled`: a handler goes on although nobody waits for it.
 * - `undrained`: a side has begun to shut down, and a stream of it goes on. `gap`: a stream went on with another connection,
 *   and its consumer was not told.
 * - `uncounted`: a side counts less on its budget than its handlers hold.
 * - `overdrawn`: a side that is not read counts more than its budget, even when the other side has had a moment.
 * - `unended`, `leak`: after both sides were closed a call or a handler goes on. `endless`: the run does.
 * - `invariant`: what a service of one's own asks for does not hold.
 *
 * @category models
 * @since 0.1.0
 */
export type Rule =
  | "blocked"
  | "endless"
  | "ended"
  | "forgotten"
  | "gap"
  | "invariant"
  | "late"
  | "leak"
  | "lost"
  | "once"
  | "order"
  | "outcome"
  | "overdrawn"
  | "refused"
  | "uncancelled"
  | "uncounted"
  | "undrained"
  | "unended"
  | "unseen"

/**
 * A rule that a run breaks, and where.
 *
 * @category models
 * @since 0.1.0
 */
export interface Violation {
  readonly rule: Rule
  readonly detail: string
}

/** @internal */
export class History {
  readonly asked = new Map<number, Asked>()
  readonly noted = new Map<number, Noted>()
  readonly served: Array<Served> = []
  readonly watched: Array<Watched> = []
  /** Calls whose streams must have ended when nothing moves before the next event, because their side shuts down. */
  readonly draining = new Set<Asked>()
  readonly lines: Array<string> = []
  readonly findings: Array<Violation> = []
  /** Pauses that a side holds. */
  readonly pauses: [number, number] = [0, 0]
  /** The handlers of a side hold at least this, in the unit of its budget. */
  readonly held: [number, number] = [0, 0]
  /** Whether the run closes the sides. */
  isClosing = false
  /** Whether nothing but the limits comes between the sides, and all texts are within them. */
  isHonest: boolean
  /** Whether one side has ended the other: what comes after that follows from it. */
  hasEnded = false
  readonly #scenario: Scenario
  readonly #world: World
  readonly #lastOf = new Map<string, number>()
  #count = 0

  /** Whether a reply settles its call before the next text is read. Without a delay it may come while the call is made. */
  readonly #hasOrder: boolean

  constructor(world: World, scenario: Scenario) {
    this.#hasOrder = !isPosting(scenario.kind) && scenario.links.delay > 0
    this.#world = world
    this.#scenario = scenario
    this.isHonest = isHonest(scenario)
  }

  /** A text is written. The other side need not take one that is longer than a frame. */
  readonly onText = (size: number) => {
    if (size > this.#scenario.bounds.bytes) this.isHonest = false
  }

  /** The number of the next call or notification. */
  next(): number {
    return ++this.#count
  }

  say(line: string) {
    this.lines.push(`${this.#world.now} ${line}`)
  }

  find(rule: Rule, detail: string) {
    this.findings.push({ rule, detail })
    if (rule === "ended") this.hasEnded = true
    this.say(`BROKEN ${rule}: ${detail}`)
  }

  /** How many calls of a side count on `Limits.waiting`, and notifications as long as there is no connection. */
  waiting(side: Side): number {
    const waits = (each: Asked | Noted) => each.side === side && each.exit === undefined
    const notes = this.#scenario.kind === "reconnecting" ? [...this.noted.values()].filter(waits).length : 0
    return notes + [...this.asked.values()].filter(waits).length
  }

  ask(call: Pick<Asked, "side" | "method" | "work" | "asking" | "isNested" | "behind">, together = 1): Asked {
    const asked: Asked = {
      ...call,
      n: this.next(),
      began: this.#world.now,
      before: this.waiting(call.side) + together - 1,
      isServed: false,
      progress: 0,
      partial: 0,
      feed: "none",
      exit: undefined
    }
    this.asked.set(asked.n, asked)
    this.say(`${call.side} asks ${asked.n}${call.isNested ? " from a handler" : ""}`)
    return asked
  }

  /** The response of a call is there, or why there is none. */
  end(asked: Asked, exit: Exit.Exit<Json | undefined, unknown>) {
    if (asked.exit !== undefined) return this.find("once", `call ${asked.n} has ended twice`)
    asked.exit = exit
    const failure = failureOf(exit)
    if (asked.isServed && failure === "Disconnected ShuttingDown" && asked.asking.idempotent !== true) {
      this.find("outcome", `call ${asked.n} ran, and was refused as one that has not started`)
    }
    if (!asked.isServed && failure === ended && asked.asking.own === undefined) {
      this.find("outcome", `call ${asked.n} has not started, and was ended as one that ran`)
    }
    this.say(`${asked.side} has ${asked.n}: ${Exit.isSuccess(exit) ? "result" : failureOf(exit)}`)
  }

  note(side: Side, source: string, during: number | undefined, isAfter: boolean): Noted {
    const noted: Noted = {
      n: this.next(),
      side,
      source,
      during,
      isAfter,
      began: this.#world.now,
      exit: undefined,
      handled: "no"
    }
    this.noted.set(noted.n, noted)
    this.say(`${side} notifies ${noted.n}`)
    return noted
  }

  /** A progress or partial result has come. */
  hear(asked: Asked, what: "progress" | "partial", index: unknown) {
    if (asked.exit !== undefined && asked.asking.aside === true) return
    if (asked.exit !== undefined) return this.find("late", `${what} of call ${asked.n} came after its end`)
    if (this.isHonest && asked[what] !== index && !this.#mayRunTwice(asked)) {
      this.find("order", `${what} ${JSON.stringify(index)} of call ${asked.n} came in place of ${asked[what]}`)
    }
    asked[what]++
  }

  /** A side opens a stream. */
  watch(side: Side, isResumed: boolean): Watched {
    const watched: Watched = {
      n: this.next(),
      side,
      isResumed,
      runs: 0,
      gaps: 0,
      items: 0,
      asked: undefined,
      exit: undefined
    }
    this.watched.push(watched)
    this.say(`${side} watches ${watched.n}`)
    return watched
  }

  /** The consumer of a stream has an item of a run. */
  item({ gaps, items, n, runs }: Watched, run: number, index: unknown) {
    if (run !== runs || index !== items) {
      this.find("order", `item ${JSON.stringify(index)} of run ${run} of ${n} came in place of ${items} of ${runs}`)
    }
    if (gaps !== runs - 1) this.find("gap", `stream ${n} goes on in run ${runs}, and told ${gaps} gaps`)
  }

  /** A side shuts down in order: its streams end first. */
  drain(side: Side) {
    for (const asked of this.asked.values()) {
      if (asked.feed === "open" && asked.side !== side) this.draining.add(asked)
    }
  }

  /** A handler of a side begins, with params of so many characters. */
  serve(side: Side, n: number, work: Work, isRequest: boolean, size: number, name = `${n}`): Served {
    const served: Served = {
      n,
      name,
      side,
      isRequest,
      work,
      weight: runningWeight + size,
      progress: 0,
      partial: 0,
      isHanging: false,
      exit: undefined
    }
    this.held[side] += served.weight
    this.served.push(served)
    this.say(`${side} serves ${name}`)
    if (isRequest) this.#seesNotifications(n)
    else this.#begins(n)
    return served
  }

  /** Whether something may end a call that is then made again. */
  #mayRunTwice({ asking: { idempotent = false, timeout } }: Asked): boolean {
    return idempotent && (!this.isHonest || timeout !== undefined)
  }

  #seesNotifications(n: number) {
    const asked = this.asked.get(n)
    if (asked?.isServed === true && !this.#mayRunTwice(asked)) this.find("once", `request ${n} was served twice`)
    if (asked !== undefined) asked.isServed = true
    for (const noted of asked?.behind ?? []) {
      if (Exit.isExit(noted.exit) && Exit.isFailure(noted.exit)) continue
      if (!this.isHonest || this.hasEnded) return
      if (noted.handled === "no" || noted.handled === "running") {
        this.find("unseen", `request ${n} runs before notification ${noted.n}, which was sent before it`)
      }
    }
  }

  #begins(n: number) {
    const noted = this.noted.get(n)
    if (noted === undefined) return
    const asked = noted.isAfter && this.#hasOrder ? this.asked.get(noted.during ?? 0) : undefined
    if (asked !== undefined && asked.exit === undefined && !this.#mayRunTwice(asked)) {
      this.find("order", `notification ${n} was handled before the reply of ${asked.n}, behind which it was sent`)
    }
    if (noted.handled !== "no") return this.find("once", `notification ${n} was handled twice`)
    noted.handled = "running"
    const last = this.#lastOf.get(noted.source) ?? 0
    if (last > n && this.isHonest && !this.hasEnded) {
      this.find("order", `notification ${n} was handled after ${last}, which was sent after it`)
    }
    this.#lastOf.set(noted.source, n)
  }

  /** The handler waits for the other side. */
  park(served: Served) {
    const noted = served.isRequest ? undefined : this.noted.get(served.n)
    if (noted?.handled === "running") noted.handled = "parked"
  }

  leave(served: Served, exit: Exit.Exit<unknown, unknown>) {
    served.exit = exit
    served.isHanging = false
    this.held[served.side] -= served.weight
    const noted = served.isRequest ? undefined : this.noted.get(served.n)
    if (noted !== undefined) noted.handled = "ended"
    this.say(`${served.side} has served ${served.name}${Exit.isSuccess(exit) ? "" : `: ${failureOf(exit)}`}`)
  }
}

/** The failure of a call that ran when its side shut down. @internal */
export const ended = "RemoteError -32000 Shutting down"

/** A fiber that a side runs for the other one weighs at least this. @internal */
export const runningWeight = 2_048

/** The failure of an exit in a few words. @internal */
export const failureOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "success"
  const { cause } = exit
  if (Cause.hasInterruptsOnly(cause)) return "interrupted"
  const error: unknown = Cause.squash(cause)
  if (!isTagged(error)) return `${String(error)}`
  const reason = isTagged(error.reason) ? ` ${error.reason._tag}` : ""
  const code = typeof error.code === "number" ? ` ${error.code} ${String(error.text ?? error.message)}` : ""
  return `${error._tag}${reason}${code}`
}

interface Tagged {
  readonly _tag: string
  readonly reason?: unknown
  readonly code?: unknown
  /** The text of an error object: of a `RemoteError`, and where there is none, of an `ErrorResponse`. */
  readonly text?: unknown
  readonly message?: unknown
}

const isTagged = (error: unknown): error is Tagged =>
  typeof error === "object" && error !== null && Object.hasOwn(error, "_tag")
