/**
 * Follows a task of a server from state to state until it has ended.
 *
 * ```
 *   state ──it has ended──→ done
 *     └─ pause: the time that the server asks for ─→ tasks/get ─→ state
 *          └─ a notification has the next state, and ends the pause
 * ```
 *
 * The server is asked as often as it wishes, within bounds. A server of the modern era is also listened to, where the task
 * has not ended at the second look. A task that does not change for long, or does not end, is `Overdue`; that time stands
 * still while a handler answers the server.
 */
import type { ClientHost } from "@parley/mcp/client/ClientExtension"
import type { McpTaskError, TaskError } from "@parley/mcp/client/McpClientError"
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { isTerminal } from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"
import { failed, type State, type Subject, type TaskRequests } from "./TaskRequests.ts"

/** Times are milliseconds. @internal */
export interface Times {
  /** How long a task may stay as it is. */
  readonly timeout: number
  /** How long a task may take. */
  readonly maxTimeout: number
}

/**
 * Runs `hear` with the state at each look, and ends with the state in which the task ended. It begins with a state that is
 * known, or asks for one.
 *
 * @internal
 */
export type Follow = <E>(
  subject: Subject,
  hear: (state: State, isChanged: boolean) => Effect.Effect<void, E>,
  first?: State
) => Effect.Effect<State, McpTaskError | E>

/** The notification of the states of a task in the extension. @internal */
export const states = "notifications/tasks"

/** The same in the core generation. @internal */
export const status = "notifications/tasks/status"

/** Milliseconds between two looks where the server does not say. */
const usualPause = 1_000

/** However soon a server wants to be asked again. */
const shortestPause = 100

/** However late a server wants to be asked again: its notifications may be lost, and its wish a mistake. */
const longestPause = 60_000

/** How many tasks of a client are listened to at once. Over HTTP each takes a connection; the others are asked for. */
const mostListened = 8

/** @internal */
export const make = (host: ClientHost, requests: TaskRequests, { maxTimeout, timeout }: Times): Follow => {
  let listened = 0

  const now = Effect.sync(() => host.clock.now())

  return (subject, hear, first) =>
    Effect.scoped(Effect.gen(function*() {
      const inbox = new Inbox(subject.id)
      const began = yield* now
      let changed = began

      const look = Effect.suspend(() => {
        const told = inbox.take()
        return told === undefined ? requests.get(subject) : Effect.succeed(told)
      })

      const looks = Effect.gen(function*() {
        let last: State | undefined
        let state = first !== undefined && isWhole(first) ? first : yield* look
        for (let count = 1;; count++) {
          const isChanged = last === undefined || isOther(state, last)
          if (isChanged) changed = yield* now
          yield* hear(state, isChanged)
          if (isTerminal(state.status)) return state
          if (count === 2) yield* listening
          yield* inbox.wait(Math.min(inbox.isTold ? longestPause : pauseOf(state), timeout / 2))
          last = state
          state = yield* look
        }
      })

      /** The extension gives no result with the first state, even where that is the last. */
      const isWhole = ({ status }: State) => !isTerminal(status) || host.codec().features.tasks === "core"

      /** A stream that is not offered, or breaks off, is made up for by asking. */
      const listening = Effect.suspend(() => {
        if (host.codec().features.tasks !== "extension" || listened >= mostListened) return Effect.void
        const heard = Stream.runForEach(host.listen({ taskIds: [subject.id] }, [states]), (event) =>
          Effect.sync(() => {
            inbox.isTold = true
            // A change may have been missed.
            if (event._tag !== "Notified") return inbox.wake()
            const state = inbox.read(host, event.params)
            if (state !== undefined) inbox.put(state)
          }))
        return Effect.acquireRelease(Effect.sync(() => listened++), () => Effect.sync(() => listened--)).pipe(
          Effect.andThen(Effect.forkScoped(Effect.ensuring(Effect.ignore(heard), Effect.sync(() => inbox.miss())))),
          Effect.asVoid
        )
      })

      yield* hearing(host, status, (params) => {
        if (host.codec().features.tasks !== "core") return
        const state = inbox.read(host, params)
        if (state !== undefined) inbox.put(state)
      })

      const overdue: Effect.Effect<never, TaskError> = Effect.flatMap(now, (time) => {
        const left = Math.min(changed + timeout, began + maxTimeout) - time
        if (left > 0) return Effect.andThen(Effect.sleep(left), overdue)
        const limit = changed + timeout <= began + maxTimeout ? "timeout" : "maxTimeout"
        const milliseconds = limit === "timeout" ? timeout : maxTimeout
        return Effect.fail(failed(subject, { _tag: "Overdue", milliseconds, limit }))
      })

      return yield* Effect.raceFirst(looks, overdue)
    }))
}

const pauseOf = ({ pollIntervalMs = usualPause }: State): number =>
  Math.min(Math.max(pollIntervalMs, shortestPause), longestPause)

const isOther = (one: State, other: State): boolean =>
  one.status !== other.status || one.statusMessage !== other.statusMessage ||
  one.lastUpdatedAt !== other.lastUpdatedAt

const hearing = (
  host: ClientHost,
  method: string,
  hear: (params: Message.Params | undefined) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(Effect.sync(() => host.hear(method, hear)), (remove) => Effect.sync(remove)))

/** The last state that the server has told by itself, and who waits for it. */
class Inbox {
  readonly #id: string
  #state: State | undefined
  #wake: (() => void) | undefined
  /** Whether something happened since the last look that ends the next pause. */
  #isWoken = false
  /** Whether the server tells of each change. */
  isTold = false

  constructor(id: string) {
    this.#id = id
  }

  /** A state in the params of a notification, if it is one of this task. One that does not fit is asked for. */
  read(host: ClientHost, params: Message.Params | undefined): State | undefined {
    const codec = host.codec()
    const { decode } = TaskCodec.of(codec)
    const state: Result.Result<State, unknown> = codec.features.tasks === "core"
      ? decode.task(params)
      : decode.detailedTask(params)
    return Result.isSuccess(state) && state.success.taskId === this.#id ? state.success : undefined
  }

  put(state: State): void {
    this.#state = state
    this.wake()
  }

  take(): State | undefined {
    const state = this.#state
    this.#state = undefined
    this.#isWoken = false
    return state
  }

  /** Ends a pause. */
  wake(): void {
    this.#isWoken = true
    this.#wake?.()
  }

  /** The server tells of changes no more. */
  miss(): void {
    if (this.isTold) this.wake()
    this.isTold = false
  }

  /** Waits for so many milliseconds, or until it is woken. */
  wait(milliseconds: number): Effect.Effect<void> {
    const woken = Effect.callback<void>((resume) => {
      if (this.#isWoken) return resume(Effect.void)
      this.#wake = () => resume(Effect.void)
      return Effect.sync(() => {
        this.#wake = undefined
      })
    })
    return Effect.raceFirst(Effect.sleep(milliseconds), woken)
  }
}
