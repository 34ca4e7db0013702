/** The page docs/reference/mcp-revisions.md, from the tables of the sources. `node <this file>` prints it. */
import * as Content from "../../../src/payload/Content.ts"
import * as Revision from "../../../src/wire/Revision.ts"
import * as RevisionCodec from "../../../src/wire/RevisionCodec.ts"
import * as RevisionFeatures from "../../../src/wire/RevisionFeatures.ts"

/** The description of each feature. */
const features: { readonly [K in keyof RevisionFeatures.RevisionFeatures]: string } = {
  batches: "batches",
  unreadable: "the answer to a text without a readable id: an error without id, or none",
  invalidArguments: "the answer to arguments that do not fit a tool",
  resourceNotFound: "the error code for an unknown resource",
  structuredContent: "structured results and output schemas of tools",
  clientRequests: "how a server asks its client",
  elicitation: "questions to a person",
  elicitationLists: "fields with several choices in forms",
  elicitationId: "ids of elicitations by URL, and their end as a notification",
  urlElicitationError: "the error that demands opening a URL (-32042)",
  samplingTools: "tools and several blocks per message for models",
  completions: "the capability to complete arguments",
  progressMessages: "messages in progress reports",
  clientProgress: "progress reports of clients",
  logLevelPer: "the scope of the log level",
  subscriptions: "where notifications of changes arrive",
  cacheHints: "cache hints of results",
  resultType: "the kind of a result (`resultType`)",
  metaEnvelope: "revision, client and capabilities in each request",
  tasks: "tasks: in the revision itself, or as an extension",
  http: "HTTP",
  sessionHeader: "sessions over HTTP",
  protocolVersionHeader: "the header `MCP-Protocol-Version`",
  requestHeaders: "the headers `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*`",
  primingEvents: "an id at the start of event streams",
  disconnectCancels: "a closed connection cancels its request",
  unknownMethodStatus: "the HTTP status of an unknown method"
}

const content = Content.text("t")

const info = { name: "n", uri: "test://n" }

/** A record with each member that not all revisions have: a revision that has it encodes the record as it is. */
const members: Readonly<Record<string, (encode: RevisionCodec.RevisionCodec["encode"]) => readonly [object, object]>> =
  {
    "the other arguments of a completion (`context`)": ({ completeParams }) =>
      same({ ref: { type: "ref/resource", uri: "" }, argument: { name: "", value: "" }, context: {} }, completeParams),
    "annotations of tools": ({ tool }) => same({ name: "n", inputSchema: { type: "object" }, annotations: {} }, tool),
    "titles beside names": ({ resource }) => same({ ...info, title: "N" }, resource),
    "icons": ({ resource }) => same({ ...info, icons: [] }, resource),
    "descriptions and websites of programs": ({ implementation }) =>
      same({ name: "n", version: "1", description: "d", websiteUrl: "u" }, implementation),
    "`_meta` of entries in lists": ({ resource }) => same({ ...info, _meta: {} }, resource),
    "`_meta` of content": (encode) => same({ ...content, _meta: {} }, encode.content),
    "`lastModified` of annotations": (encode) =>
      same({ ...content, annotations: { lastModified: "" } }, encode.content),
    "audio content": (encode) => same(Content.audio("", "audio/wav"), encode.content),
    "links to resources as content": (encode) => same(Content.link(info), encode.content),
    "notifications of changed roots (`listChanged`)": ({ clientCapabilities }) =>
      same({ roots: { listChanged: true } }, clientCapabilities)
  }

const same = <A extends object>(record: A, encode: (record: A) => object) => [record, encode(record)] as const

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
  "# Features of the revisions of MCP",
  "",
  "This page lists the features of each revision of the Model Context Protocol that `@parley/mcp` supports. The package works with peers of all of them. It omits or translates what a revision does not have. A test compares this page with the tables of the sources.",
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
  "## Members of records",
  "",
  ...table(
    "Member",
    Object.entries(members).map(([name, pair]) =>
      [name, (revision: Revision.Revision) => {
        const [record, encoded] = pair(RevisionCodec.of(revision).encode)
        return cell(record === encoded)
      }] as const
    )
  ),
  "",
  "## Requests of clients",
  "",
  ...table("Method", methods("serverServes")),
  "",
  "## Requests of servers",
  "",
  "In 2026-07-28, a server puts these into a result, and the client repeats its request with the answers.",
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
