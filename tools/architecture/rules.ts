/** Who may import whom. ARCHITECTURE.md explains it; this table is what the test enforces. */
export interface Rules {
  /** Package → its left neighbours. It may import them and, transitively, theirs. */
  readonly packages: Neighbours
  /**
   * Package → module → its left neighbours; likewise transitive. `*` is a place for any number of modules that do not
   * know each other. A package that is listed must list every module but `index` and `internal/*`: the index
   * re-exports all and is imported by none, and an internal module is as if written into the modules that import it.
   */
  readonly modules: Readonly<Record<string, Neighbours>>
  /** Packages that may import `node:*`. */
  readonly node: ReadonlyArray<string>
  /** Packages that import only what Effect marks as stable. */
  readonly stable: ReadonlyArray<string>
  readonly maxLines: number
  /** How many files a folder of sources, tests or mutants holds at most, beside its index. */
  readonly maxFiles: number
  /** Package and kind (`mcp/src`) → the same for these folders, where they do not keep `maxFiles`. */
  readonly crowded: Readonly<Record<string, number>>
  readonly sizes: ReadonlyArray<Size>
  /** How many paths the published packages let a program import at most, beside their names; some are not counted yet. */
  readonly surface: { readonly paths: number; readonly apart: ReadonlyArray<string> }
  /** Names of files that attract everything. */
  readonly magnets: RegExp
  /** Folder of a published package → the members that its package.json has, among others. */
  readonly metadata: (folder: string) => Readonly<Record<string, unknown>>
}

/** How much code some folders hold together at most, in the lines that `tools/lines.ts` counts. */
export interface Size {
  readonly folders: ReadonlyArray<string>
  readonly lines: number
  /** Whether the test holds them to it yet. */
  readonly isHeld: boolean
}

export type Neighbours = Readonly<Record<string, ReadonlyArray<string>>>

const published: Neighbours = {
  protocol: [],
  mesh: ["protocol"],
  "json-schema": ["protocol"],
  transport: ["protocol"],
  traffic: ["transport"],
  peer: ["transport"],
  middleware: ["peer"],
  contract: ["peer"],
  http: ["peer"],
  oauth: ["http", "mesh"],
  openrpc: ["contract", "json-schema"],
  "effect-rpc": ["contract"],
  mcp: ["contract", "middleware", "oauth", "json-schema"],
  "mcp-apps": ["mcp"],
  "mcp-gateway": ["mcp", "json-schema"],
  "mcp-tasks": ["mcp"],
  node: ["transport", "http", "mesh"],
  redis: ["mesh"],
  nats: ["peer", "mesh"],
  conformance: ["peer", "mesh"],
  conform: ["conformance", "traffic", "openrpc", "mcp"]
}

const itself = { "./package.json": "./package.json" }

const metadata: Rules["metadata"] = (folder) => ({
  keywords: ["effect", "json-rpc", "jsonrpc"],
  homepage: "https://parley-effect.github.io/parley/",
  bugs: "https://github.com/parley-effect/parley/issues",
  // A publication with provenance has to name the repository that it was built from.
  repository: { type: "git", url: "git+https://github.com/parley-effect/parley.git", directory: `packages/${folder}` },
  license: "MIT",
  author: "The Parley authors",
  type: "module",
  exports: itself,
  files: ["src", "dist", "CHANGELOG.md", "README.md", "LICENSE"],
  scripts: { prepack: "tsc -b" },
  engines: { node: ">=22.19" },
  publishConfig: { access: "public", exports: itself }
})

const everything = [...Object.keys(published), "cli"]

/** The rooms of a conversation and its lanes. */
const conversation = ["conversation", "incoming", "outgoing", "lanes", "room"].map((room) =>
  `packages/peer/src/internal/${room}`
)

