/** Progress: of the requests that asked for it, forward, and until they are answered. */
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type Finding, NotApplicable, type Passed } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import type { Conversation } from "../../../protocol/mcp/Conversation.ts"
import * as operations from "../../../protocol/mcp/operations.ts"
import * as Rule from "../Rule.ts"

/** A report of progress, and what was known when it came. */
interface Progress {
  readonly passed: Passed
  readonly progress: Schema.Json | undefined
  /** The report before it for the same token. */
  readonly before: Progress | undefined
  readonly state: "running" | "answered" | "unknown"
  /** The request that has the token. */
  readonly request: Passed | undefined
}

const isReport = (text: string): boolean => Json.objectOf(text)?.["method"] === "notifications/progress"

/** A request that asked for progress. */
interface Asked {
  readonly id: string
  readonly sent: Passed
}

/** The reports of a conversation. Two streams of HTTP have no order between them: each is looked at by itself. */
const reportsOf = ({ http, line }: Conversation): ReadonlyArray<Progress> => {
  const requests = new Map(
    line.passed().flatMap((passed) => {
      const token = JsonObject.member(
        JsonObject.member(Json.objectOf(passed.text)?.["params"], "_meta"),
        "progressToken"
      )
      const id = Json.idOf(passed.text)
      return passed.direction === "sent" && token !== undefined && id !== undefined
        ? [[JSON.stringify(token), { id, sent: passed }] as const]
        : []
    })
  )
  return (http?.exchanges() ?? [line.passed()]).flatMap((stream) => inStream(stream, requests))
}

const inStream = (stream: ReadonlyArray<Passed>, requests: ReadonlyMap<string, Asked>): ReadonlyArray<Progress> => {
  const answered = new Set<string | undefined>()
  const last = new Map<string, Progress>()
  return stream.flatMap((passed) => {
    const message = passed.direction === "received" ? Json.objectOf(passed.text) : undefined
    if (message === undefined) return []
    if (Json.isResponse(passed.text)) {
      answered.add(Json.idOf(passed.text))
      return []
    }
    if (!isReport(passed.text)) return []
    const { params } = message
    const token = JSON.stringify(JsonObject.member(params, "progressToken"))
    const request = requests.get(token)
    const report: Progress = {
      passed,
      progress: JsonObject.member(params, "progress"),
      before: last.get(token),
      state: request === undefined ? "unknown" : answered.has(request.id) ? "answered" : "running",
      request: request?.sent
    }
    last.set(token, report)
    return [report]
  })
}

/** All reports of a server, when its tools were called with tokens: most are texts, and one is an integer. */
const reports = Rule.once((dialogue) =>
  Effect.gen(function*() {
    yield* dialogue.exercised
    const calls = yield* Effect.orElseSucceed(dialogue.calls, () => [])
    const telling = calls.find(({ reply }) => reply.exchange.some(({ text }) => isReport(text)))
    if (telling !== undefined) {
      yield* operations.call(yield* dialogue.shared, telling.tool, telling.args, { meta: { progressToken: 7_001 } })
    }
    const recorded = dialogue.recorded()
    // What is sent after a result may arrive after it.
    yield* Effect.sleep(dialogue.run.patience.silence)
    const found = recorded.flatMap(({ conversation }) => reportsOf(conversation))
    return found.length > 0
      ? found
      : yield* new NotApplicable({ reason: "the server has reported no progress for the calls that may be made" })
  })
)

const found = (report: Progress, expected: string, received: string): Finding =>
  Rule.finding(
    expected,
    received,
    [report.request, report.before?.passed, report.passed].filter((passed) => passed !== undefined)
  )

const own = Rule.each({
  id: "mcp/progress/own-token",
  title: "Progress has the token of a request, with its type",
  level: "must",
  section: Rule.section("2025-11-25", "basic/utilities/progress#behavior-requirements")
}, (dialogue) =>
  Effect.map(reports(dialogue), (all) =>
    all.filter(({ state }) => state === "unknown").slice(0, 3)
      .map((report) => found(report, "the progressToken of a request", "another token"))))

const increasing = Rule.each({
  id: "mcp/progress/increases",
  title: "Progress increases with each notification",
  level: "must",
  section: Rule.section("2025-11-25", "basic/utilities/progress#progress-flow")
}, (dialogue) =>
  Effect.map(reports(dialogue), (all) =>
    all.flatMap((report) => {
      const { before, progress } = report
      if (typeof progress !== "number") {
        return [found(report, "progress as a number", JSON.stringify(progress) ?? "none")]
      }
      return typeof before?.progress !== "number" || progress > before.progress
        ? []
        : [found(report, `progress above ${before.progress}`, String(progress))]
    }).slice(0, 3)))

const stops = Rule.each({
  id: "mcp/progress/stops",
  title: "Progress stops when the request is answered",
  level: "must",
  section: Rule.section("2025-11-25", "basic/utilities/progress#implementation-notes")
}, (dialogue) =>
  Effect.map(reports(dialogue), (all) =>
    all.filter(({ state }) => state === "answered").slice(0, 3)
      .map((report) => found(report, "no progress after the response", "progress after it"))))

export const watching: ReadonlyArray<Rule.McpRule> = [own, increasing, stops]
