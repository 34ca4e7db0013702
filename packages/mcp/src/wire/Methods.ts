/**
 * Which methods exist in which revision, and in which direction.
 *
 * Tasks of 2025-11-25 are left out: they were an experiment that the next
 * revision removed, and a side that does not offer them answers that it has no such method.
 *
 * @since 0.1.0
 */
import { isAtLeast, type Revision } from "./Revision.ts"

/**
 * What the two sides may send to each other.
 *
 * @category models
 * @since 0.1.0
 */
export interface Methods {
  /** Requests of the client. */
  readonly serverServes: ReadonlySet<string>
  /** Requests of the server, or what it asks for inside a result. */
  readonly clientServes: ReadonlySet<string>
  /** Notifications of the client. */
  readonly serverHears: ReadonlySet<string>
  /** Notifications of the server. */
  readonly clientHears: ReadonlySet<string>
}

const requests = [
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete"
]

const changes = [
  "notifications/cancelled",
  "notifications/progress",
  "notifications/message",
  "notifications/resources/updated",
  "notifications/resources/list_changed",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed"
]

const questions = ["sampling/createMessage", "roots/list"]

const modern: Methods = {
  serverServes: new Set([...requests, "server/discover", "subscriptions/listen"]),
  clientServes: new Set([...questions, "elicitation/create"]),
  serverHears: new Set(["notifications/cancelled"]),
  clientHears: new Set([...changes, "notifications/subscriptions/acknowledged"])
}

const legacy = (elicits: boolean, byUrl: boolean): Methods => ({
  serverServes: new Set([
    ...requests,
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe"
  ]),
  clientServes: new Set([...questions, "ping", ...(elicits ? ["elicitation/create"] : [])]),
  serverHears: new Set([
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed"
  ]),
  clientHears: new Set([...changes, ...(byUrl ? ["notifications/elicitation/complete"] : [])])
})

/** The methods of a revision. @category constructors @since 0.1.0 */
export const of = (revision: Revision): Methods =>
  isAtLeast(revision, "2026-07-28")
    ? modern
    : legacy(isAtLeast(revision, "2025-06-18"), isAtLeast(revision, "2025-11-25"))