export const rules: Rules = {
  packages: {
    ...published,
    cli: Object.keys(published),
    bench: everything,
    examples: everything,
    site: everything
  },
  modules: {
    protocol: {
      "shared/ErrorCode": [],
      "shared/text/Bytes": [],
      Limits: [],
      "shared/RequestId": [],
      "shared/ErrorObject": ["shared/ErrorCode"],
      "shared/text/Written": [],
      "shared/text/ExactNumber": [],
      "shared/text/Relayed": ["shared/text/ExactNumber"],
      "shared/text/JsonObject": ["shared/text/Relayed"],
      "shared/Envelope": [],
      "shared/Stackless": [],
      "shared/text/Excerpt": ["shared/text/Relayed"],
      Message: [
        "shared/ErrorObject",
        "shared/RequestId",
        "Limits",
        "shared/text/Written",
        "shared/Envelope",
        "shared/Stackless",
        "shared/text/Excerpt"
      ],
      Batch: ["Message"],
      "shared/text/SourceText": ["shared/text/Excerpt"],
      "shared/text/Splice": [],
      "shared/text/Weight": [],
      "shared/text/Utf8": [],
      "shared/text/Charset": [],
      Framing: ["Limits", "shared/text/Bytes", "shared/text/Charset"],
      Dialect: ["shared/ErrorCode"],
      "shared/BadFrame": ["shared/Envelope"],
      "shared/ErrorReply": ["Message", "Dialect"]
    },
    transport: {
      "shared/Monotonic": [],
      "shared/Backoff": [],
      "shared/Occupancy": [],
      Handshake: [],
      "shared/BoundedLog": [],
      "shared/Roster": [],
      "shared/Budget": ["shared/Roster"],
      "shared/Reader": ["shared/Budget", "shared/Monotonic"],
      Transport: ["shared/Budget", "shared/Occupancy"],
      "shared/Direct": ["Transport"],
      Listener: ["Transport", "Handshake", "shared/BoundedLog", "shared/Monotonic"],
      "*": ["Listener", "shared/Direct"]
    },
    traffic: {
      Relay: [],
      Tap: [],
      Recorder: ["Tap"],
      Redaction: []
    },
    peer: {
      ErrorResponse: [],
      Caller: ["ErrorResponse"],
      Handler: ["Caller"],
      Correlator: ["ErrorResponse"],
      Router: ["Handler", "Correlator"],
      "shared/Alone": ["Handler", "Correlator"],
      "shared/Exchange": ["Handler", "Correlator"],
      Peer: ["Router"],
      Session: ["Handler", "Correlator"],
      Server: ["Peer"],
      Reconnecting: ["Peer"],
      Broadcast: ["Handler", "Correlator"],
      Feed: ["Broadcast"]
    },
    middleware: {
      "*": []
    },
    contract: {
      "shared/Params": [],
      Digits: ["shared/Params"],
      Method: ["shared/Params"],
      Notification: ["Method"],
      Subscription: ["Method"],
      Contract: ["Notification", "Subscription"],
      "shared/MethodCodec": ["Notification", "Subscription"],
      ContractPair: ["Contract"]
    },
    http: {
      "shared/Address": [],
      "shared/MediaType": [],
      "shared/EventStream": [],
      "shared/client/AnswerReader": ["shared/MediaType", "shared/EventStream"],
      "shared/client/HttpFetcher": ["shared/EventStream"],
      "shared/client/HttpExchange": ["shared/client/AnswerReader", "shared/client/HttpFetcher"],
      HttpCaller: ["shared/client/HttpExchange"],
      "shared/Cors": [],
      "shared/access/Access": [],
      "shared/access/Authorization": [],
      "shared/access/RefusalLog": ["shared/access/Access"],
      "shared/RequestRules": [
        "shared/MediaType",
        "shared/Cors",
        "shared/access/Authorization",
        "shared/access/RefusalLog"
      ],
      HttpEndpoint: ["shared/RequestRules", "shared/EventStream"],
      "shared/server/Served": ["HttpEndpoint"],
      "shared/server/Serving": ["shared/server/Served"],
      HttpRoute: ["shared/server/Serving"]
    },
    oauth: {
      "shared/Digest": [],
      "shared/SharedRun": [],
      AccessToken: [],
      AuthorizationError: [],
      TokenStore: [],
      Account: ["AuthorizationError", "TokenStore"],
      Grant: [],
      ClientAuthorization: [
        "AccessToken",
        "AuthorizationError",
        "Grant",
        "TokenStore",
        "shared/Digest",
        "shared/SharedRun"
      ],
      TokenVerifier: ["AccessToken"],
      JwtVerifier: ["TokenVerifier"],
      IntrospectionVerifier: ["TokenVerifier"],
      ProofVerifier: ["shared/Digest"],
      ResourceServer: ["TokenVerifier", "ProofVerifier"],
      SealedState: ["shared/Digest"]
    },
    mcp: {
      "payload/LogLevel": [],
      "payload/Content": ["wire/Revision"],
      "payload/Capabilities": ["payload/Content"],
      "payload/Listing": ["payload/Content"],
      "payload/Elicitation": ["payload/Listing"],
      "payload/Sampling": ["payload/Listing"],
      "payload/Roots": ["payload/Content"],
      "payload/Results": ["payload/Capabilities", "payload/Listing"],
      "payload/Requests": ["payload/Capabilities", "payload/LogLevel"],
      "wire/Revision": [],
      "wire/WireIssue": [],
      "wire/Network": [],
      "wire/RevisionFeatures": ["wire/Revision"],
      "wire/Envelope": [
        "payload/Elicitation",
        "payload/Sampling",
        "payload/Roots",
        "payload/Requests",
        "payload/Results",
        "wire/WireIssue",
        "wire/RevisionFeatures"
      ],
      "wire/RevisionCodec": ["wire/Envelope"],
      "wire/McpError": ["wire/RevisionCodec"],
      "wire/McpDialect": ["wire/McpError"],
      "http/HeaderValue": [],
      "server/ClientRequestError": ["wire/McpError"],
      "server/ServerChanges": [],
      "schema/StandardSchema": [],
      McpContext: ["server/ClientRequestError", "server/ServerChanges", "schema/StandardSchema"],
      "server/ClientRequests": ["McpContext"],
      "server/Connection": ["McpContext", "wire/Network"],
      "server/ToolExtension": ["server/ClientRequests", "http/HeaderValue", "shared/Nearest"],
      "server/PromiseHandler": ["McpContext"],
      McpTool: ["server/ToolExtension"],
      McpResource: ["McpContext", "shared/Uri"],
      McpPrompt: ["McpContext", "shared/Nearest"],
      McpToolkit: ["McpTool"],
      "server/Feature": ["McpTool", "McpResource", "McpPrompt"],
      "server/FeatureSource": ["server/Feature"],
      "server/ServerExtension": ["server/Feature", "wire/Revision"],
      "server/ServerDefinition": [
        "server/Connection",
        "server/FeatureSource",
        "server/ServerExtension"
      ],
      McpServer: [
        "server/ServerDefinition",
        "server/ClientRequests",
        "wire/McpDialect",
        "shared/Caller",
        "shared/Shares"
      ],
      "http/Quota": [],
      "http/SessionStore": ["server/Connection"],
      McpHttp: ["McpServer", "http/Quota", "http/SessionStore"],
      "client/McpEvent": [],
      "client/McpClientError": ["wire/McpError"],
      "client/McpHandlers": ["payload/Elicitation", "payload/Sampling", "payload/Roots", "payload/Requests"],
      "client/CallClock": [],
      "client/McpClientTransport": ["client/CallClock", "client/McpClientError", "wire/Network"],
      "client/RequestOptions": ["payload/Requests"],
      "client/ClientExtension": [
        "client/CallClock",
        "client/McpClientError",
        "client/McpEvent",
        "client/McpHandlers",
        "client/RequestOptions"
      ],
      "client/ClientOptions": [
        "client/McpHandlers",
        "client/ClientExtension",
        "payload/Requests",
        "payload/Results",
        "wire/Revision"
      ],
      McpClient: [
        "client/ClientOptions",
        "client/McpClientTransport",
        "client/McpEvent",
        "shared/Paging",
        "wire/McpDialect",
        "http/HeaderValue",
        "shared/QuietLog",
        "shared/Uri"
      ],
      "extension/McpExtension": ["McpClient", "server/ServerExtension"],
      McpHttpClient: ["McpClient"],
      McpStdioClient: ["McpClient"],
      "host/HostConfig": ["McpHttpClient", "McpStdioClient"],
      "host/ModelTools": ["McpClient"],
      McpClientToolkit: ["host/ModelTools"],
      McpMemoryClient: ["McpClient", "McpServer"],
      "shared/Caller": [],
      "shared/Nearest": [],
      "shared/Paging": ["client/McpClientError"],
      "shared/QuietLog": [],
      "shared/Shares": [],
      "shared/Uri": []
    },
    "mcp-apps": {
      McpApps: [],
      Skill: [],
      McpSkills: ["Skill"]
    },
    "mcp-gateway": {
      Pins: [],
      Policy: ["Pins"],
      Audit: [],
      UserLogins: [],
      McpUpstream: ["Policy", "Audit", "UserLogins"],
      McpGateway: ["McpUpstream"]
    },
    mesh: {
      Mesh: [],
      MeshEngine: [],
      MemoryNodes: ["MeshEngine", "Journal", "shared/JournalFollower"],
      MeshNode: ["Mesh", "MeshEngine", "shared/KeyedLock"],
      Journal: [],
      "shared/JournalFollower": ["Journal"],
      "shared/KeyedLock": [],
      "shared/Backlog": [],
      KeyValueJournal: ["shared/JournalFollower", "shared/KeyedLock"]
    },
    redis: {
      RedisNodes: []
    },
    nats: {
      NatsClient: [],
      NatsRpc: ["NatsClient"],
      NatsTransport: ["NatsClient"],
      NatsNodes: ["NatsClient"]
    },
    "effect-rpc": {
      EffectRpc: []
    },
    "json-schema": {
      Subschemas: [],
      Pattern: [],
      References: ["Subschemas"],
      SchemaCheck: ["Subschemas"]
    },
    "mcp-tasks": {
      Tasks: [],
      McpTasks: ["Tasks"],
      TaskClient: ["Tasks"]
    },
    openrpc: {
      OpenRpc: [],
      Codegen: []
    }
  },
  node: ["node", "cli", "bench", "examples", "site"],
  stable: ["protocol", "peer", "middleware"],
  maxLines: 400,
  maxFiles: 12,
  crowded: {
    "node/test": 45,
    "peer/test": 31,
    "peer/mutants": 13,
    "examples/test": 32
  },
  sizes: [
    { folders: ["packages/transport/src"], lines: 2_363, isHeld: true },
    { folders: ["packages/peer/src"], lines: 5_462, isHeld: true },
    // Wanted, and what is held until then.
    { folders: conversation, lines: 2_300, isHeld: false },
    { folders: conversation, lines: 3_178, isHeld: true }
  ],
  surface: { paths: 91, apart: ["mcp", "mcp-apps", "mcp-gateway", "mcp-tasks", "oauth", "json-schema"] },
  magnets: /(^|\/)(utils?|helpers?|commons?|misc)(\.[a-z.]+)?(\/|$)/i,
  metadata
}
