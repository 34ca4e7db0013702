/**
 * Rounds: a handler runs until it needs answers that are not there, and runs again when they are.
 *
 * A round ends when every fiber that could run has run and no `memo` is running. Then the handler is interrupted, and
 * what it learned is sealed and travels with the questions.
 */
import * as SealedState from "@parley/oauth/SealedState"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type * as Message from "@parley/protocol/Message"
import { ErrorCode } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ClientCapabilities } from "../../../payload/Capabilities.ts"
import { type InputRequest, mostInputRequests } from "../../../payload/Results.ts"
import { type ClientRequestError, InvalidAnswer } from "../../../server/ClientRequestError.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import { isArray, isObject } from "../../Json.ts"
import { type Asker, Keys, type Question, Questions } from "./Questions.ts"

export interface Options {
  readonly codec: RevisionCodec
  /** The capabilities that the client declared. The server asks for nothing else. */
  readonly capabilities: ClientCapabilities
  readonly state: SealedState.SealedState
  /** The name of the server, to which its state is bound. */
  readonly server: string
  /** The principal that makes the request; `undefined` where there is none. */
  readonly principal: string | undefined
  readonly method: string
  /** The params as they came, with `inputResponses` and `requestState` where the request is a retry. */
  readonly params: Message.Params | undefined
  /** Answers a call whose handler wants to go on as a task, which starts it again with what it has learned. */
  readonly detached?: ((learned: Learned) => Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse>) | undefined
}

export const run = <A, E, R>(
  options: Options,
  handler: (questions: Questions) => Effect.Effect<A, E, R>
): Effect.Effect<A | Schema.JsonObject, E | ErrorResponse.ErrorResponse, R> => {
  const inputResponses = memberOf(options.params, "inputResponses")
  const requestState = memberOf(options.params, "requestState")
  return inputResponses === undefined && requestState === undefined
    ? Effect.suspend(() => play(options, new Round(new Map(), new Map(), new Map(), new Set()), handler))
    : Effect.flatMap(reopen(options, inputResponses, requestState), (round) => play(options, round, handler))
}

const memberOf = (params: Message.Params | undefined, name: string): unknown =>
  isObject(params) && Object.hasOwn(params, name) ? params[name] : undefined

const play = <A, E, R>(
  options: Options,
  round: Round,
  handler: (questions: Questions) => Effect.Effect<A, E, R>
): Effect.Effect<A | Schema.JsonObject, E | ErrorResponse.ErrorResponse, R> => {
  round.canDetach = options.detached !== undefined
  const effect = handler(new Questions(round, options.codec, options.capabilities))
  if (Exit.isExit(effect)) return effect
  return Effect.flatMap(
    Effect.forkChild(effect, { startImmediately: true }),
    (fiber): Effect.Effect<A | Schema.JsonObject, E | ErrorResponse.ErrorResponse> => {
      const exit = fiber.pollUnsafe()
      if (exit === undefined) return settle(options, round, fiber)
      round.end(fiber)
      return exit
    }
  )
}

const settle = <A, E>(
  options: Options,
  round: Round,
  fiber: Fiber.Fiber<A, E>
): Effect.Effect<A | Schema.JsonObject, E | ErrorResponse.ErrorResponse> =>
  Effect.flatMap(
    Effect.onInterrupt(
      Effect.ensuring(over(round, fiber), Effect.sync(() => round.end(fiber))),
      () => Effect.flatMap(Fiber.await(fiber), heard)
    ),
    (requests): Effect.Effect<A | Schema.JsonObject, E | ErrorResponse.ErrorResponse> =>
      requests === undefined ? Fiber.join(fiber) : ask(options, round, requests, fiber)
  )

/** Waits for the end of a round: by the end of the handler (`undefined`), or by what it asks. */
const over = Effect.fnUntraced(function*(round: Round, fiber: Fiber.Fiber<unknown, unknown>) {
  fiber.addObserver(() => round.changed())
  while (fiber.pollUnsafe() === undefined) {
    if (!round.isDue()) {
      yield* round.change()
      continue
    }
    const seen = round.changes
    // Other fibers of the handler run now, and may ask as well.
    yield* Effect.yieldNow
    if (seen === round.changes && round.isDue()) return round.requests()
  }
  return undefined
})

