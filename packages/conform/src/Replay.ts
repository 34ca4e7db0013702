/**
 * Plays the client's part of a recording to a server of now, and tells what differs from what the recorded server did.
 *
 * Each text is sent when all that the client had before it has come, and what the server asks is answered as it was.
 * Values that came from the recorded server and were sent back are replaced by those of now. Ids, times, tokens, drawn
 * values and the places that you name may differ.
 *
 * ```ts run
 * import { Recording, Replay } from "@parley/conform"
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const recording = Recording.fromText(`
 * {"time":"2026-01-31T12:34:57.000Z","connection":1,"direction":"sent","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"add\\",\\"params\\":[1,2]}"}
 * {"time":"2026-01-31T12:34:57.050Z","connection":1,"direction":"received","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":3}"}`)
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("add", () => Effect.succeed(4))
 *   const connect = Effect.gen(function*() {
 *     const [near, far] = yield* MemoryTransport.makePair()
 *     yield* Peer.make(far, { router })
 *     return near
 *   })
 *   const report = yield* Replay.run({ _tag: "Duplex", name: "add", connect, isProcess: false }, recording)
 *   for (const { differences, kind } of report.results) console.log(kind, differences)
 *   // => changed [ { pointer: '/result', recorded: 3, came: 4 } ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import { JsonObject } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { linesOf } from "./internal/recording/difference.ts"
import type { Script } from "./internal/recording/Script.ts"
import { play, type Played } from "./internal/replay/conversation.ts"
import type { Expected } from "./internal/replay/Ledger.ts"
import * as formats from "./internal/report/formats.ts"
import type { Entry, Sheet, Weight } from "./internal/report/Sheet.ts"
import type { Recording } from "./Recording.ts"
import type { Format, RenderOptions } from "./Report.ts"
import type { Target } from "./Target.ts"

/**
 * A place that differs. A member that is absent stands for nothing.
 *
 * @category models
 * @since 0.1.0
 */
export const Difference = Schema.Struct({
  /** The place in the message, such as `/result/tools/0/name`. */
  pointer: Schema.String,
  recorded: Schema.optionalKey(Schema.Json),
  came: Schema.optionalKey(Schema.Json)
})

/** @category models @since 0.1.0 */
export type Difference = typeof Difference.Type

/**
 * The outcome of a message of the recorded server, or a message that it had not sent.
 *
 * @category models
 * @since 0.1.0
 */
export const Result = Schema.Struct({
  /** The number of the recorded connection. */
  connection: Schema.Int,
  kind: Schema.Literals(["same", "changed", "missing", "additional"]),
  what: Schema.Literals(["response", "request", "notification", "status", "other"]),
  /** The method of the message, or of the request that it answers. */
  method: Schema.String,
  recorded: Schema.optionalKey(Schema.Json),
  came: Schema.optionalKey(Schema.Json),
  differences: Schema.Array(Difference)
})

/** @category models @since 0.1.0 */
export type Result = typeof Result.Type

/**
 * The report of a replay.
 *
 * @category models
 * @since 0.1.0
 */
export const ReplayReport = Schema.Struct({
  /** The endpoint, as it may be shown. */
  endpoint: Schema.String,
  conversations: Schema.Int,
  results: Schema.Array(Result),
  /** Connections that ended before their conversation did, and why. */
  ended: Schema.Array(Schema.Struct({ connection: Schema.Int, why: Schema.String })),
  /** Lines of the recording that could not be read. */
  problems: Schema.Array(Schema.Struct({ line: Schema.Int, why: Schema.String }))
})

/** @category models @since 0.1.0 */
export type ReplayReport = typeof ReplayReport.Type

/**
 * How a recording is played.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReplayOptions {
  /**
   * Places of messages that may differ, as pointers such as `/result/serverInfo/version`, where `*` is any one name; and
   * methods, such as `$/progress`: their params and results may differ, and so may the number of notifications.
   */
  readonly ignore?: ReadonlyArray<string> | undefined
  /** How long a response may take. 10 seconds by default. */
  readonly timeout?: Duration.Input | undefined
  /** How long a notification may take. 1 second by default. */
  readonly patience?: Duration.Input | undefined
}

/**
 * Plays all conversations of a recording, one after the other, each on a connection of its own.
 *
 * @category running
 * @since 0.1.0
 */
export const run = (
  target: Target,
  { conversations, problems }: Recording,
  { ignore = [], patience = 1_000, timeout = 10_000 }: ReplayOptions = {}
): Effect.Effect<ReplayReport> =>
  Effect.gen(function*() {
    const times = { answer: Duration.fromInputUnsafe(timeout), silence: Duration.fromInputUnsafe(patience) }
    const results: Array<Result> = []
    const ended: Array<ReplayReport["ended"][number]> = []
    for (const script of conversations) {
      const played = yield* play(target, script, times, ignore)
      const found = resultsOf(script, played)
      results.push(...found)
      // A server may end its connection when it has said all.
      if (played.ended !== undefined && (!played.isReached || found.some(({ kind }) => kind === "missing"))) {
        ended.push({ connection: script.connection, why: played.ended })
      }
    }
    return {
      endpoint: target.name,
      conversations: conversations.length,
      results,
      ended,
      problems: problems.map(({ line, why }) => ({ line, why }))
    }
  })

