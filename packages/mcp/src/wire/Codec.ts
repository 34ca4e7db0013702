/**
 * The types of a codec between our records and the JSON of a revision.
 *
 * ```ts run
 * import type { Decoder, Encode } from "@parley/mcp/wire/Codec"
 * import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
 * import { Result } from "effect"
 *
 * const encode: Encode = RevisionCodec.of("2024-11-05").encode
 * const decodeLevel: Decoder<{ readonly level: string }> = RevisionCodec.latest.decode.setLevelParams
 *
 * // The oldest revision does not have links to resources: they become text.
 * console.log(encode.content({ type: "resource_link", uri: "notes://today", name: "Today" }))
 * // => { type: 'text', text: '[resource Today: notes://today]' }
 * console.log(Result.getOrUndefined(decodeLevel({ level: "debug" }))) // => { level: 'debug' }
 * ```
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../payload/Capabilities.ts"
import type { Content } from "../payload/Content.ts"
import type { ElicitForm, ElicitResult, ElicitUrl } from "../payload/Elicitation.ts"
import type {
  CacheHint,
  PromptInfo,
  PromptPage,
  ResourceInfo,
  ResourcePage,
  ResourceTemplateInfo,
  ResourceTemplatePage,
  ToolInfo,
  ToolPage
} from "../payload/Listing.ts"
import type {
  CallToolParams,
  CompleteParams,
  GetPromptParams,
  InitializeParams,
  ListenParams,
  ListParams,
  LogParams,
  ProgressParams,
  ReadResourceParams,
  SetLevelParams,
  SubscribeParams
} from "../payload/Requests.ts"
import type {
  CallToolResult,
  CompleteResult,
  DiscoverResult,
  GetPromptResult,
  InitializeResult,
  InputRequired,
  ReadResourceResult
} from "../payload/Results.ts"
import type { RootsResult } from "../payload/Roots.ts"
import type { SampleRequest, SampleResult } from "../payload/Sampling.ts"
import type { WireIssue } from "./WireIssue.ts"

/**
 * Encodes our records as the JSON of the revision. It may give the record itself,
 * where nothing has to change. A result is complete when it is sealed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Encode {
  readonly content: (content: Content) => Schema.JsonObject
  readonly tool: (info: ToolInfo) => Schema.JsonObject
  readonly resource: (info: ResourceInfo) => Schema.JsonObject
  readonly resourceTemplate: (info: ResourceTemplateInfo) => Schema.JsonObject
  readonly prompt: (info: PromptInfo) => Schema.JsonObject
  /** A page of a list, from entries that are encoded already. */
  readonly page: (
    list: "tools" | "resources" | "resourceTemplates" | "prompts",
    entries: ReadonlyArray<Schema.Json>,
    options?: { readonly nextCursor?: string | undefined; readonly cache?: CacheHint | undefined } | undefined
  ) => Schema.JsonObject
  readonly callToolResult: (result: CallToolResult) => Schema.JsonObject
  readonly readResourceResult: (result: ReadResourceResult) => Schema.JsonObject
  readonly getPromptResult: (result: GetPromptResult) => Schema.JsonObject
  /** The result of a method of an extension, with its cache hint where the revision has such hints. */
  readonly extensionResult: (result: Schema.JsonObject, cache: CacheHint | undefined) => Schema.JsonObject
  /** At most `maxCompletions` values, and then `hasMore`. */
  readonly completeResult: (result: CompleteResult) => Schema.JsonObject
  readonly initializeResult: (result: InitializeResult) => Schema.JsonObject
  readonly discoverResult: (result: DiscoverResult) => Schema.JsonObject
  /** Only where the feature `clientRequests` is `results`. */
  readonly inputRequired: (result: Omit<InputRequired, "resultType">) => Schema.JsonObject
  /** Fails where the revision has no forms, or none with such a field. */
  readonly elicitForm: (form: ElicitForm) => Result.Result<Schema.JsonObject, WireIssue>
  /** Fails where the revision opens no URLs, or wants an `elicitationId` and there is none. */
  readonly elicitUrl: (ask: ElicitUrl) => Result.Result<Schema.JsonObject, WireIssue>
  /** Fails where the request has tools and the revision none for models. */
  readonly sampleRequest: (request: SampleRequest) => Result.Result<Schema.JsonObject, WireIssue>
  readonly elicitResult: (result: ElicitResult) => Schema.JsonObject
  readonly sampleResult: (result: SampleResult) => Schema.JsonObject
  readonly rootsResult: (result: RootsResult) => Schema.JsonObject
  readonly implementation: (info: Implementation) => Schema.JsonObject
  readonly clientCapabilities: (capabilities: ClientCapabilities) => Schema.JsonObject
  readonly serverCapabilities: (capabilities: ServerCapabilities) => Schema.JsonObject
  readonly completeParams: (params: CompleteParams) => Schema.JsonObject
  readonly progress: (params: ProgressParams) => Schema.JsonObject
}

/**
 * Decodes the JSON of the revision as our records, or gives the reason for which it does not fit.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decode {
  readonly toolPage: Decoder<ToolPage>
  readonly resourcePage: Decoder<ResourcePage>
  readonly resourceTemplatePage: Decoder<ResourceTemplatePage>
  readonly promptPage: Decoder<PromptPage>
  readonly callToolResult: Decoder<CallToolResult | InputRequired>
  readonly readResourceResult: Decoder<ReadResourceResult | InputRequired>
  readonly getPromptResult: Decoder<GetPromptResult | InputRequired>
  readonly completeResult: Decoder<CompleteResult>
  readonly initializeResult: Decoder<InitializeResult>
  readonly discoverResult: Decoder<DiscoverResult>
  /** Any object that says nothing in particular. */
  readonly emptyResult: Decoder<Schema.JsonObject>
  readonly elicit: Decoder<ElicitForm | ElicitUrl>
  readonly sampleRequest: Decoder<SampleRequest>
  readonly elicitResult: Decoder<ElicitResult>
  readonly sampleResult: Decoder<SampleResult>
  readonly rootsResult: Decoder<RootsResult>
  readonly clientCapabilities: Decoder<ClientCapabilities>
  readonly serverCapabilities: Decoder<ServerCapabilities>
  readonly initializeParams: Decoder<InitializeParams>
  /** Absent params are an empty object. */
  readonly listParams: Decoder<ListParams>
  readonly callToolParams: Decoder<CallToolParams>
  readonly readResourceParams: Decoder<ReadResourceParams>
  readonly subscribeParams: Decoder<SubscribeParams>
  readonly getPromptParams: Decoder<GetPromptParams>
  readonly completeParams: Decoder<CompleteParams>
  readonly setLevelParams: Decoder<SetLevelParams>
  readonly listenParams: Decoder<ListenParams>
  readonly progress: Decoder<ProgressParams>
  readonly log: Decoder<LogParams>
}

/** Decodes JSON, or gives the reasons for which it does not fit. @category models @since 0.1.0 */
export type Decoder<A> = (json: unknown) => Result.Result<A, WireIssue>

/**
 * A result as it leaves a server: where results say so, that it is complete and who the server is. Elsewhere it is the
 * same object.
 *
 * @category models
 * @since 0.1.0
 */
export type Seal = (result: Schema.JsonObject, serverInfo: Schema.JsonObject) => Schema.JsonObject
