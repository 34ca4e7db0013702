/** A diff as a report, and as text for a changelog. */
import { inline } from "../report/markup.ts"
import type { Entry, Group, Sheet, Weight } from "../report/Sheet.ts"
import { type Change, type ContractDiff, rules as titles } from "./compare/Change.ts"

/** The report: a group for each operation. */
export const sheetOf = ({ after, before, changes, isStrict }: ContractDiff): Sheet => ({
  title: `parley diff ${before} ${after}${isStrict ? " --strict" : ""}`,
  facts: [["before", before], ["after", after]],
  groups: Array.from(
    Map.groupBy(changes, ({ operation }) => operation),
    ([name, changes]): Group => ({ name, entries: changes.map(entryOf) })
  ),
  summary: summaryOf({ changes })
})

const rules: ReadonlyMap<string, string> = new Map(Object.entries(titles))

const words: Readonly<Record<Change["verdict"], string>> = {
  breaking: "BREAKING",
  compatible: "compatible",
  unknown: "unknown"
}

const weights: Readonly<Record<Change["verdict"], Weight>> = {
  breaking: "error",
  compatible: "none",
  unknown: "warning"
}

const entryOf = (change: Change): Entry => {
  const { message, reason, rule, verdict } = change
  return {
    id: rule,
    rule: rules.get(rule),
    title: message,
    state: words[verdict],
    weight: weights[verdict],
    isSkipped: false,
    isQuiet: false,
    reason: verdict === "unknown" ? reason : undefined,
    details: verdict === "compatible" ? [] : [detailsOf(change)]
  }
}

const detailsOf = (
  { direction, operation, others, place, reason, traffic, verdict, witness }: Change
): ReadonlyArray<readonly [name: string, text: string]> => [
  ["place", place === "" ? operation : `${operation}, ${place}`],
  ...others.length > 0 ? [["also in", others.join(", ")] as const] : [],
  ["direction", direction === "sends" ? "what clients send" : "what clients get"],
  ...witness !== undefined
    ? [[direction === "sends" ? "accepted before" : "may come now", JSON.stringify(witness)] as const]
    : [],
  ...reason !== undefined && verdict === "breaking" ? [["refused", reason] as const] : [],
  ...traffic === undefined ? [] : [["recorded calls", String(traffic.calls)] as const],
  ...traffic !== undefined && traffic.calls > 0 ? [["such as", traffic.example] as const] : []
]

/** How many changes there are of each verdict. */
export const summaryOf = ({ changes }: Pick<ContractDiff, "changes">): string => {
  if (changes.length === 0) return "no changes"
  const count = (verdict: Change["verdict"]) => changes.filter((change) => change.verdict === verdict).length
  const parts = [`${count("breaking")} breaking`, `${count("compatible")} compatible`, `${count("unknown")} unknown`]
  const met = changes.filter(({ traffic, verdict }) => verdict === "breaking" && (traffic?.calls ?? 0) > 0).length
  return [...parts, ...changes.some(({ traffic }) => traffic !== undefined) ? [`${met} meet recorded calls`] : []].join(
    ", "
  )
}

/** Text for a changelog. */
export const changelog = ({ changes }: ContractDiff): string => {
  const section = (title: string, verdict: Change["verdict"]): ReadonlyArray<string> => {
    const mine = changes.filter((change) => change.verdict === verdict)
    return mine.length === 0 ? [] : [`### ${title}`, "", ...mine.map(lineOf), ""]
  }
  const sections = [
    ...section("Breaking", "breaking"),
    ...section("May break", "unknown"),
    ...section("Added and changed", "compatible")
  ]
  return sections.length === 0 ? "No changes.\n" : sections.join("\n")
}

const lineOf = ({ direction, message, operation, others, verdict, witness }: Change): string => {
  const more = others.length > 0 ? ` (and ${others.length} more)` : ""
  const text = witness === undefined ? "" : JSON.stringify(witness)
  const isShown = verdict === "breaking" && text !== "" && text.length <= longest
  const fate = direction === "sends" ? "is not accepted any more" : "may come now"
  return `- **${inline(operation)}**${more}: ${inline(message)}${
    isShown ? `, for example ${inline(text)} ${fate}` : ""
  }`
}

/** Longer witnesses are for reports. */
const longest = 120
