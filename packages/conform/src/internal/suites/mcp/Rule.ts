/** How rules of MCP are written: for one era or for each, for one wire or for both. */
import type { Revision } from "@parley/mcp/wire/Revision"
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  type Check,
  type Finding,
  NotApplicable,
  type Passed,
  type Rule,
  type RuleInfo,
  Unverified
} from "../../../Suite.ts"
import type { Exchanged, HttpLine } from "../../probe/HttpLine.ts"
import { type Conversation, describe } from "../../protocol/mcp/Conversation.ts"
import type { Reply } from "../../protocol/mcp/Wire.ts"
import type { Dialogue, Subject } from "./Subject.ts"

/** A rule of this suite. */
export type McpRule = Rule<Subject>

/** The URL of a section, such as `server/tools#error-handling`. */
export const section = (revision: Revision, path: string): string =>
  `https://modelcontextprotocol.io/specification/${revision}/${path}`

/** What the guide to security asks of sessions. */
export const hijacking =
  "https://modelcontextprotocol.io/docs/2025-11-25/tutorials/security/security_best_practices#session-hijacking"

type In = (dialogue: Dialogue) => Check

/** A rule of the revisions with a handshake. */
export const legacy = (info: RuleInfo, check: In): McpRule => ({
  ...info,
  check: (subject) => inSome(subject, "legacy", check)
})

/** A rule of the revisions whose requests stand alone. */
export const modern = (info: RuleInfo, check: In): McpRule => ({
  ...info,
  check: (subject) => inSome(subject, "modern", check)
})

/** A rule of all revisions: a server that speaks both eras keeps it in each. */
export const each = (info: RuleInfo, check: In): McpRule => ({
  ...info,
  check: (subject) => inSome(subject, undefined, check)
})

/** The same, for what the server does on HTTP alone. */
export const onHttp = (rule: typeof legacy, info: RuleInfo, check: (dialogue: Dialogue) => Check): McpRule =>
  rule(
    info,
    (dialogue) =>
      dialogue.run.target._tag === "Http"
        ? check(dialogue)
        : new NotApplicable({ reason: "the endpoint is none of HTTP" })
  )

const inSome = ({ dialogues, reason }: Subject, era: Dialogue["era"] | undefined, check: In): Check => {
  const some = dialogues.filter((dialogue) => era === undefined || dialogue.era === era)
  const [first] = some
  if (first === undefined) {
    return dialogues.length === 0
      ? new Unverified({ reason })
      : new NotApplicable({
        reason: era === "legacy"
          ? "the server speaks no revision with a handshake"
          : "the server speaks no revision whose requests stand alone"
      })
  }
  if (some.length === 1) return check(first)
  return Effect.flatMap(Effect.forEach(some, (dialogue) => Effect.result(inOne(dialogue, check))), (results) => {
    const findings = results.flatMap((result) => Result.isSuccess(result) ? result.success : [])
    if (findings.length > 0) return Effect.succeed(findings)
    const failures = results.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
    const unverified = failures.find((failure) => failure._tag === "Unverified")
    if (unverified !== undefined) return Effect.fail(unverified)
    const [failure] = failures
    return failure !== undefined && failures.length === results.length ? Effect.fail(failure) : Effect.succeed([])
  })
}

/** Where a server is looked at in both eras, findings and reasons say which it was. */
const inOne = (dialogue: Dialogue, check: In): Check => {
  const { revision } = dialogue.accord.codec
  return check(dialogue).pipe(
    Effect.map((findings) =>
      findings.map((finding) => ({ ...finding, expected: `in ${revision}: ${finding.expected}` }))
    ),
    Effect.catchTag("Unverified", ({ reason }) => new Unverified({ reason: `in ${revision}: ${reason}` }))
  )
}

/** A finding. Long texts are cut in their middle. */
export const finding = (expected: string, received: string, exchange: ReadonlyArray<Passed> = []): Finding => ({
  expected,
  received: Excerpt.lines(cut(received, 1_000)),
  exchange: exchange.slice(0, mostPassed).map(({ direction, text }) => ({ direction, text: cut(text, 4_000) }))
})

/** The finding that something else has come for a request. */
export const breach = (expected: string, { exchange, outcome }: Reply): Finding =>
  finding(expected, describe(outcome), exchange)

/** How many texts of one exchange show what has happened. */
const mostPassed = 24

const cut = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most / 2)} … ${text.length - most} characters … ${text.slice(text.length - most / 2)}`

/** A finding, or none. */
export const findings = (...found: ReadonlyArray<Finding | undefined>): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.succeed(found.filter((one) => one !== undefined))

/** What several rules look at, made once for each dialogue or subject. */
export const once = <A, E, K extends object = Dialogue>(
  make: (key: K) => Effect.Effect<A, E>
): (key: K) => Effect.Effect<A, E> => {
  const made = new WeakMap<K, Effect.Effect<A, E>>()
  return (key) =>
    Effect.suspend(() =>
      made.get(key) ?? Effect.flatMap(Effect.cached(make(key)), (cached) => {
        made.set(key, cached)
        return cached
      })
    )
}

/** Stops where a capability is not declared. */
export const needs = (
  dialogue: Pick<Dialogue, "has">,
  ...path: ReadonlyArray<string>
): Effect.Effect<void, NotApplicable> =>
  dialogue.has(...path)
    ? Effect.void
    : Effect.fail(new NotApplicable({ reason: `the server does not declare the capability ${path.join(".")}` }))

/** Gives the first entries of a list, or says that there are none. */
export const some = <A>(
  entries: ReadonlyArray<A>,
  what: string,
  most = 8
): Effect.Effect<ReadonlyArray<A>, NotApplicable> =>
  entries.length === 0
    ? Effect.fail(new NotApplicable({ reason: `the server has no ${what}` }))
    : Effect.succeed(entries.slice(0, most))

/** The head of an answer. A server that has no time for a client says nothing of what a rule is about. */
export const headOf = (http: Exchanged | undefined) => {
  const head = http?.head
  if (http === undefined || head === undefined) {
    return Effect.fail(new Unverified({ reason: `the request had no answer: ${http?.failure}` }))
  }
  const { heads } = http
  return head.status === 429 || head.status === 503
    ? Effect.fail(new Unverified({ reason: `the server answers no more requests now: the status ${head.status}` }))
    : Effect.succeed({ status: head.status, header: head.header, heads })
}

/**
 * The answer to a request that something is wrong with. It says nothing of that where the request that is right is refused
 * with the same status.
 */
export const refusal = <A extends { readonly status: number }, E, R, E2, R2>(
  wrong: Effect.Effect<A, E, R>,
  right: Effect.Effect<{ readonly status: number }, E2, R2>
): Effect.Effect<A, E | E2 | Unverified, R | R2> =>
  Effect.tap(wrong, ({ status }) =>
    status < 400 ? Effect.void : Effect.flatMap(right, (own) =>
      own.status === status
        ? new Unverified({
          reason: `the server refuses the same request with ${status} where nothing is wrong with it`
        })
        : Effect.void))

/** The line of a conversation over HTTP. */
export const httpOf = ({ http }: Pick<Conversation, "http">): Effect.Effect<HttpLine, NotApplicable> =>
  http === undefined ? Effect.fail(new NotApplicable({ reason: "the endpoint is none of HTTP" })) : Effect.succeed(http)
