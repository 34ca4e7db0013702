/** Who may import whom. ARCHITECTURE.md explains it; this table is what the test enforces. */
export interface Rules {
  /** Package → its left neighbours. It may import them and, transitively, theirs. */
  readonly packages: Neighbours
  /**
   * Package → module → its left neighbours; likewise transitive. `*` is a place for any number of modules that do not
   * know each other. A package that is listed must list every module but `index` and `internal/*`: the index
   * re-exports all and is imported by none, and an internal module is as if written into the modules that import it; it
   * may take types from them without making a circle.
   */
  readonly modules: Readonly<Record<string, Neighbours>>
  /** Packages that may import `node:*`. */
  readonly node: ReadonlyArray<string>
  /** Packages that import only what Effect marks as stable. */
  readonly stable: ReadonlyArray<string>
  readonly maxLines: number
  /** Names of files that attract everything. */
  readonly magnets: RegExp
}

export type Neighbours = Readonly<Record<string, ReadonlyArray<string>>>

const published: Neighbours = {
  protocol: [],
  transport: ["protocol"],
  peer: ["transport"],
  contract: ["peer"],
  http: ["peer"],
  openrpc: ["contract"],
  "effect-rpc": ["contract"],
  mcp: ["contract", "http"],
  node: ["transport", "http"],
  conformance: ["peer"]
}

const everything = [...Object.keys(published), "cli"]

export const rules: Rules = {
  packages: {
    ...published,
    cli: Object.keys(published),
    bench: everything,
    examples: everything
  },
  modules: {
    protocol: {
      ErrorCode: [],
      Limits: [],
      RequestId: [],
      ErrorObject: ["ErrorCode"],
      Written: [],
      Message: ["ErrorObject", "RequestId", "Limits", "Written"],
      Batch: ["Message"],
      Wire: ["Message"],
      Splice: [],
      Framing: ["Limits"],
      Dialect: ["ErrorCode"]
    },
    transport: {
      TransportError: [],
      Budget: [],
      Access: [],
      Transport: ["TransportError", "Budget"],
      Direct: ["Transport"],
      Listener: ["Transport"],
      Tap: ["Listener"],
      Recorder: ["Tap"],
      "*": ["Listener", "Access", "Direct"]
    },
    peer: {
      ErrorResponse: [],
      CallerError: [],
      Caller: ["ErrorResponse", "CallerError"],
      Handler: ["Caller"],
      Router: ["Handler"],
      Correlator: ["Router"],
      Cancellation: ["Correlator"],
      Exchange: ["Cancellation"],
      Peer: ["Cancellation"],
      Session: ["Cancellation"],
      Server: ["Peer"],
      Reconnecting: ["Peer"],
      "middleware/*": ["Handler"]
    },
    contract: {
      ContractError: [],
      Params: [],
      Method: ["Params"],
      Notification: ["Method"],
      Subscription: ["Method"],
      Contract: ["ContractError", "Notification", "Subscription"],
      Protocol: ["Contract"],
      Progress: ["Contract"]
    },
    http: {
      MediaType: [],
      EventStream: [],
      AnswerReader: ["MediaType", "EventStream"],
      HttpFetcher: ["EventStream"],
      HttpExchange: ["AnswerReader", "HttpFetcher"],
      HttpCaller: ["HttpExchange"],
      PostRules: ["MediaType"],
      HttpEndpoint: ["PostRules", "EventStream"],
      HttpRoute: ["HttpEndpoint"]
    },
    mcp: {
      "revision/Revision": [],
      "revision/Misfit": [],
      "revision/Traits": ["revision/Revision"],
      "revision/Methods": ["revision/Revision"],
      LogLevel: [],
      Content: [],
      Capabilities: ["Content"],
      Catalog: ["Content"],
      Asks: ["Catalog"],
      Results: ["Capabilities", "Catalog"],
      Requests: ["Capabilities", "LogLevel"],
      "revision/Codec": ["Asks", "Requests", "Results", "revision/Misfit"],
      "revision/Envelope": ["revision/Codec", "revision/Traits"],
      "revision/Wire": ["revision/Envelope", "revision/Methods"],
      McpError: ["revision/Wire"],
      McpDialect: ["McpError"],
      HeaderValue: [],
      AskError: ["McpError"],
      McpCall: ["AskError"],
      McpCompletion: ["McpCall"],
      SealedState: [],
      Asking: ["McpCall", "SealedState"],
      McpTool: ["McpCompletion", "HeaderValue"],
      McpResource: ["McpCompletion"],
      McpPrompt: ["McpCompletion"],
      McpToolkit: ["McpTool"],
      Connection: ["McpCall"],
      McpServer: ["Connection", "McpTool", "McpResource", "McpPrompt", "Asking", "McpDialect"],
      EventStore: [],
      SessionStore: ["Connection"],
      McpHttp: ["McpServer", "EventStore", "SessionStore"],
      McpClientError: ["McpError"],
      McpChange: [],
      McpLink: ["McpClientError"],
      McpHandlers: ["Asks"],
      McpClient: ["McpLink", "McpHandlers", "McpChange", "McpDialect", "HeaderValue"],
      McpClientToolkit: ["McpClient"],
      McpHttpClient: ["McpClient"],
      McpMemoryClient: ["McpClient", "McpServer"]
    },
    "effect-rpc": {
      EffectRpc: []
    },
    openrpc: {
      OpenRpcError: [],
      OpenRpcDocument: ["OpenRpcError"],
      OpenRpc: ["OpenRpcDocument"],
      Codegen: ["OpenRpcDocument"]
    }
  },
  node: ["node", "cli", "bench", "examples"],
  stable: ["protocol", "peer"],
  maxLines: 400,
  magnets: /(^|\/)(utils?|helpers?|commons?|misc)(\.[a-z.]+)?(\/|$)/i
}
