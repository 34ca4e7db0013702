/**
 * One call of an upstream, which may outlive the request that began it: while a client of the modern era is asked, its
 * request has ended, and a retry comes back for the call.
 *
 * Progress and log messages of the call wait here for the request that attends to it, in order and before the result.
 */
import type { Progress } from "@parley/mcp/client/ClientOptions"
import type { ClientAnswer, ClientQuestion, McpContext } from "@parley/mcp/McpContext"
import type { LogParams } from "@parley/mcp/payload/Requests"
import { mostInputRequests } from "@parley/mcp/payload/Results"
import * as McpError from "@parley/mcp/wire/McpError"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Relayed } from "@parley/protocol/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as failures from "../failures.ts"
import { Backlog, type PartyRoom, type Room, sizeOf } from "./Backlog.ts"

/** A question of the upstream, until it is answered or taken back. */
interface Asked {
  readonly question: ClientQuestion
  readonly size: number
  readonly resume: (answer: Exit.Exit<ClientAnswer, Failed>) => void
}

type Failed = ErrorResponse.ErrorResponse

type Said = { readonly progress: Progress } | { readonly log: LogParams }

/** Characters of a key that the server chooses, and keys of one call altogether. */
const longestKey = 256
const mostKeys = 10_000

/** A call, from its start until nobody attends to it any more. */
export class Running {
  readonly id = globalThis.crypto.randomUUID()
  readonly principal: string | undefined
  readonly party: McpContext["party"]
  /** Whether a request attends to it now. */
  isAttended = false
  /** The fiber that makes the call. */
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined
  /** Gives back the place that the call has among those whose clients may come back. */
  onEnd: (() => void) | undefined = undefined
  /** The fiber that gives the call up when nobody has come back for it. */
  patience: Fiber.Fiber<void> | undefined = undefined
  readonly #asked = new Map<string, Asked>()
  readonly #keys = new Set<string>(["upstream"])
  readonly #room: PartyRoom
  readonly #said: Backlog<Said>
  readonly #begun = Latch.makeUnsafe()
  #held = 0
  #count = 0
  #isOver = false
  #changes = 0
  #exit: Exit.Exit<object, Failed> | undefined = undefined
  #wake: (() => void) | undefined = undefined

  constructor({ party, principal }: Pick<McpContext, "party" | "principal">, room: Room) {
    this.principal = principal
    this.party = party
    this.#room = room.of(party)
    this.#said = new Backlog(this.#room)
  }

