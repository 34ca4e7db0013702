/**
 * The findings of a run of `Conform`, and the formats in which they are written.
 *
 * ```ts run
 * import { Report } from "@parley/conform"
 *
 * const report: Report.Report = {
 *   endpoint: "tcp://127.0.0.1:4000",
 *   protocol: "JSON-RPC 2.0",
 *   seed: 1,
 *   results: [{
 *     id: "jsonrpc/parse-error",
 *     suite: "jsonrpc",
 *     title: "A text that is no JSON is answered with -32700",
 *     level: "must",
 *     section: "https://www.jsonrpc.org/specification#error_object",
 *     verdict: "fail",
 *     findings: [],
 *     milliseconds: 12,
 *     isExpected: false
 *   }],
 *   unexpected: []
 * }
 *
 * console.log(Report.isFailed(report)) // => true
 * console.log(Report.isFailed(Report.expecting(report, new Set(["jsonrpc/parse-error"])))) // => false
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as formats from "./internal/report/formats.ts"
import type { Entry, Sheet, Weight } from "./internal/report/Sheet.ts"
import { Finding, Level } from "./Suite.ts"

/**
 * The outcome of a rule: `warning` is a breach of a SHOULD, `notApplicable` says that the server has nothing that the rule
 * is about, and `unverified` that something stopped the probe.
 *
 * @category models
 * @since 0.1.0
 */
export const Verdict = Schema.Literals(["pass", "fail", "warning", "notApplicable", "unverified"])

/** @category models @since 0.1.0 */
export type Verdict = typeof Verdict.Type

/**
 * A rule and what became of it.
 *
 * @category models
 * @since 0.1.0
 */
export const RuleResult = Schema.Struct({
  /** A stable name, such as `jsonrpc/parse-error`. */
  id: Schema.String,
  suite: Schema.String,
  title: Schema.String,
  level: Level,
  /** The URL of the section that decides. */
  section: Schema.String,
  verdict: Verdict,
  /** Why nothing was decided. */
  reason: Schema.optionalKey(Schema.String),
  /** The rules that have failed with the same defect, where it hides whether this one holds. */
  because: Schema.optionalKey(Schema.Array(Schema.String)),
  findings: Schema.Array(Finding),
  milliseconds: Schema.Finite,
  /** Whether the failure was expected: it counts as none. */
  isExpected: Schema.Boolean
})

/** @category models @since 0.1.0 */
export type RuleResult = typeof RuleResult.Type

/**
 * The results of a run.
 *
 * @category models
 * @since 0.1.0
 */
export const Report = Schema.Struct({
  /** The endpoint, as it may be shown. */
  endpoint: Schema.String,
  /** The protocol that it speaks. */
  protocol: Schema.String,
  seed: Schema.Int,
  results: Schema.Array(RuleResult),
  /** Rules that were expected to fail, and did not: they count as failures. */
  unexpected: Schema.Array(Schema.String)
})

/** @category models @since 0.1.0 */
export type Report = typeof Report.Type

/**
 * The names of the formats.
 *
 * @category constants
 * @since 0.1.0
 */
export const formatNames = formats.names

/** The name of a format. @category models @since 0.1.0 */
export type Format = formats.Name

/**
 * How a report is written.
 *
 * @category models
 * @since 0.1.0
 */
export interface RenderOptions {
  /** The file that CI annotates, as a path from the root of a repository. */
  readonly artifact?: string | undefined
  /** Colours a word of the table. */
  readonly paint?: ((weight: Weight | "skipped", word: string) => string) | undefined
  /** Whether the table has a row for each rule, also for those that hold or are not applicable. */
  readonly isWhole?: boolean | undefined
  /** Words of a shell that the command needs which shows a finding again, such as `--write`. */
  readonly flags?: ReadonlyArray<string> | undefined
}

/**
 * Tells whether a rule has failed, or one that was expected to fail has not.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isFailed = ({ results, unexpected }: Report): boolean =>
  unexpected.length > 0 || results.some(({ isExpected, verdict }) => verdict === "fail" && !isExpected)

/**
 * Tells whether something stopped more rules than were decided: a run that says next to nothing. A rule that waits for
 * another one to be mended was not stopped.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isUndecided = ({ results }: Report): boolean =>
  results.filter(({ because, verdict }) => verdict === "unverified" && because === undefined).length >
    results.filter(({ verdict }) => verdict !== "unverified" && verdict !== "notApplicable").length

/**
 * Holds a report against the rules that are known to fail: those fail as expected, and one of them that passes is a
 * failure of its own.
 *
 * @category combinators
 * @since 0.1.0
 */
