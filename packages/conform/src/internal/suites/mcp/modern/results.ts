/** What each result and each error of the modern era has. These rules look at all that has passed. */
import * as Envelope from "@parley/mcp/wire/Envelope"
import * as McpError from "@parley/mcp/wire/McpError"
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Finding, Passed } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue } from "../Subject.ts"

interface Answered {
  readonly method: string
  readonly message: Schema.JsonObject
  readonly exchange: ReadonlyArray<Passed>
}

/** The responses that have come, each with the method of its request. */
const answers = (dialogue: Dialogue) =>
  Effect.map(dialogue.exercised, () =>
    dialogue.recorded().flatMap(({ conversation }) => {
      const requests = new Map<string, Passed>()
      return conversation.line.passed().flatMap((passed): ReadonlyArray<Answered> => {
        const id = Json.idOf(passed.text)
        if (id === undefined) return []
        if (passed.direction === "sent") {
          requests.set(id, passed)
          return []
        }
        const request = requests.get(id)
        const message = Json.objectOf(passed.text)
        const method = request === undefined ? undefined : Json.objectOf(request.text)?.["method"]
        return request === undefined || message === undefined || typeof method !== "string" ||
            !Json.isResponse(passed.text)
          ? []
          : [{ method, message, exchange: [request, passed] }]
      })
    }))

/** Looks at each result. One result without a member is like another. */
const inResults = (dialogue: Dialogue, look: (result: Schema.JsonObject, answered: Answered) => Finding | undefined) =>
  Effect.map(answers(dialogue), (all) =>
    all.flatMap((answered) => {
      const { result } = answered.message
      const found = JsonObject.isObject(result) ? look(result, answered) : undefined
      return found === undefined ? [] : [found]
    }).slice(0, 3))

const type = Rule.modern({
  id: "mcp/results/type",
  title: "Each result has a resultType",
  level: "must",
  section: Rule.section("2026-07-28", "basic/index#result-responses")
}, (dialogue) =>
  inResults(dialogue, ({ resultType }, { exchange }) =>
    typeof resultType === "string"
      ? undefined
      : Rule.finding("a resultType", resultType === undefined ? "none" : JSON.stringify(resultType), exchange)))

const cacheable: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read"
])

const hints = Rule.modern({
  id: "mcp/results/cache-hints",
  title: "Lists, resources and server/discover say for how long and by whom they may be kept",
  level: "must",
  section: Rule.section("2026-07-28", "server/utilities/caching#cacheable-results")
}, (dialogue) =>
  inResults(dialogue, ({ cacheScope, resultType, ttlMs }, { exchange, method }) => {
    if (!cacheable.has(method) || resultType === "input_required") return undefined
    const isTime = typeof ttlMs === "number" && Number.isInteger(ttlMs) && ttlMs >= 0
    return isTime && (cacheScope === "public" || cacheScope === "private") ? undefined : Rule.finding(
      "a ttlMs of at least 0, and a cacheScope",
      `ttlMs ${JSON.stringify(ttlMs)} and cacheScope ${JSON.stringify(cacheScope)}`,
      exchange
    )
  }))

const server = Rule.modern(
  {
    id: "mcp/results/server-info",
    title: "Each result names its server in _meta",
    level: "should",
    section: Rule.section("2026-07-28", "basic/index#meta")
  },
  (dialogue) =>
    inResults(
      dialogue,
      (result, { exchange }) =>
        Envelope.serverOf({ _meta: Envelope.metaOf(result) ?? {} }) === undefined
          ? Rule.finding(`${Envelope.serverInfo} in _meta`, "none that fits", exchange)
          : undefined
    )
)

/** Codes that the specification has removed. */
const removed: ReadonlySet<number> = new Set([McpError.ResourceNotFound, McpError.UrlElicitationRequired])

/** Codes of its own range that it defines. */
const defined: ReadonlySet<number> = new Set([
  McpError.HeaderMismatch,
  McpError.MissingClientCapability,
  McpError.UnsupportedRevision
])

const inErrors = (dialogue: Dialogue, expected: string, isWrong: (code: number) => boolean) =>
  Effect.map(answers(dialogue), (all) =>
    all.flatMap(({ exchange, message }) => {
      const code = JsonObject.member(message["error"], "code")
      return typeof code === "number" && isWrong(code) ? [Rule.finding(expected, `the code ${code}`, exchange)] : []
    }).slice(0, 3))

const codes = Rule.modern({
  id: "mcp/errors/codes",
  title: "Errors have no code that the specification has removed, or keeps for itself",
  level: "must",
  section: Rule.section("2026-07-28", "basic/index#error-codes")
}, (dialogue) =>
  inErrors(
    dialogue,
    "a code that the specification defines, or one that is free",
    (code) => removed.has(code) || (code >= -32099 && code <= -32020 && !defined.has(code))
  ))

const legacyCodes = Rule.modern({
  id: "mcp/errors/legacy-codes",
  title: "Errors have no code from -32019 to -32000",
  level: "should",
  section: Rule.section("2026-07-28", "basic/index#error-codes")
}, (dialogue) =>
  inErrors(
    dialogue,
    "a code outside of -32019 to -32000",
    (code) => code >= -32019 && code <= -32000 && !removed.has(code)
  ))

export const watching: ReadonlyArray<Rule.McpRule> = [type, hints, server, codes, legacyCodes]