/** Dies where a finalizer of a handler that was ended has died. */
const heard = (exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> => {
  const defect = Exit.isFailure(exit) ? Cause.findDefect(exit.cause) : undefined
  return defect !== undefined && Result.isSuccess(defect) ? Effect.die(defect.success) : Effect.void
}

/** Gives the questions, or the task, when the handler has ended. A finalizer that dies is heard; what else it gives is not. */
const ask = Effect.fnUntraced(function*<A, E>(
  { codec, detached, method, params, principal, server, state }: Options,
  round: Round,
  inputRequests: { readonly [key: string]: InputRequest },
  fiber: Fiber.Fiber<A, E>
) {
  yield* heard(yield* Fiber.await(fiber))
  if (detached !== undefined && Object.keys(inputRequests).length === 0) return yield* detached(round.learned([]))
  const digest = yield* digestOf(method, params)
  const requestState = yield* state.seal(round.learned(Object.keys(inputRequests)), { server, principal, digest }).pipe(
    Effect.mapError((tooLarge) => ErrorResponse.internalError(tooLarge))
  )
  return codec.encode.inputRequired({ inputRequests, requestState })
})

const Entries = Schema.Array(Schema.Tuple([Schema.String, Schema.Json]))

/** What is sealed. */
export const Learned = Schema.Struct({ answers: Entries, results: Entries, asked: Schema.Array(Schema.String) })

export type Learned = typeof Learned.Type

const decodeLearned = Schema.decodeUnknownResult(Learned)

/** The round of a request that brings answers, or the state of an earlier one. */
const reopen = Effect.fnUntraced(function*(
  { method, params, principal, server, state }: Options,
  inputResponses: unknown,
  requestState: unknown
) {
  if (inputResponses !== undefined && !isObject(inputResponses)) return yield* mustBe("inputResponses", "an object")
  const given = new Map(Object.entries(inputResponses ?? {}))
  if (requestState === undefined) return new Round(given, new Map(), new Map(), new Set())
  if (typeof requestState !== "string") return yield* mustBe("requestState", "a string")
  const digest = yield* digestOf(method, params)
  const payload = yield* Effect.mapError(state.open(requestState, { server, principal, digest }), refused)
  const learned = decodeLearned(payload)
  // Another version of this module sealed it: whoever holds it starts again.
  if (Result.isFailure(learned)) return yield* refused(learned.failure)
  const { answers, asked, results } = learned.success
  return new Round(given, new Map(answers), new Map(results), new Set(asked))
})

const mustBe = (name: string, kind: string) =>
  McpError.invalidParams({ issues: [{ path: [name], message: `Expected ${kind}` }] })

/** The cause goes to our log. The sender is told only that the time has passed. */
const refused = (cause: SealedState.StateRefused | Schema.SchemaError) =>
  ErrorResponse.fromObject({
    code: ErrorCode.InvalidParams,
    message: cause._tag === "StateRefused" && cause.reason === "Expired"
      ? "requestState has expired: send the request without it"
      : "requestState is not for this request: send the request without it"
  }, cause)

/** A running `memo`. While it only waits for answers, the round does not wait for it. */
interface Frame {
  readonly outer: Frame | undefined
  waiting: number
}

const CurrentFrame = Context.Reference<Frame | undefined>("@parley/mcp/ClientRequests/Memo", {
  defaultValue: () => undefined
})

interface Pending {
  readonly request: InputRequest
  readonly resume: (interrupt: Effect.Effect<never>) => void
}

class Round implements Asker {
  /** What the request brings; each is taken by the question of its key, or by none. */
  private readonly given: Map<string, Schema.Json>
  /** By key, the answers that were taken, as they came. */
  private readonly answers: Map<string, Schema.Json>
  /** By key, what a `memo` gave, as its Schema encodes it. */
  private readonly results: Map<string, Schema.Json>
  /** The keys of every question so far. An answer to one is kept even where this round does not come to it. */
  private readonly asked: Set<string>
  /** The keys of this round whose answers no later round needs. */
  private readonly once = new Set<string>()
  private readonly keys = new Keys()
  private readonly pending = new Map<string, Pending>()
  private readonly frames = new Set<Frame>()
  private ended = false
  changes = 0
  /** Whether the handler may go on as a task, and whether it wants to. */
  canDetach = false
  private isDetached = false
  private wake: (() => void) | undefined

  constructor(
    given: Map<string, Schema.Json>,
    answers: Map<string, Schema.Json>,
    results: Map<string, Schema.Json>,
    asked: Set<string>
  ) {
    this.given = given
    this.answers = answers
    this.results = results
    this.asked = asked
  }

  ask<A>(
    key: string,
    { options: { isOnce = false }, read, request }: Question<A>
  ): Effect.Effect<A, ClientRequestError> {
    return Effect.withFiber((fiber): Effect.Effect<A, ClientRequestError> => {
      if (this.ended) return Effect.interrupt
      this.keys.take(key)
      if (isOnce) this.once.add(key)
      // An answer, once decoded, is final: later answers under its key are ignored.
      const answer = this.answers.get(key) ?? this.given.get(key)
      if (answer === undefined) return this.wait(key, request, fiber.getRef(CurrentFrame))
      const result = read(answer)
      if (Result.isSuccess(result)) {
        this.answers.set(key, answer)
        return Effect.succeed(result.success)
      }
      this.answers.delete(key)
      this.given.delete(key)
      this.keys.release(key)
      return Effect.fail(new InvalidAnswer({ key, method: request.method, issues: result.failure.issues }))
    })
  }

  memo<A, I, E, R>(
    key: string,
    schema: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> {
    return Effect.withFiber((fiber) => {
      if (this.ended) return Effect.interrupt
      this.keys.take(key)
      const codec = Schema.toCodecJson(schema)
      const recorded = this.results.get(key)
      // A result that the current Schema refuses is a defect, because the effect must not run again.
      if (recorded !== undefined) return Effect.orDie(Schema.decodeUnknownEffect(codec)(recorded))
      const frame: Frame = { outer: fiber.getRef(CurrentFrame), waiting: 0 }
      const framed = Effect.suspend(() => {
        this.frames.add(frame)
        return Effect.provideService(effect, CurrentFrame, frame)
      })
      return Effect.onExit(framed, (exit) =>
        Effect.ensuring(
          Exit.isSuccess(exit)
            ? Effect.map(Effect.orDie(Schema.encodeEffect(codec)(exit.value)), (result) => {
              // The codec's other side is JSON.
              this.results.set(key, result as Schema.Json)
            })
            : Effect.sync(() => this.keys.release(key)),
          Effect.sync(() => {
            this.frames.delete(frame)
            this.changed()
          })
        ))
    })
  }

  /** Interrupts the handler; and where it cannot be interrupted, its questions, so that it comes to an end. */
  end(fiber: Fiber.Fiber<unknown, unknown>): void {
    this.ended = true
    const pending = Array.from(this.pending.values())
    fiber.interruptUnsafe()
    for (const { resume } of pending) resume(Effect.interrupt)
  }

  /** What the next round is to know. */
  learned(asked: ReadonlyArray<string>): Learned {
    const answers = new Map(this.answers)
    for (const [key, answer] of this.given) if (this.asked.has(key) && !answers.has(key)) answers.set(key, answer)
    for (const key of this.once) answers.delete(key)
    const known = [...new Set([...this.asked, ...asked])].filter((key) => !this.once.has(key))
    return { answers: [...answers], results: [...this.results], asked: known }
  }

  private wait(key: string, request: InputRequest, frame: Frame | undefined): Effect.Effect<never> {
    return Effect.callback((resume) => {
      this.pending.set(key, { request, resume })
      for (let each = frame; each !== undefined; each = each.outer) each.waiting++
      this.changed()
      return Effect.sync(() => {
        this.pending.delete(key)
        this.keys.release(key)
        for (let each = frame; each !== undefined; each = each.outer) each.waiting--
      })
    })
  }

  readonly detach: Effect.Effect<void> = Effect.suspend(() =>
    !this.canDetach ? Effect.void : Effect.callback(() => {
      this.isDetached = true
      this.changed()
      return Effect.sync(() => {
        this.isDetached = false
      })
    })
  )

  /** Whether questions wait, or the handler wants to become a task, and nothing that is worth waiting for is under way. */
  isDue(): boolean {
    return (this.pending.size > 0 || this.isDetached) && !Array.from(this.frames).some(({ waiting }) => waiting === 0)
  }

  requests(): { readonly [key: string]: InputRequest } {
    const asked = Array.from(this.pending).slice(0, mostInputRequests)
    return Object.fromEntries(asked.map(([key, { request }]) => [key, request]))
  }

  /** Waits until something is asked, is given up, or has ended. */
  change(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      this.wake = () => {
        this.wake = undefined
        resume(Effect.void)
      }
    })
  }

  changed(): void {
    this.changes++
    this.wake?.()
  }
}

/** The digest of a request: of its method, and of the params that a retry repeats. */
export const digestOf = (method: string, params: Message.Params | undefined): Effect.Effect<string> =>
  SealedState.digestOf([
    method,
    params === undefined || isArray(params)
      ? params ?? {}
      : Object.fromEntries(Object.entries(params).filter(([name]) => !changing.has(name)))
  ])

/** The params that a retry changes: answers, state, and `_meta` with the progress token and the place in a trace. */
const changing = new Set(["_meta", "inputResponses", "requestState"])
