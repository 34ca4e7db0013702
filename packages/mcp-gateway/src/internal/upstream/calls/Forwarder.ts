/**
 * The way of a call to an upstream: past the rules, on a connection of its own where its client may be asked, and attended to
 * by whichever request of the client waits for it.
 */
import type { McpConnectError, ToolError } from "@parley/mcp/client/McpClientError"
import type { McpContext } from "@parley/mcp/McpContext"
import type { LogLevel } from "@parley/mcp/payload/LogLevel"
import * as McpError from "@parley/mcp/wire/McpError"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Guard, Subject } from "../../policy/Guard.ts"
import * as failures from "../failures.ts"
import type { Line } from "../Line.ts"
import type { Lines } from "../Lines.ts"
import type * as features from "../lists/features.ts"
import * as Plan from "../plan.ts"
import { sizeOf } from "./Backlog.ts"
import type { Calls } from "./Calls.ts"
import type { Listening } from "./Listening.ts"
import { reporting } from "./Reports.ts"
import { Current, Running } from "./Running.ts"

type Failed = McpConnectError | ErrorResponse.ErrorResponse

/** The parts of an upstream that calls need. @internal */
export interface Port {
  readonly guard: Guard
  /** Milliseconds that a request may take. */
  readonly deadline: number | undefined
  readonly calls: Calls
  readonly lines: Lines<Line, McpConnectError>
  readonly scope: Scope.Scope
  /** The connection for a call; `undefined` while the upstream cannot be reached. */
  readonly plan: (call: McpContext, what: "call" | "lists") => Plan.Plan | undefined
  readonly take: (plan: Plan.Plan, running: Running | undefined) => Effect.Effect<Line, Failed, Scope.Scope>
  readonly listening: Listening
  readonly answered: <A>(
    effect: Effect.Effect<A, Failed | failures.Failure | ToolError>
  ) => Effect.Effect<A, ErrorResponse.ErrorResponse>
  /** Why the upstream cannot be reached. */
  readonly down: Effect.Effect<never, ErrorResponse.ErrorResponse>
}

/** @internal */
export class Forwarder {
  readonly #port: Port

  constructor(port: Port) {
    this.#port = port
  }

  /** Passes on a request that asks nothing. */
  simply<A>(
    call: McpContext,
    subject: Subject,
    send: features.Send<A>
  ): Effect.Effect<A, ErrorResponse.ErrorResponse> {
    const { deadline, guard } = this.#port
    const sent = guard.run(
      call,
      subject,
      Effect.suspend(() => {
        const plan = this.#port.plan(call, "lists")
        if (plan === undefined) return this.#port.down
        return this.#port.answered(Effect.scoped(Effect.flatMap(
          this.#take(call, Plan.listening(plan), undefined),
          ({ client }) =>
            reporting(
              call,
              this.#port.calls.room,
              (hears) => send(client, { ...Plan.optionsOf(call, deadline), ...hears })
            )
        )))
      })
    )
    return guard.counted(sent)
  }

  /** Passes on a call that may ask its client. */
  call<A extends object>(
    call: McpContext,
    subject: Subject,
    send: features.Send<A>
  ): Effect.Effect<A, ErrorResponse.ErrorResponse> {
    return Effect.suspend(() => {
      const plan = this.#port.plan(call, "call")
      if (plan === undefined || plan.isQuiet) return this.simply(call, subject, send)
      const isRetried = Plan.isRetried(call, plan)
      const running = new Running(call, this.#port.calls.room)
      const begun = Effect.as(
        Effect.andThen(
          isRetried
            ? Effect.catch(
              this.#port.calls.add(running, sizeOf([subject.name, subject.arguments, call.meta])),
              (error) => this.#port.guard.refuse(call, subject, error)
            )
            : Effect.void,
          this.#begin(running, call, subject, plan, send)
        ),
        running.id
      )
      // A call that has begun is attended to, whenever its request is interrupted.
      const attended = Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          isRetried ? call.memo("upstream", Schema.String, begun) : begun,
          (id) =>
            this.#attend(id === running.id ? running : this.#port.calls.get(id, call.principal), isRetried, (running) =>
              restore(running.attend(call)))
        )
      )
      // A call gives the value of its `send`.
      return attended as Effect.Effect<A, ErrorResponse.ErrorResponse>
    })
  }

  #begin<A extends object>(
    running: Running,
    call: McpContext,
    subject: Subject,
    plan: Plan.Plan,
    send: features.Send<A>
  ): Effect.Effect<void> {
    const { deadline, guard } = this.#port
    const sent = Effect.scoped(Effect.flatMap(
      this.#take(call, plan, running),
      (line) =>
        Effect.andThen(
          this.#level(line, plan.level),
          send(line.client, { ...Plan.optionsOf(call, deadline), onProgress: (progress) => running.progress(progress) })
        ).pipe(
          // The server may not have heard that the call has ended, and ask whoever is there next.
          Effect.onExit((exit) =>
            plan.use.kind === "exclusive" && !failures.isAnswered(exit) ? this.#port.lines.discard(line) : Effect.void
          )
        )
    ))
    const guarded = guard.run(call, subject, this.#port.answered(sent), running.hasAsked)
    // Its upstream may end with its last call.
    const settled = guard.counted(Effect.onExit(guarded, (exit) => Effect.sync(() => running.settle(exit))))
    return Effect.map(
      Effect.forkIn(Effect.provideService(Effect.exit(settled), Current, running), this.#port.scope, {
        startImmediately: true
      }),
      (fiber) => {
        running.fiber = fiber
        // One that could not begin, because its upstream has ended, has an end all the same.
        fiber.addObserver((exit) => running.settle(Exit.isSuccess(exit) ? exit.value : exit))
      }
    )
  }

  #take(call: McpContext, plan: Plan.Plan, running: Running | undefined) {
    return Effect.andThen(this.#port.listening.behind(call), this.#port.take(plan, running))
  }

  #attend(
    running: Running | undefined,
    isRetried: boolean,
    attend: (running: Running) => Effect.Effect<object, ErrorResponse.ErrorResponse>
  ): Effect.Effect<object, ErrorResponse.ErrorResponse> {
    if (running === undefined) return Effect.fail(McpError.ownerGone)
    if (running.isAttended) return Effect.fail(attendedTwice)
    running.isAttended = true
    running.patience?.interruptUnsafe()
    return Effect.onExit(attend(running), (exit) =>
      Effect.suspend(() => {
        running.isAttended = false
        // A round has ended with a question of the call: somebody comes back with the answer.
        if (Exit.hasInterrupts(exit) && isRetried && running.isAsking) return this.#port.calls.park(running)
        return Effect.sync(() => this.#port.calls.end(running))
      }))
  }

  #level(line: Line, level: LogLevel | undefined): Effect.Effect<void> {
    if (level === undefined || level === line.level) return Effect.void
    line.level = level
    return Effect.ignore(line.client.setLogLevel(level))
  }
}

const attendedTwice = ErrorResponse.make(
  ErrorCode.InvalidRequest,
  "Another request waits for the result of this call already"
)