const resultsOf = ({ connection }: Script, { ledger }: Played): ReadonlyArray<Result> => [
  ...ledger.expected.flatMap((expected): ReadonlyArray<Result> =>
    expected.isFree && expected.came === undefined ? [] : [resultOf(connection, expected)]
  ),
  ...ledger.additional.map(({ member }): Result => ({
    connection,
    kind: "additional",
    what: member.kind === "none" ? "other" : member.kind,
    method: member.method ?? "",
    came: member.json,
    differences: []
  }))
]

const resultOf = (connection: number, expected: Expected): Result => {
  const { came, differences, kind, member, method, status } = expected
  const recorded = member?.json ?? status
  return {
    connection,
    kind: came === undefined ? "missing" : differences.length === 0 ? "same" : "changed",
    what: kind,
    method,
    ...(recorded !== undefined && { recorded }),
    ...(came !== undefined && { came: typeof came === "number" ? came : came.member.json }),
    differences: differences.map(({ came, pointer, recorded }) => ({
      pointer,
      ...(recorded !== undefined && { recorded }),
      ...(came !== undefined && { came })
    }))
  }
}

/**
 * Tells whether anything differs.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isFailed = ({ ended, results }: ReplayReport): boolean =>
  ended.length > 0 || results.some(({ kind }) => kind !== "same")

/**
 * Writes a report.
 *
 * @category encoding
 * @since 0.1.0
 */
export const render = (report: ReplayReport, format: Format, { artifact, ...options }: RenderOptions = {}): string =>
  formats.render({ ...sheetOf(report), artifact }, format, () => encode(report), options)

const encode = Schema.encodeSync(ReplayReport)

const sheetOf = (report: ReplayReport): Sheet => ({
  title: `parley replay ${report.endpoint}`,
  facts: [["conversations", String(report.conversations)]],
  groups: [
    ...Array.from(
      Map.groupBy(report.results, ({ connection }) => connection),
      ([connection, results]) => ({ name: `connection ${connection}`, entries: entriesOf(results) })
    ),
    ...report.ended.length + report.problems.length === 0 ? [] : [{
      name: "recording",
      entries: [
        ...report.ended.map(({ connection, why }) => entryOf("ended", "error", `connection ${connection} ended`, why)),
        ...report.problems.map(({ line, why }) => entryOf("unreadable", "warning", `line ${line} says nothing`, why))
      ]
    }]
  ],
  summary: summaryOf(report)
})

const entryOf = (state: string, weight: Weight, title: string, reason: string): Entry => ({
  id: `replay/${state}`,
  title,
  state,
  weight,
  isSkipped: false,
  isQuiet: false,
  reason,
  details: []
})

/** A difference stands alone; messages that are the same are counted by their method. */
const entriesOf = (results: ReadonlyArray<Result>): ReadonlyArray<Entry> => {
  const [same, others] = [
    results.filter(({ kind }) => kind === "same"),
    results.filter(({ kind }) => kind !== "same")
  ]
  return [
    ...Array.from(Map.groupBy(same, titleOf), ([title, all]): Entry => ({
      id: "replay/same",
      title: all.length === 1 ? title : `${title} (${all.length} times)`,
      state: "same",
      weight: "none",
      isSkipped: false,
      isQuiet: false,
      details: []
    })),
    ...others.map((result): Entry => ({
      id: `replay/${result.kind}`,
      title: titleOf(result),
      state: result.kind,
      weight: "error",
      isSkipped: false,
      isQuiet: false,
      details: [detailsOf(result)]
    }))
  ]
}

const detailsOf = ({ came, differences, recorded }: Result): Entry["details"][number] => [
  ...linesOf(differences.map(({ came, pointer, recorded }) => ({ pointer, recorded, came }))).map((line) =>
    ["differs", line] as const
  ),
  ...recorded === undefined ? [] : [["recorded", shown(recorded)] as const],
  ...came === undefined ? [] : [["came", shown(came)] as const]
]

const shown = (json: Schema.Json): string => {
  const text = JSON.stringify(json)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Characters of a message in a report. The format `json` has all of it. */
const longest = 2_000

const titleOf = ({ came, method, recorded, what }: Result): string => {
  switch (what) {
    case "response": {
      const id = JsonObject.member(recorded ?? came, "id")
      return method === ""
        ? `a response to no known request, with the id ${shown(id ?? null)}`
        : `the response to ${method}`
    }
    case "request":
      return `the server's request ${method}`
    case "notification":
      return `the notification ${method}`
    case "status":
      return "the status over HTTP"
    case "other":
      return "a text that is no message"
  }
}

/**
 * The counts of a report, in one line.
 *
 * @category accessors
 * @since 0.1.0
 */
export const summaryOf = ({ results }: ReplayReport): string => {
  const count = (kind: Result["kind"]) => results.filter((result) => result.kind === kind).length
  return `${count("same")} same, ${count("changed")} changed, ${count("missing")} missing, ${
    count("additional")
  } additional`
}
