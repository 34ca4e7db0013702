/** The tools that a server lists, and calls that name none of them. */
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { NotApplicable } from "../../../../Suite.ts"
import * as List from "../../../protocol/mcp/List.ts"
import type { Outcome } from "../../../protocol/mcp/Wire.ts"
import * as Rule from "../Rule.ts"
import * as lists from "./lists.ts"

const shape = lists.shape({
  id: "mcp/tools/list",
  title: "tools/list gives tools, each with a name and the schema of an object as inputSchema",
  level: "must",
  section: Rule.section("2025-11-25", "server/tools#listing-tools")
}, List.tools)

const unique = Rule.each({
  id: "mcp/tools/unique-names",
  title: "No two tools have the same name",
  level: "should",
  section: Rule.section("2025-11-25", "server/tools#tool-names")
}, (dialogue) =>
  Effect.gen(function*() {
    const entries = yield* lists.entriesOf(dialogue, List.tools)
    const { pages } = yield* dialogue.listed(List.tools)
    return lists.repeated(entries.map(({ name }) => name)).map((name) =>
      Rule.finding(
        "names that are unique",
        `several tools with the name ${JSON.stringify(name)}`,
        pages.flatMap(({ exchange }) => exchange)
      )
    )
  }))

const names = Rule.each({
  id: "mcp/tools/names",
  title: "Names of tools have 1 to 128 letters, digits, underscores, hyphens and dots",
  level: "should",
  section: Rule.section("2025-11-25", "server/tools#tool-names")
}, (dialogue) =>
  Effect.gen(function*() {
    if (!hasNameRules(dialogue.accord.codec.revision)) {
      return yield* new NotApplicable({ reason: `${dialogue.accord.codec.revision} has no rules for names` })
    }
    const entries = yield* lists.entriesOf(dialogue, List.tools)
    return entries.flatMap(({ name }) =>
      typeof name !== "string" || /^[A-Za-z0-9_.-]{1,128}$/.test(name)
        ? []
        : [Rule.finding("1 to 128 letters, digits, underscores, hyphens and dots", `the name ${JSON.stringify(name)}`)]
    )
  }))

/** Revisions are compared as the dates that they are. */
const hasNameRules = (revision: string): boolean => revision >= "2025-11-25"

const order = Rule.modern({
  id: "mcp/tools/order",
  title: "tools/list gives the tools in the same order each time",
  level: "should",
  section: Rule.section("2026-07-28", "server/tools#capabilities")
}, (dialogue) =>
  Effect.gen(function*() {
    const first = yield* lists.entriesOf(dialogue, List.tools)
    const again = yield* List.read(yield* dialogue.shared, List.tools)
    const [before, after] = [first, again.entries].map((entries) => entries.map(({ name }) => name))
    const isSame = JSON.stringify(before) === JSON.stringify(after)
    const hasChanged = JSON.stringify(before?.toSorted()) !== JSON.stringify(after?.toSorted())
    return isSame || hasChanged ? [] : [Rule.finding(
      `the order ${JSON.stringify(before)}`,
      `the order ${JSON.stringify(after)}`,
      again.pages.flatMap(({ exchange }) => exchange)
    )]
  }))

/** A tool that no server has. */
const nobody = "parley_conform_unknown_tool"

const callUnknown = Rule.once((dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "tools")
    return yield* (yield* dialogue.shared).request("tools/call", { name: nobody, arguments: {} })
  })
)

const refusesUnknown = Rule.each(
  {
    id: "mcp/tools/unknown-refused",
    title: "A call of a tool that does not exist is refused",
    level: "must",
    section: Rule.section("2025-11-25", "server/tools#security-considerations")
  },
  (dialogue) =>
    Effect.map(callUnknown(dialogue), (reply) => isRefusal(reply.outcome) ? [] : [Rule.breach("a refusal", reply)])
)

/** An error, or a result that says that it is one. */
export const isRefusal = (outcome: Outcome): boolean =>
  outcome._tag === "Error" || (outcome._tag === "Result" && JsonObject.member(outcome.result, "isError") === true)

const codeOfUnknown = Rule.each(
  {
    id: "mcp/tools/unknown-code",
    title: "A call of a tool that does not exist is refused with -32602",
    level: "should",
    section: Rule.section("2025-11-25", "server/tools#security-considerations")
  },
  (dialogue) =>
    Effect.map(
      callUnknown(dialogue),
      (reply) =>
        reply.outcome._tag === "Error" && reply.outcome.code === ErrorCode.InvalidParams
          ? []
          : [Rule.breach("the error -32602", reply)]
    )
)

const malformed = Rule.each({
  id: "mcp/tools/malformed",
  title: "A call that is malformed gets an error of JSON-RPC",
  level: "should",
  section: Rule.section("2025-11-25", "server/tools#security-considerations")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "tools")
    // None of these names a tool, so that nothing runs whatever the server does.
    const params: ReadonlyArray<Schema.JsonObject> = [{ arguments: {} }, { name: 7, arguments: {} }]
    const found = yield* Effect.forEach(params, (params) =>
      Effect.gen(function*() {
        const reply = yield* (yield* dialogue.shared).request("tools/call", params)
        return reply.outcome._tag === "Error" ? [] : [Rule.breach("an error of JSON-RPC", reply)]
      }))
    return found.flat()
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [
  shape,
  unique,
  names,
  order,
  refusesUnknown,
  codeOfUnknown,
  malformed
]
