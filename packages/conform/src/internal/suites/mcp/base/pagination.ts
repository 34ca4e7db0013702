/** Lists in pages. */
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import { type Finding, NotApplicable, Unverified } from "../../../../Suite.ts"
import { describe } from "../../../protocol/mcp/Conversation.ts"
import * as List from "../../../protocol/mcp/List.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue } from "../Subject.ts"

const lists = [List.tools, List.resources, List.templates, List.prompts]

/** Looks at each list that the server has. */
const inEach = (
  dialogue: Dialogue,
  look: (list: List.List, listed: List.Listed) => Effect.Effect<ReadonlyArray<Finding>, NotApplicable | Unverified>
) =>
  Effect.gen(function*() {
    const declared = lists.filter(({ capability }) => dialogue.has(capability))
    if (declared.length === 0) return yield* new NotApplicable({ reason: "the server declares no list" })
    const found = yield* Effect.forEach(declared, (list) =>
      Effect.flatMap(dialogue.listed(list), (all) => look(list, all)))
    return found.flat()
  })

const ends = Rule.each({
  id: "mcp/pagination/ends",
  title: "Each list comes to an end: no cursor leads back, and no page comes again",
  level: "must",
  section: Rule.section("2025-11-25", "server/utilities/pagination#pagination-flow")
}, (dialogue) =>
  inEach(dialogue, ({ method }, { end, pages }) => {
    switch (end._tag) {
      case "Endless":
        return Rule.findings(Rule.finding(
          `${method} ends with a page without nextCursor`,
          end.rule,
          pages.slice(-3).flatMap(({ exchange }) => exchange)
        ))
      case "Long":
        return Effect.fail(new Unverified({ reason: `${method} has more than ${pages.length} pages` }))
      case "Refused": {
        const last = pages.at(-1)
        return last === undefined || pages.length === 1
          ? Rule.findings()
          : Rule.findings(Rule.finding(
            `a page of ${method} for the cursor that the server has given`,
            describe(end.outcome),
            pages.slice(-2).flatMap(({ exchange }) => exchange)
          ))
      }
      default:
        return Rule.findings()
    }
  }))

/** A cursor that no server has given. */
const madeUp = "parley-conform-no-cursor"

const bad = Rule.each({
  id: "mcp/pagination/bad-cursor",
  title: "A cursor that the server has not given is refused with -32602",
  level: "should",
  section: Rule.section("2025-11-25", "server/utilities/pagination#error-handling")
}, (dialogue) =>
  inEach(dialogue, ({ method }, { end }) =>
    Effect.gen(function*() {
      // A list that is refused has other faults.
      if (end._tag === "Refused") return []
      const reply = yield* (yield* dialogue.shared).request(method, { cursor: madeUp })
      const { outcome } = reply
      return outcome._tag === "Error" && outcome.code === ErrorCode.InvalidParams
        ? []
        : [Rule.breach(`the error -32602 of ${method} for a cursor that the server has not given`, reply)]
    })))

const scope = Rule.modern({
  id: "mcp/pagination/cache-scope",
  title: "All pages of a list have the same cacheScope",
  level: "must",
  section: Rule.section("2026-07-28", "server/utilities/caching#interaction-with-pagination")
}, (dialogue) =>
  inEach(dialogue, ({ method }, { pages }) => {
    const scopes = pages.flatMap(({ outcome }) =>
      outcome._tag === "Result" ? [JsonObject.member(outcome.result, "cacheScope")] : []
    )
    const other = scopes.findIndex((one) => one !== scopes[0])
    return Rule.findings(
      other === -1 ? undefined : Rule.finding(
        `one cacheScope on all pages of ${method}`,
        `${scopes[0]} on the first page, and ${scopes[other]} on page ${other + 1}`,
        [0, other].flatMap((at) => pages[at]?.exchange ?? [])
      )
    )
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [ends, bad, scope]
