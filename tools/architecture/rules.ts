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
      Message: ["ErrorObject", "RequestId", "Limits"],
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
      Listener: ["Transport"],
      Tap: ["Listener"],
      Recorder: ["Tap"],
      "*": ["Listener", "Access"]
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
      HttpExchange: ["AnswerReader"],
      HttpCaller: ["HttpExchange"],
      PostRules: ["MediaType"],
      HttpRoute: ["PostRules", "EventStream"]
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
