/**
 * The differences between the revisions that are not of one record, as plain data: one table says since when what holds.
 * The records in `payload` say themselves since when they have a member.
 *
 * ```ts run
 * import * as Revision from "@parley/mcp/wire/Revision"
 * import * as RevisionFeatures from "@parley/mcp/wire/RevisionFeatures"
 *
 * for (const revision of Revision.all) console.log(revision, RevisionFeatures.of(revision).tasks)
 * // => 2024-11-05 none
 * // => 2025-03-26 none
 * // => 2025-06-18 none
 * // => 2025-11-25 core
 * // => 2026-07-28 extension
 * ```
 *
 * @since 0.1.0
 */
import { at, type History } from "../internal/wire/History.ts"
import type { Revision } from "./Revision.ts"

/** Since when each feature is what. Before the first revision that it names, it is `false`. */
const features = {
  /** Whether arrays of messages are spoken. */
  batches: { "2025-03-26": true, "2025-06-18": false },
  /** How a text whose id cannot be read is answered: with an error without id, or not at all. */
  unreadable: { "2024-11-05": "silent", "2025-11-25": "omit" },
  /** How arguments that do not fit the schema of a tool are answered: by a result with `isError`, or by -32602. */
  invalidArguments: { "2024-11-05": "invalidParams", "2025-11-25": "toolError" },
  /** The code of the error that refuses a resource which does not exist. */
  resourceNotFound: { "2024-11-05": -32002, "2026-07-28": -32602 },
  /** The JSON that the structured content of a tool may be; with `none` there is no output schema either. */
  structuredContent: { "2024-11-05": "none", "2025-06-18": "object", "2026-07-28": "any" },
  /** How a server asks its client: with requests, or inside results. */
  clientRequests: { "2024-11-05": "requests", "2026-07-28": "results" },
  /** The questions that a person can be asked. */
  elicitation: { "2024-11-05": "none", "2025-06-18": "form", "2025-11-25": "formAndUrl" },
  /** Whether a form may have fields with several choices. */
  elicitationLists: { "2025-11-25": true },
  /** Whether an elicitation by URL has an id, and a notification of its end. */
  elicitationId: { "2025-11-25": true, "2026-07-28": false },
  /** Whether a server may refuse a request until a URL was opened (-32042). */
  urlElicitationError: { "2025-11-25": true, "2026-07-28": false },
  /** Whether a model may be given tools, and its messages several blocks. */
  samplingTools: { "2025-11-25": true },
  /** Whether servers say that they complete arguments. */
  completions: { "2025-03-26": true },
  /** Whether progress has a text. */
  progressMessages: { "2025-03-26": true },
  /** Whether the client, too, may report progress. */
  clientProgress: { "2024-11-05": true, "2026-07-28": false },
  /** Whether the log level is set for the session, or by each request for itself. */
  logLevelPer: { "2024-11-05": "session", "2026-07-28": "request" },
  /** How a client hears of changes: by itself and per resource, or on a stream it opens for what it names. */
  subscriptions: { "2024-11-05": "session", "2026-07-28": "listen" },
  /** Whether results say for how long they may be kept. */
  cacheHints: { "2026-07-28": true },
  /** Whether results say what kind they are. */
  resultType: { "2026-07-28": true },
  /** Whether each request says its revision, its client and what that can do. */
  metaEnvelope: { "2026-07-28": true },
  /** The generation of tasks: none, that of the revision itself, or that of an extension. */
  tasks: { "2024-11-05": "none", "2025-11-25": "core", "2026-07-28": "extension" },
  /**
   * How HTTP carries it: an event stream beside POSTs, one endpoint with event streams to resume, or one POST per
   * request.
   */
  http: { "2024-11-05": "eventStream", "2025-03-26": "streamable", "2026-07-28": "stateless" },
  /** Whether HTTP has sessions. */
  sessionHeader: { "2025-03-26": true, "2026-07-28": false },
  /** The HTTP requests that name the revision in a header. */
  protocolVersionHeader: { "2024-11-05": "none", "2025-06-18": "afterInitialize", "2026-07-28": "always" },
  /** Whether HTTP requests repeat method, name and marked arguments in headers. */
  requestHeaders: { "2026-07-28": true },
  /** Whether an event stream starts with an event that has an id and no data. */
  primingEvents: { "2025-11-25": true, "2026-07-28": false },
  /** Whether a client that goes away cancels its request. */
  disconnectCancels: { "2026-07-28": true },
  /** The HTTP status of an unknown method. */
  unknownMethodStatus: { "2024-11-05": 200, "2026-07-28": 404 }
} as const

