/**
 * MCP Apps: pages that a host shows beside the conversation, for the results of tools (SEP-1865,
 * `io.modelcontextprotocol/ui`).
 *
 * A page is a resource at a URI `ui://…`. A tool names the page that shows its results, and whether the model or the
 * page may call it. A client without this extension sees an ordinary tool, so the tool should give a readable result in
 * any case.
 *
 * This module has the messages between servers and hosts. Those between a page and its host, over `postMessage`, are up
 * to the host.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { McpApps } from "@parley/mcp-apps"
 * import { Effect } from "effect"
 *
 * const page = McpApps.page("ui://clock/face", { name: "Clock" }, () => Effect.succeed("<!doctype html><p>noon"))
 * const now = McpApps.tool(McpTool.make("now", { description: "The time." }, () => Effect.succeed("noon")), { page })
 *
 * const program = Effect.gen(function*() {
 *   const host = yield* McpMemoryClient.make({ name: "host", version: "1.0.0", extensions: [McpApps.use()] })
 *   for (const tool of yield* host.listTools()) console.log(McpApps.uiOf(tool).resourceUri) // => ui://clock/face
 *   console.log((yield* McpApps.read(host, "ui://clock/face")).html) // => <!doctype html><p>noon
 * })
 *
 * const extensions = [McpApps.serve([now, page])]
 * const server = McpServer.layer({ name: "clock", version: "1.0.0", features: [], extensions })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import { InvalidResult, type McpAskedError } from "@parley/mcp/client/McpClientError"
import * as McpExtension from "@parley/mcp/extension/McpExtension"
import type { McpClient } from "@parley/mcp/McpClient"
import type { Client, McpContext } from "@parley/mcp/McpContext"
import * as McpResource from "@parley/mcp/McpResource"
import type { McpTool } from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as Listing from "@parley/mcp/payload/Listing"
import type { AnyFeature, Feature, Requirements } from "@parley/mcp/server/Feature"
import { Uri } from "@parley/mcp/shared"
import * as Revision from "@parley/mcp/wire/Revision"
import { Excerpt, JsonObject, Utf8 } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/** The media type of pages. @category constants @since 0.1.0 */
export const mediaType = "text/html;profile=mcp-app"

/** The extension: what servers and clients declare. @category constants @since 0.1.0 */
export const Extension = McpExtension.make("io.modelcontextprotocol/ui", {
  server: {},
  client: { settings: { mimeTypes: Schema.Array(Schema.String) } }
})

const origins = Schema.optionalKey(Schema.Array(Schema.String))

const allowed = Schema.optionalKey(Schema.Struct({}))

/**
 * The needs of a page, which its host grants. Without them, a page may load nothing and reach nothing.
 *
 * @category models
 * @since 0.1.0
 */
export const PageMeta = Schema.Struct({
  /** The origins that it may use. */
  csp: Schema.optionalKey(Schema.Struct({
    /** For requests. */
    connectDomains: origins,
    /** For scripts, styles, images, fonts and media. */
    resourceDomains: origins,
    /** For frames within it. */
    frameDomains: origins,
    /** For its base URI. */
    baseUriDomains: origins
  })),
  /** The permissions that it asks its host for. A host may refuse. */
  permissions: Schema.optionalKey(Schema.Struct({
    camera: allowed,
    microphone: allowed,
    geolocation: allowed,
    clipboardWrite: allowed
  })),
  /** The origin that it has, in the words of its host. */
  domain: Schema.optionalKey(Schema.String),
  /** Whether the host draws a border around it. */
  prefersBorder: Schema.optionalKey(Schema.Boolean)
})

/** @category models @since 0.1.0 */
export type PageMeta = typeof PageMeta.Type

/**
 * The page of a tool, as the tool names it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolUi {
  /** The page that shows its results; `undefined` where there is none. */
  readonly resourceUri: string | undefined
  /** The callers of the tool. */
  readonly visibility: Listing.Visibility
}

/**
 * The description of a page, beside its place.
 *
 * @category models
 * @since 0.1.0
 */
export interface PageOptions extends Omit<McpResource.Documentation, "mimeType">, PageMeta {}

/**
 * A page: its handler gives a whole HTML document, as text or bytes. Partial: throws for a URI of another scheme than `ui`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const page = <E = never, R = never>(
  uri: `ui://${string}`,
  options: PageOptions,
  handler: (call: McpContext) => Effect.Effect<string | Uint8Array, E, R>
): McpResource.McpResource<Exclude<R, Scope.Scope>> => {
  if (!Uri.isPage(uri)) throw new TypeError(`a page has a URI like ui://name, unlike ${Excerpt.quoted(uri)}`)
  const { csp, domain, meta, permissions, prefersBorder, ...documentation } = options
  const ui: Schema.JsonObject = {
    ...(csp === undefined ? undefined : { csp }),
    ...(permissions === undefined ? undefined : { permissions }),
    ...(domain === undefined ? undefined : { domain }),
    ...(prefersBorder === undefined ? undefined : { prefersBorder })
  }
  const _meta: Schema.JsonObject | undefined = Object.keys(ui).length === 0 ? meta : { ...meta, ui }
  return McpResource.make(
    uri,
    { ...documentation, mimeType: mediaType, meta: _meta },
    (call) =>
      Effect.map(handler(call), (html) => {
        const contents = typeof html === "string"
          ? Content.textContents(uri, html, mediaType)
          : Content.blobContents(uri, html, mediaType)
        // Hosts read it here, and in lists only where they look at a page before it is used.
        return _meta === undefined ? contents : { ...contents, _meta }
      })
  )
}

/**
 * A tool whose results a page shows. By default, both the model and the page may call it.
 *
 * Without `page`, the tool has none: with `visibility: ["app"]` it is one that the pages of its server call. Clients of a
 * revision before 2025-06-18, which cannot tell, do not see such a tool.
 *
 * @category combinators
 * @since 0.1.0
 */