  /** Takes room for what the call itself holds; `false` where there is none. */
  hold(size: number): boolean {
    if (!this.#room.take(size)) return false
    this.#held += size
    return true
  }

  /** Waits for the first question. */
  get hasAsked(): Effect.Effect<void> {
    return this.#begun.await
  }

  /** Whether an answer of its client is waited for. */
  get isAsking(): boolean {
    return this.#asked.size > 0
  }

  progress(progress: Progress) {
    this.#say({ progress })
  }

  logged(log: LogParams) {
    this.#say({ log })
  }

  /** Asks whoever attends to the call, now or later. */
  ask(question: ClientQuestion, named: string | undefined): Effect.Effect<ClientAnswer, Failed> {
    return Effect.callback((resume) => {
      const size = sizeOf(question)
      this.#begun.openUnsafe()
      if (this.#isOver) return resume(Effect.fail(gone))
      if (this.#asked.size >= mostInputRequests || this.#keys.size >= mostKeys || !this.#room.take(size)) {
        return resume(Effect.fail(tooMany))
      }
      const key = this.#keyOf(named)
      this.#asked.set(key, { question, size, resume })
      this.#woken()
      return Effect.sync(() => {
        this.#taken(key)
        this.#woken()
      })
    })
  }

  /** The question of a key, which is no more asked from now on. */
  #taken(key: string): Asked | undefined {
    const asked = this.#asked.get(key)
    if (asked === undefined) return undefined
    this.#asked.delete(key)
    this.#room.give(asked.size)
    return asked
  }

  /** Gives back the room of what nobody takes any more. Nobody answers what is still asked. */
  end() {
    this.#isOver = true
    this.#said.end()
    this.#room.give(this.#held)
    this.#held = 0
    for (const key of [...this.#asked.keys()]) this.#taken(key)?.resume(Exit.fail(gone))
  }

  /** The key of the upstream, as long as it is no other question's: a call has one question of each key. */
  #keyOf(named: string | undefined): string {
    const name = named === undefined || named.length > longestKey ? undefined : named
    let key = name ?? `question-${++this.#count}`
    while (this.#keys.has(key)) key = `${name ?? "question"}-${++this.#count}`
    this.#keys.add(key)
    return key
  }

  /** Takes the result, once. One for which there is no room until its client comes back is lost. */
  settle(exit: Exit.Exit<object, Failed>) {
    if (this.#exit !== undefined || this.#isOver) return
    const isHeld = this.isAttended || Exit.isFailure(exit) || this.hold(sizeOf(exit.value))
    this.#exit = !isHeld ? Exit.fail(tooLong) : Exit.hasInterrupts(exit) ? Exit.fail(ended) : exit
    this.#woken()
  }

  /** Passes on what the upstream says, asks what it asks, and gives the result. */
  attend(call: McpContext): Effect.Effect<object, Failed> {
    return Effect.gen({ self: this }, function*() {
      const asking = new Map<string, Fiber.Fiber<void>>()
      for (;;) {
        const seen = this.#changes
        for (let said = this.#said.shift(); said !== undefined; said = this.#said.shift()) {
          yield* "progress" in said
            ? call.progress(said.progress)
            : call.log(said.log.level, Relayed.memberOf(said.log, "data"), said.log.logger)
        }
        if (this.#exit !== undefined) return yield* this.#exit
        for (const [key, asked] of this.#asked) {
          if (asking.has(key)) continue
          asking.set(key, yield* Effect.forkChild(this.#pass(call, key, asked), { startImmediately: true }))
        }
        // The upstream has taken these back.
        for (const [key, fiber] of asking) {
          if (this.#asked.has(key)) continue
          asking.delete(key)
          fiber.interruptUnsafe()
        }
        yield* this.#changeSince(seen)
      }
    })
  }

  #pass(call: McpContext, key: string, { question, resume }: Asked): Effect.Effect<void> {
    const settled = (answer: Exit.Exit<ClientAnswer, Failed>) =>
      Effect.sync(() => {
        if (this.#taken(key) !== undefined) resume(answer)
      })
    // The server has the answer from then on, so that no later round asks again.
    return Effect.matchEffect(call.ask(key, question, { isOnce: true }), {
      onSuccess: (answer) => settled(Exit.succeed(answer)),
      onFailure: (error) => settled(Exit.fail(failures.refusal(error)))
    })
  }

  /** Waits for something that has happened since there were so many changes. */
  #changeSince(seen: number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (this.#changes !== seen) return resume(Effect.void)
      this.#wake = () => resume(Effect.void)
      return Effect.sync(() => {
        this.#wake = undefined
      })
    })
  }

  #say(said: Said) {
    this.#said.push(said)
    this.#woken()
  }

  #woken() {
    this.#changes++
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}

const gone = ErrorResponse.make(ErrorCode.InternalError, "The client of the call has gone")

const ended = ErrorResponse.make(McpError.UpstreamFailed, "The connection of the call has ended")

const tooLong = ErrorResponse.make(McpError.Overloaded, "No room for the result of the call, for which nobody waited")

/** The answer to a server that asks more than may wait. @internal */
export const tooMany = ErrorResponse.make(
  McpError.Overloaded,
  "The questions of one call or session are too many, or too long"
)

/** The call whose rounds run in a fiber, so that a question of a round is one of its call. @internal */
export const Current: Context.Reference<Running | undefined> = Context.Reference<Running | undefined>(
  "@parley/mcp-gateway/upstream/Running",
  { defaultValue: () => undefined }
)
