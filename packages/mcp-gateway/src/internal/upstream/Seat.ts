/**
 * The address of the questions of one connection to an upstream: the call that the connection serves, the session that it
 * is for, or nobody. It is there before its connection, which may be asked while it shakes hands.
 */
import { AskedKey, type McpHandlers } from "@parley/mcp/client/McpHandlers"
import type { ClientAnswer, ClientQuestion, ClientSession } from "@parley/mcp/McpContext"
import type { ElicitForm, ElicitUrl } from "@parley/mcp/payload/Elicitation"
import type { LogParams } from "@parley/mcp/payload/Requests"
import { mostInputRequests } from "@parley/mcp/payload/Results"
import type { SampleRequest } from "@parley/mcp/payload/Sampling"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Excerpt, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as attribution from "./attribution.ts"
import { type PartyRoom, sizeOf } from "./calls/Backlog.ts"
import { Current, type Running, tooMany } from "./calls/Running.ts"
import * as failures from "./failures.ts"
import type { Reach } from "./reach.ts"
import type { SoleCaller } from "./SoleCaller.ts"

/** @internal */
export class Seat {
  /** The calls that run on the connection, the newest last. */
  readonly calls = new Set<Running>()
  readonly session: ClientSession | undefined

  /** How many questions of the session wait for their answers. */
  #waiting = 0
  readonly #server: string
  /** Who asks, where questions say it. */
  readonly #asker: attribution.Asker | undefined
  readonly #room: PartyRoom
  readonly #sole: SoleCaller | undefined

  /** `room` is for the questions of the session. Those of a call take the room of the call. */
  constructor(
    server: string,
    asker: attribution.Asker | undefined,
    session: ClientSession | undefined,
    room: PartyRoom,
    sole: SoleCaller | undefined
  ) {
    this.#server = server
    this.#asker = asker
    this.session = session
    this.#room = room
    this.#sole = sole
  }

  /** Asks whom the question is for. */
  ask<const Q extends ClientQuestion>(question: Q): Effect.Effect<ClientAnswer<Q>, ErrorResponse.ErrorResponse> {
    const asked = Effect.withFiber<ClientAnswer, ErrorResponse.ErrorResponse>((fiber) => {
      const call = fiber.getRef(Current) ?? [...this.calls].at(-1)
      if (call !== undefined) return call.ask(question, fiber.getRef(AskedKey))
      return Effect.flatMap(
        this.#sole === undefined ? Effect.succeed(this.session) : this.#sole.asked,
        (session) => session === undefined ? Effect.fail(nobody) : this.#askSession(session, question)
      )
    })
    // The method of a question decides its answer.
    return asked as Effect.Effect<ClientAnswer<Q>, ErrorResponse.ErrorResponse>
  }

  /** Asks outside of any call, as long as there is room for what waits. */
  #askSession(
    session: ClientSession,
    question: ClientQuestion
  ): Effect.Effect<ClientAnswer, ErrorResponse.ErrorResponse> {
    const size = sizeOf(question)
    if (this.#waiting >= mostInputRequests || !this.#room.take(size)) return Effect.fail(tooMany)
    this.#waiting++
    return Effect.ensuring(
      Effect.mapError(session.ask(question), failures.refusal),
      Effect.sync(() => {
        this.#waiting--
        this.#room.give(size)
      })
    )
  }

  heard(message: LogParams): Effect.Effect<void> {
    return Effect.suspend(() => {
      const call = [...this.calls].at(-1)
      if (call !== undefined) return Effect.sync(() => call.logged(message))
      const session = this.session ?? this.#sole?.session
      return session === undefined
        ? Effect.annotateLogs(
          Effect.logDebug(`the server ${Excerpt.line(this.#server)} has logged what belongs to no call`),
          {
            "mcp.level": Excerpt.line(message.level),
            "mcp.data": Excerpt.value(message.data)
          }
        )
        : session.notifyLog(message.level, message.data, message.logger)
    })
  }

  /** The handlers of the connection, as many as there are things that can be asked. */
  handlers(reach: Reach, onComplete: (elicitationId: string) => void): McpHandlers {
    const asker = this.#asker
    const elicit = (params: ElicitForm | ElicitUrl) => {
      const own = withoutToken(params)
      return this.ask({
        method: "elicitation/create",
        params: asker === undefined ? own : attribution.elicitation(asker, own)
      })
    }
    const sample = (params: SampleRequest) => {
      const own = withoutToken(params)
      return this.ask({
        method: "sampling/createMessage",
        params: asker === undefined ? own : attribution.sampling(asker, own)
      })
    }
    const roots = asker === undefined ? {} : { params: attribution.marked(asker, {}) }
    return {
      ...(reach.form && { elicit }),
      ...(reach.url && {
        elicitUrl: elicit,
        elicitComplete: (elicitationId) => Effect.sync(() => onComplete(elicitationId))
      }),
      ...(reach.sample && {
        sample,
        sampling: { tools: reach.tools, context: reach.context }
      }),
      ...(reach.roots && { roots: Effect.map(this.ask({ method: "roots/list", ...roots }), ({ roots }) => roots) }),
      isVerbatim: true,
      log: (message) => this.heard(message)
    }
  }
}

/** The place of one call on the connection that serves it, until the call leaves. @internal */
export class Seated {
  readonly #running: Running
  #seat: Seat | undefined = undefined
  #hasLeft = false

  constructor(running: Running) {
    this.#running = running
  }

  take(seat: Seat) {
    if (this.#hasLeft) return
    this.#seat = seat
    seat.calls.add(this.#running)
  }

  leave() {
    this.#hasLeft = true
    this.#seat?.calls.delete(this.#running)
  }
}

const nobody = ErrorResponse.make(ErrorCode.InternalError, "No call runs whose client could be asked")

/** Progress of an answer would go to us, who cannot pass it on. */
const withoutToken = <A extends { readonly _meta?: Schema.JsonObject }>(params: A): A =>
  JsonObject.change(params, "_meta", (meta) => JsonObject.omit(meta, "progressToken"))