export const tool = <R>(
  tool: McpTool<R>,
  { page, visibility }: {
    readonly page?: { readonly info: { readonly uri: string } } | undefined
    readonly visibility?: Listing.Visibility | undefined
  }
): McpTool<R> => ({
  ...tool,
  // Before, tools have no `_meta`: no client could tell that this one is not for its model.
  ...(visibility?.includes("model") === false && {
    visible: (call: McpContext) =>
      Revision.isAtLeast(call.protocolVersion, "2025-06-18") && (tool.visible?.(call) ?? true)
  }),
  info: {
    ...tool.info,
    _meta: {
      ...tool.info._meta,
      ui: {
        ...(page === undefined ? undefined : { resourceUri: page.info.uri }),
        ...(visibility === undefined ? undefined : { visibility })
      },
      // The specification before its first release had it so, and hosts still look there.
      ...(page === undefined ? undefined : { [flat]: page.info.uri })
    }
  }
})

const flat = "ui/resourceUri"

/**
 * The extension for a server, with tools and pages.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = <F extends Feature<unknown> = never>(
  features: ReadonlyArray<F>
): McpExtension.ServerExtension<Requirements<F>> => Extension.serve<{}, {}, F, never>({ features })

/** The extension for a client that shows pages. @category constructors @since 0.1.0 */
export const use = (): McpExtension.ClientExtension => Extension.use({ settings: { mimeTypes: [mediaType] } })

/**
 * Tells whether a client shows pages. A handler may ask, to answer more text where it does not.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isSupported = (client: Pick<Client, "capabilities">): boolean =>
  Option.exists(Extension.declaredBy(client), ({ mimeTypes }) => mimeTypes.includes(mediaType))

/**
 * For `visible` of a server: it hides pages, and tools for pages alone, from clients that show none.
 *
 * @category predicates
 * @since 0.1.0
 */
export const visible = (feature: AnyFeature, { client }: Pick<McpContext, "client">): boolean => {
  if (feature._tag === "McpResource" && Uri.isPage(feature.info.uri)) return isSupported(client)
  return feature._tag !== "McpTool" || isForModel(feature.info) || isSupported(client)
}

/** Reads the page that a tool names, as a host does. @category accessors @since 0.1.0 */
export const uiOf = ({ _meta = {} }: Pick<Listing.ToolInfo, "_meta">): ToolUi => {
  const uri = [JsonObject.member(_meta["ui"], "resourceUri"), _meta[flat]].find((uri) => typeof uri === "string")
  return {
    resourceUri: uri !== undefined && Uri.isPage(uri) ? uri : undefined,
    visibility: Listing.visibilityOf({ _meta })
  }
}

/** Tells whether a host may offer a tool to its model. @category predicates @since 0.1.0 */
export const isForModel = (tool: Pick<Listing.ToolInfo, "_meta">): boolean =>
  Listing.visibilityOf(tool).includes("model")

/** Tells whether a host lets the pages of its server call a tool. @category predicates @since 0.1.0 */
export const isForApp = (tool: Pick<Listing.ToolInfo, "_meta">): boolean => Listing.visibilityOf(tool).includes("app")

/** A page as a host has read it. @category models @since 0.1.0 */
export interface Page extends PageMeta {
  /** The HTML document. */
  readonly html: string
}

const decodeMeta = Schema.decodeUnknownOption(PageMeta)

/**
 * Reads a page. It fails with `InvalidResult` for anything else than one document of the media type. What a page says of
 * its needs in a way that does not fit counts as nothing: it may use nothing.
 *
 * @category accessors
 * @since 0.1.0
 */
export const read = (client: McpClient, uri: string): Effect.Effect<Page, McpAskedError> =>
  Effect.flatMap(client.readResource(uri), ({ contents: [contents, ...others] }) => {
    const refuse = (rule: string) =>
      Effect.fail(new InvalidResult({ method: "resources/read", path: ["contents"], rule }))
    if (contents === undefined || others.length > 0) return refuse("a page is one document")
    if (contents.mimeType !== mediaType) return refuse(`a page has the media type ${mediaType}`)
    const bytes = Content.bytesOf(contents)
    const html = bytes && Utf8.textOf(bytes)
    if (html === undefined) return refuse("the document is no UTF-8")
    const meta = Option.getOrElse(decodeMeta(contents._meta?.["ui"]), (): PageMeta => ({}))
    return Effect.succeed({ html, ...meta })
  })
