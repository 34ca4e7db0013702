/** Cancellation: it ends nothing but the request that it names. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { type Finding, NotApplicable, type Passed, type Unverified } from "../../../../Suite.ts"
import { type Conversation, describe } from "../../../protocol/mcp/Conversation.ts"
import * as operations from "../../../protocol/mcp/operations.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue, ToolCall } from "../Subject.ts"
import { isAnswerTo, slowCall, tries } from "./methods.ts"

/** Whether the server goes on to answer. Any method does: this looks for no particular answer. */
const alive = (conversation: Conversation, after: string): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(
    conversation.request("parley/conform/alive", {}),
    ({ exchange, outcome }) =>
      outcome._tag === "Ended" || outcome._tag === "Silent"
        ? [Rule.finding(`a server that goes on after ${after}`, describe(outcome), [
          ...conversation.line.passed().slice(-6),
          ...exchange
        ])]
        : []
  )

const needsNotifications = ({ era, run: { target } }: Dialogue): Effect.Effect<void, NotApplicable> =>
  era === "modern" && target._tag === "Http"
    ? new NotApplicable({ reason: "over HTTP, a modern client cancels by closing the stream of a request" })
    : Effect.void

/** An id that no request has. */
const nobody = 987_654

const survives = Rule.each({
  id: "mcp/cancellation/survives",
  title: "The server goes on after cancellations of requests that it does not know, and after malformed ones",
  level: "must",
  section: Rule.section("2025-11-25", "basic/utilities/cancellation#timing-considerations")
}, (dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    yield* needsNotifications(dialogue)
    const conversation = yield* dialogue.shared
    const probes = [{ requestId: nobody }, { requestId: "parley-conform" }, {}, { requestId: 1 }]
    for (const params of probes) {
      yield* conversation.notify("notifications/cancelled", params)
      const found = yield* alive(conversation, `notifications/cancelled with ${JSON.stringify(params)}`)
      if (found.length > 0) return found
    }
    return []
  })))

const others = Rule.each({
  id: "mcp/cancellation/others",
  title: "The cancellation of a request that does not exist cancels no other",
  level: "should",
  section: Rule.section("2025-11-25", "basic/utilities/cancellation#error-handling")
}, (dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    yield* needsNotifications(dialogue)
    const { args, reply: { milliseconds }, tool } = yield* slowCall(dialogue)
    const conversation = yield* dialogue.shared
    const call = operations.call(conversation, tool, args, { isCancelled: true })
    const running = yield* Effect.forkScoped(call, { startImmediately: true })
    yield* Effect.sleep(Duration.millis(milliseconds / 4))
    yield* conversation.notify("notifications/cancelled", { requestId: nobody })
    const reply = yield* Fiber.join(running)
    return reply.outcome._tag === "Result"
      ? []
      : [Rule.breach(`the result of a call, because only the request ${nobody} was cancelled`, reply)]
  })))

interface Cancelled {
  /** What has gone wrong after the cancellation. */
  readonly findings: ReadonlyArray<Finding>
  /** The response that has come all the same, and what came with it. */
  readonly answered: ReadonlyArray<Passed> | undefined
}

/** Cancels a call. An answer that has crossed the cancellation by chance does not do so each time. */
const cancelled = Rule.once((dialogue) =>
  Effect.gen(function*() {
    const call = yield* slowCall(dialogue)
    let last: Cancelled = { findings: [], answered: undefined }
    for (let left = tries; left > 0; left--) {
      last = yield* Effect.scoped(cancelOne(dialogue, call))
      if (last.findings.length > 0 || last.answered === undefined) return last
    }
    return last
  })
)

/** Cancels a call when a quarter of its time is over, so that the server has it. */
const cancelOne = Effect.fnUntraced(function*(
  dialogue: Dialogue,
  { args, reply: { milliseconds }, tool }: ToolCall
): Effect.fn.Return<Cancelled, Unverified, Scope.Scope> {
  const conversation = yield* dialogue.shared
  const { line } = conversation
  let id = 0
  const call = operations.call(conversation, tool, args, {
    isCancelled: true,
    onId: (own) => {
      id = own
    }
  })
  const fiber = yield* Effect.forkScoped(call, { startImmediately: true })
  yield* Effect.sleep(Duration.millis(milliseconds / 4))
  if (dialogue.era === "modern" && conversation.http !== undefined) {
    // Closing the stream of a request cancels it.
    yield* Fiber.interrupt(fiber)
    return { findings: yield* alive(conversation, "the end of the stream of a call"), answered: undefined }
  }
  // A call that has ended before is not cancelled.
  const wasAnswered = line.passed().some(({ text }) => isAnswerTo(id)(text))
  yield* conversation.notify("notifications/cancelled", { requestId: id, reason: "a probe of parley conform" })
  const findings = yield* alive(conversation, "the cancellation of a call")
  // The server has read the cancellation by now: what it sent before may have crossed it.
  const read = line.passed().length
  const found = wasAnswered || findings.length > 0
    ? undefined
    : yield* line.until(isAnswerTo(id), Duration.millis(milliseconds), read)
  return { findings, answered: found === undefined ? undefined : line.passed().slice(-8) }
})

const running = Rule.each({
  id: "mcp/cancellation/running",
  title: "The server goes on after the cancellation of a call that runs",
  level: "must",
  section: Rule.section("2025-11-25", "basic/utilities/cancellation#timing-considerations")
}, (dialogue) => Effect.map(cancelled(dialogue), ({ findings }) => findings))

const unanswered = Rule.each(
  {
    id: "mcp/cancellation/unanswered",
    title: "A call that was cancelled is not answered",
    level: "should",
    section: Rule.section("2025-11-25", "basic/utilities/cancellation#behavior-requirements")
  },
  (dialogue) =>
    Effect.map(cancelled(dialogue), ({ answered }) =>
      answered === undefined
        ? []
        : [Rule.finding("no response to a request that was cancelled", "a response", answered)])
)

const silent = Rule.modern({
  id: "mcp/cancellation/silent",
  title: "Over stdio, nothing more is sent for a request that was cancelled",
  level: "must",
  section: Rule.section("2026-07-28", "basic/transports/stdio#cancellation")
}, (dialogue) =>
  dialogue.run.target._tag === "Http"
    ? new NotApplicable({ reason: "the endpoint is one of HTTP" })
    : Effect.map(cancelled(dialogue), ({ answered }) =>
      answered === undefined ? [] : [Rule.finding("nothing for a request that was cancelled", "a response", answered)]))

export const rules: ReadonlyArray<Rule.McpRule> = [survives, others, running, unanswered, silent]