export const expecting = (report: Report, ids: ReadonlySet<string>): Report => ({
  ...report,
  results: report.results.map((result) => ({
    ...result,
    isExpected: result.verdict === "fail" && ids.has(result.id)
  })),
  unexpected: report.results.flatMap(({ id, verdict }) => ids.has(id) && verdict === "pass" ? [id] : [])
})

/**
 * How a rule may end that has neither passed nor failed: `notRun` was not chosen, or is about another protocol.
 *
 * @category models
 * @since 0.1.0
 */
export type Unsettled = Exclude<Verdict, "pass" | "fail"> | "notRun"

/**
 * The rules that were expected to fail and have neither failed nor passed, by what became of them. A list of known failures
 * is neither kept nor broken by them: a rule may be out of reach this time only.
 *
 * @category accessors
 * @since 0.1.0
 */
export const unsettled = (
  { results }: Report,
  ids: ReadonlySet<string>
): ReadonlyMap<Unsettled, ReadonlyArray<string>> => {
  const verdicts = new Map(results.map(({ id, verdict }) => [id, verdict]))
  const found = new Map<Unsettled, Array<string>>()
  for (const id of ids) {
    const verdict = verdicts.get(id) ?? "notRun"
    if (verdict !== "pass" && verdict !== "fail") found.set(verdict, [...found.get(verdict) ?? [], id])
  }
  return found
}

/**
 * Writes a report.
 *
 * @category encoding
 * @since 0.1.0
 */
export const render = (
  report: Report,
  format: Format,
  { artifact, flags = [], ...options }: RenderOptions = {}
): string => formats.render({ ...sheetOf(report, flags), artifact }, format, () => encode(report), options)

const encode = Schema.encodeSync(Report)

const sheetOf = (report: Report, flags: ReadonlyArray<string>): Sheet => ({
  title: `parley conform ${report.endpoint}`,
  facts: [["protocol", report.protocol], ["seed", String(report.seed)]],
  groups: Array.from(
    Map.groupBy(report.results, ({ suite }) => suite),
    ([name, results]) => ({ name, entries: results.map((result) => entryOf(report, result, flags)) })
  ),
  summary: summaryOf(report)
})

const entryOf = (
  { endpoint, seed, unexpected }: Report,
  result: RuleResult,
  flags: ReadonlyArray<string>
): Entry => {
  const again = ["parley conform", endpoint, "--only", result.id, "--seed", seed, ...flags].join(" ")
  const isBreach = result.verdict === "pass" && unexpected.includes(result.id)
  return {
    id: result.id,
    title: result.title,
    state: isBreach ? "passed" : result.isExpected ? "known" : words[result.verdict],
    weight: isBreach ? "error" : result.isExpected ? "note" : weights[result.verdict],
    isQuiet: !isBreach && (result.verdict === "pass" || result.verdict === "notApplicable"),
    isSkipped: result.verdict === "notApplicable" || result.verdict === "unverified",
    reason: isBreach ? "it was expected to fail: take it from the list of known failures" : result.reason,
    section: result.section,
    details: result.findings.map(({ exchange, expected, received }, at) => [
      ["expected", expected],
      // The texts have the received one already, where it says no more.
      ...exchange.some(({ direction, text }) => direction === "received" && text === received)
        ? []
        : [["received", received] as const],
      ...exchange.map(({ direction, text }) => [direction, text] as const),
      ...at < result.findings.length - 1
        ? []
        : [["again", again] as const]
    ])
  }
}

const words: Readonly<Record<Verdict, string>> = {
  pass: "pass",
  fail: "FAIL",
  warning: "warning",
  notApplicable: "n/a",
  unverified: "unverified"
}

const weights: Readonly<Record<Verdict, Weight>> = {
  pass: "none",
  fail: "error",
  warning: "warning",
  notApplicable: "none",
  unverified: "none"
}

/**
 * The counts in one line.
 *
 * @category encoding
 * @since 0.1.0
 */
export const summaryOf = ({ results, unexpected }: Report): string => {
  const count = (verdict: Verdict, isExpected = false) =>
    results.filter((result) => result.verdict === verdict && result.isExpected === isExpected).length
  const parts: ReadonlyArray<readonly [number, string]> = [
    [count("pass"), "passed"],
    [count("fail"), "failed"],
    [count("warning"), count("warning") === 1 ? "warning" : "warnings"],
    [count("fail", true), "failed as expected"],
    [unexpected.length, "passed and were expected to fail"],
    [count("notApplicable"), "not applicable"],
    [count("unverified"), "unverified"]
  ]
  return parts.filter(([number], at) => number > 0 || at < 2).map(([number, what]) => `${number} ${what}`).join(", ")
}
