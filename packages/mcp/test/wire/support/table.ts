/** The page docs/reference/mcp-revisions.md, from the tables of the sources. `node <this file>` prints it. */
import * as Revision from "../../../src/wire/Revision.ts"
import * as RevisionFeatures from "../../../src/wire/RevisionFeatures.ts"

/** What each feature is to a reader. */
const features: { readonly [K in keyof RevisionFeatures.RevisionFeatures]: string } = {
  batches: "arrays of messages",
  unreadable: "a text whose id cannot be read: an error without id, or silence",
  invalidArguments: "arguments that do not fit a tool",
  resourceNotFound: "the code of a resource that does not exist",
  structuredContent: "structured results and output schemas of tools",
  clientRequests: "how a server asks its client",
  elicitation: "asking a person",
  elicitationLists: "fields with several choices in forms",
  elicitationId: "ids of elicitations by URL, and their end as a notification",
  urlElicitationError: "refusing until a URL was opened (-32042)",
  samplingTools: "tools and several blocks per message for models",
  completions: "servers say that they complete arguments",
  completionContext: "completions know the arguments already given",
  toolAnnotations: "annotations of tools",
  titles: "titles beside names",
  icons: "icons; descriptions and websites of programs",
  meta: "`_meta` of content and of entries in lists; `lastModified`",
  audio: "sound as content",
  resourceLinks: "links to resources as content",
  progressMessages: "progress with a text",
  rootsListChanged: "clients tell that their roots changed",
  clientProgress: "progress of clients",
  logLevelPer: "the log level holds for",
  subscriptions: "where changes are heard",
  cacheHints: "for how long results may be kept",
  resultType: "results say what kind they are",
  metaEnvelope: "requests say revision, client and capabilities",
  tasks: "tasks: of the revision itself, or of an extension",
  http: "HTTP",
  sessionHeader: "sessions over HTTP",
  protocolVersionHeader: "the header `MCP-Protocol-Version`",
  requestHeaders: "the headers `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*`",
  primingEvents: "event streams begin with an id",
  disconnectCancels: "going away cancels a request over HTTP",
  unknownMethodStatus: "HTTP status of an unknown method"
}

const cell = (value: boolean | string | number): string =>
  value === true ? "yes" : value === false ? "" : `\`${value}\``

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = (head: string, rows: ReadonlyArray<readonly [string, (revision: Revision.Revision) => string]>) => [
  row([head, ...Revision.all]),
  row([head, ...Revision.all].map(() => "---")),
  ...rows.map(([name, value]) => row([name, ...Revision.all.map(value)]))
]

const methods = (direction: keyof RevisionFeatures.Methods) => {
  const all = new Set(Revision.all.flatMap((revision) => [...RevisionFeatures.methodsOf(revision)[direction]]))
  return [...all].toSorted().map((method) =>
    [
      `\`${method}\``,
      (revision: Revision.Revision) => cell(RevisionFeatures.methodsOf(revision)[direction].has(method))
    ] as const
  )
}

const isFeature = (name: string): name is keyof RevisionFeatures.RevisionFeatures => Object.hasOwn(features, name)

export const page: string = [
  "# Revisions of the Model Context Protocol",
  "",
  "This page lists what each revision has, as `@parley/mcp` speaks it. The package talks to a peer of any of them, and leaves out, or says in other words, what the revision does not have. A test compares this page with the tables of the sources.",
  "",
  "## Features",
  "",
  ...table(
    "Feature",
    Object.keys(features).filter(isFeature).map((name) =>
      [features[name], (revision: Revision.Revision) => cell(RevisionFeatures.of(revision)[name])] as const
    )
  ),
  "",
  "## Requests of clients",
  "",
  ...table("Method", methods("serverServes")),
  "",
  "## Requests of servers",
  "",
  "In 2026-07-28 a server puts them into a result, and the client sends its request again with the answers.",
  "",
  ...table("Method", methods("clientServes")),
  "",
  "## Notifications of clients",
  "",
  ...table("Method", methods("serverHears")),
  "",
  "## Notifications of servers",
  "",
  ...table("Method", methods("clientHears")),
  "",
  "The extension `io.modelcontextprotocol/tasks` has the requests `tasks/get`, `tasks/update` and `tasks/cancel` of clients, and the notification `notifications/tasks` of servers.",
  ""
].join("\n")

if (import.meta.main) process.stdout.write(page)
