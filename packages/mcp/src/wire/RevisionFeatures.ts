/**
 * The differences between the revisions, as plain data: one table says which revision has what.
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
import { isAtLeast, type Revision } from "./Revision.ts"

/**
 * The features of a revision.
 *
 * @category models
 * @since 0.1.0
 */
export interface RevisionFeatures {
  /** Whether arrays of messages are spoken. */
  readonly batches: boolean
  /** How a text whose id cannot be read is answered: with an error without id, or not at all. */
  readonly unreadable: "omit" | "silent"
  /** How arguments that do not fit the schema of a tool are answered: by a result with `isError`, or by -32602. */
  readonly invalidArguments: "toolError" | "invalidParams"
  /** The code of the error that refuses a resource which does not exist. */
  readonly resourceNotFound: -32002 | -32602
  /** The JSON that the structured content of a tool may be; with `none` there is no output schema either. */
  readonly structuredContent: "none" | "object" | "any"
  /** How a server asks its client: with requests, or inside results. */
  readonly clientRequests: "requests" | "results"
  /** The questions that a person can be asked. */
  readonly elicitation: "none" | "form" | "formAndUrl"
  /** Whether a form may have fields with several choices. */
  readonly elicitationLists: boolean
  /** Whether an elicitation by URL has an id, and a notification of its end. */
  readonly elicitationId: boolean
  /** Whether a server may refuse a request until a URL was opened (-32042). */
  readonly urlElicitationError: boolean
  /** Whether a model may be given tools, and its messages several blocks. */
  readonly samplingTools: boolean
  /** Whether servers say that they complete arguments. */
  readonly completions: boolean
  /** Whether a completion is told the arguments already known. */
  readonly completionContext: boolean
  /** Whether tools say how they behave. */
  readonly toolAnnotations: boolean
  /** Whether things have a title beside their name. */
  readonly titles: boolean
  /** Whether things have icons, and programs a description and a website. */
  readonly icons: boolean
  /** Whether content blocks and entries of lists have `_meta`, and annotations a date. */
  readonly meta: boolean
  /** Whether content may be sound. */
  readonly audio: boolean
  /** Whether content may be a link to a resource. */
  readonly resourceLinks: boolean
  /** Whether progress has a text. */
  readonly progressMessages: boolean
  /** Whether the client tells that its roots changed. */
  readonly rootsListChanged: boolean
  /** Whether the client, too, may report progress. */
  readonly clientProgress: boolean
  /** Whether the log level is set for the session, or by each request for itself. */
  readonly logLevelPer: "session" | "request"
  /** How a client hears of changes: by itself and per resource, or on a stream it opens for what it names. */
  readonly subscriptions: "session" | "listen"
  /** Whether results say for how long they may be kept. */
  readonly cacheHints: boolean
  /** Whether results say what kind they are. */
  readonly resultType: boolean
  /** Whether each request says its revision, its client and what that can do. */
  readonly metaEnvelope: boolean
  /** The generation of tasks: none, that of the revision itself, or that of an extension. */
  readonly tasks: "none" | "core" | "extension"
  /**
   * How HTTP carries it: an event stream beside POSTs, one endpoint with event streams to resume, or one POST per
   * request.
   */
  readonly http: "eventStream" | "streamable" | "stateless"
  /** Whether HTTP has sessions. */
  readonly sessionHeader: boolean
  /** The HTTP requests that name the revision in a header. */
  readonly protocolVersionHeader: "none" | "afterInitialize" | "always"
  /** Whether HTTP requests repeat method, name and marked arguments in headers. */
  readonly requestHeaders: boolean
  /** Whether an event stream starts with an event that has an id and no data. */
  readonly primingEvents: boolean
  /** Whether a client that goes away cancels its request. */
  readonly disconnectCancels: boolean
  /** The HTTP status of an unknown method. */
  readonly unknownMethodStatus: 200 | 404
}

/** The features of a revision. @category constructors @since 0.1.0 */
export const of = (revision: Revision): RevisionFeatures => {
  const march = isAtLeast(revision, "2025-03-26")
  const june = isAtLeast(revision, "2025-06-18")
  const november = isAtLeast(revision, "2025-11-25")
  const modern = isAtLeast(revision, "2026-07-28")
  return {
    batches: march && !june,
    unreadable: november ? "omit" : "silent",
    invalidArguments: november ? "toolError" : "invalidParams",
    resourceNotFound: modern ? -32602 : -32002,
    structuredContent: modern ? "any" : june ? "object" : "none",
    clientRequests: modern ? "results" : "requests",
    elicitation: november ? "formAndUrl" : june ? "form" : "none",
    elicitationLists: november,
    elicitationId: november && !modern,
    urlElicitationError: november && !modern,
    samplingTools: november,
    completions: march,
    completionContext: june,
    toolAnnotations: march,
    titles: june,
    icons: november,
    meta: june,
    audio: march,
    resourceLinks: june,
    progressMessages: march,
    rootsListChanged: !modern,
    clientProgress: !modern,
    logLevelPer: modern ? "request" : "session",
    subscriptions: modern ? "listen" : "session",
    cacheHints: modern,
    resultType: modern,
    metaEnvelope: modern,
    tasks: modern ? "extension" : november ? "core" : "none",
    http: modern ? "stateless" : march ? "streamable" : "eventStream",
    sessionHeader: march && !modern,
    protocolVersionHeader: modern ? "always" : june ? "afterInitialize" : "none",
    requestHeaders: modern,
    primingEvents: november && !modern,
    disconnectCancels: modern,
    unknownMethodStatus: modern ? 404 : 200
  }
}

/**
 * The methods that the two sides may call.
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

/**
 * The requests about tasks that one revision names. Either side asks for the tasks of the other.
 *
 * @category constants
 * @since 0.1.0
 */
export const taskMethods: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"])

const taskStatus = "notifications/tasks/status"

const modernMethods: Methods = {
  serverServes: new Set([...requests, "server/discover", "subscriptions/listen"]),
  clientServes: new Set([...questions, "elicitation/create"]),
  serverHears: new Set(["notifications/cancelled"]),
  clientHears: new Set([...changes, "notifications/subscriptions/acknowledged"])
}

const legacyMethods = (elicits: boolean, byUrl: boolean, hasTasks: boolean): Methods => ({
  serverServes: new Set([
    ...requests,
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    ...(hasTasks ? taskMethods : [])
  ]),
  clientServes: new Set([
    ...questions,
    "ping",
    ...(elicits ? ["elicitation/create"] : []),
    ...(hasTasks ? taskMethods : [])
  ]),
  serverHears: new Set([
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
    ...(hasTasks ? [taskStatus] : [])
  ]),
  clientHears: new Set([
    ...changes,
    ...(byUrl ? ["notifications/elicitation/complete"] : []),
    ...(hasTasks ? [taskStatus] : [])
  ])
})

/** The methods of a revision. @category constructors @since 0.1.0 */
export const methodsOf = (revision: Revision): Methods =>
  isAtLeast(revision, "2026-07-28")
    ? modernMethods
    : legacyMethods(
      isAtLeast(revision, "2025-06-18"),
      isAtLeast(revision, "2025-11-25"),
      of(revision).tasks === "core"
    )