type Features = typeof features

type Value<History> = History[keyof History] | (History extends { readonly "2024-11-05": unknown } ? never : false)

/**
 * The features of a revision.
 *
 * @category models
 * @since 0.1.0
 */
export type RevisionFeatures = { readonly [Name in keyof Features]: Wide<Value<Features[Name]>> }

type Wide<A> = A extends boolean ? boolean : A

/** The features of a revision. @category constructors @since 0.1.0 */
export const of = (revision: Revision): RevisionFeatures =>
  // Each history names values of its feature.
  Object.fromEntries(
    Object.entries(features).map(([name, history]) => [name, at<unknown>(history, revision) ?? false])
  ) as RevisionFeatures

/** The methods that a side serves or hears, by the revisions that have them. */
type Groups = ReadonlyArray<readonly [since: History<boolean>, ...methods: ReadonlyArray<string>]>

const always = { "2024-11-05": true }
const legacy = { "2024-11-05": true, "2026-07-28": false }
const core = { "2025-11-25": true, "2026-07-28": false }
const modern = { "2026-07-28": true }

/**
 * The requests about tasks that one revision names. Either side asks for the tasks of the other.
 *
 * @category constants
 * @since 0.1.0
 */
export const taskMethods: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"])

const groups = {
  /** Requests of the client. */
  serverServes: [
    [always, "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"],
    [always, "prompts/list", "prompts/get", "completion/complete"],
    [legacy, "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"],
    [core, ...taskMethods],
    [modern, "server/discover", "subscriptions/listen"]
  ],
  /** Requests of the server, or what it asks for inside a result. */
  clientServes: [
    [always, "sampling/createMessage", "roots/list"],
    [legacy, "ping"],
    [{ "2025-06-18": true }, "elicitation/create"],
    [core, ...taskMethods]
  ],
  /** Notifications of the client. */
  serverHears: [
    [always, "notifications/cancelled"],
    [legacy, "notifications/initialized", "notifications/progress", "notifications/roots/list_changed"],
    [core, "notifications/tasks/status"]
  ],
  /** Notifications of the server. */
  clientHears: [
    [always, "notifications/cancelled", "notifications/progress", "notifications/message"],
    [always, "notifications/resources/updated", "notifications/resources/list_changed"],
    [always, "notifications/tools/list_changed", "notifications/prompts/list_changed"],
    [core, "notifications/elicitation/complete", "notifications/tasks/status"],
    [modern, "notifications/subscriptions/acknowledged"]
  ]
} satisfies Readonly<Record<string, Groups>>

/**
 * The methods that the two sides may call.
 *
 * @category models
 * @since 0.1.0
 */
export type Methods = { readonly [Role in keyof typeof groups]: ReadonlySet<string> }

/** The methods of a revision. @category constructors @since 0.1.0 */
export const methodsOf = (revision: Revision): Methods => {
  const has = ([since, ...methods]: Groups[number]) => at(since, revision) === true ? methods : []
  // The roles stay.
  return Object.fromEntries(
    Object.entries(groups).map(([role, all]) => [role, new Set(all.flatMap(has))])
  ) as unknown as Methods
}
