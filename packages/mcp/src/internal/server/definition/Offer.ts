/**
 * The offer of a server at a moment: its features by name, bound to their services. A change makes a new offer,
 * and a reader uses one offer from beginning to end.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { McpContext } from "../../../McpContext.ts"
import type { Get, McpPrompt } from "../../../McpPrompt.ts"
import type { McpResource, McpResourceTemplate, Read, ReadTemplate } from "../../../McpResource.ts"
import type { McpTool } from "../../../McpTool.ts"
import type { ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { Feature } from "../../../server/Feature.ts"
import type { Listed } from "../../../server/ServerChanges.ts"
import type * as ServerDefinition from "../../../server/ServerDefinition.ts"
import type { Serve } from "../../../server/ToolExtension.ts"
import * as Uri from "../../../shared/Uri.ts"
import type { Complete } from "../feature/handler.ts"
import * as UriTemplate from "../feature/uriTemplate.ts"
import { List } from "./List.ts"

type Completes = { readonly [name: string]: Complete } | undefined

/** @internal */
export interface BoundTool {
  readonly feature: Pick<
    McpTool<unknown>,
    "_tag" | "info" | "scopes" | "listed" | "isRefused" | "visible" | "relays" | "extensions"
  >
  readonly serve: Serve
}

/** @internal */
export interface BoundResource {
  readonly feature: Pick<
    McpResource,
    "_tag" | "info" | "scopes" | "listed" | "isRefused" | "visible" | "cache" | "watch"
  >
  readonly read: Read
}

/** @internal */
export interface BoundTemplate {
  readonly feature: Pick<
    McpResourceTemplate,
    "_tag" | "info" | "scopes" | "listed" | "isRefused" | "visible" | "cache" | "match" | "watch"
  >
  readonly read: ReadTemplate
  readonly complete: Completes
}

/** @internal */
export interface BoundPrompt {
  readonly feature: Pick<McpPrompt, "_tag" | "info" | "scopes" | "listed" | "isRefused" | "visible">
  readonly get: Get
  readonly complete: Completes
}

/** What can be read at a URI. @internal */
export interface Readable {
  readonly feature: BoundResource["feature"] | BoundTemplate["feature"]
  readonly read: (call: McpContext) => ReturnType<Read>
}

/** @internal */
export type Bound = BoundTool | BoundResource | BoundTemplate | BoundPrompt

/** A feature with the services of its handlers. @internal */
export const bind = <F extends Feature<unknown>>(
  given: F,
  context: Context.Context<ServerDefinition.Requirements<F>>
): Bound => {
  // The requirements of a feature are the type parameter of its kind.
  const feature = given as Feature<ServerDefinition.Requirements<F>>
  switch (feature._tag) {
    case "McpTool":
      return { feature, serve: feature.bind(context) }
    case "McpResource":
      return { feature, read: feature.bind(context) }
    case "McpResourceTemplate":
      return { feature, read: feature.bind(context), complete: feature.complete?.(context) }
    case "McpPrompt":
      return { feature, get: feature.bind(context), complete: feature.complete?.(context) }
  }
}

/** Which list a feature is in. @internal */
export const listOf = ({ feature }: Bound): Listed =>
  feature._tag === "McpTool" ? "tools" : feature._tag === "McpPrompt" ? "prompts" : "resources"

/** The name that tells a feature from others: of two with one name, only one is offered. @internal */
export const nameOf = ({ feature: { _tag, info } }: Bound): string =>
  `${_tag} ${
    "uri" in info
      ? Uri.normalised(info.uri)
      : "uriTemplate" in info
      ? UriTemplate.normalised(info.uriTemplate)
      : info.name
  }`

/** What is offered at a moment. @internal */
export class Offer {
  readonly all: ReadonlyArray<Bound>
  readonly tools: ReadonlyMap<string, BoundTool>
  /** By their URIs, normalised, as the templates. */
  readonly resources: ReadonlyMap<string, BoundResource>
  readonly templates: ReadonlyMap<string, BoundTemplate>
  readonly prompts: ReadonlyMap<string, BoundPrompt>
  readonly lists: {
    readonly tools: List<BoundTool>
    readonly resources: List<BoundResource>
    readonly resourceTemplates: List<BoundTemplate>
    readonly prompts: List<BoundPrompt>
  }
  /** What has been offered up to now: a capability that was declared stays. */
  readonly capabilities: ServerCapabilities
  /** Whether features say themselves who may know of them. */
  readonly isVaried: boolean
  /** Whether other callers may be offered something else. */
  readonly isForCaller: boolean
  readonly #unlisted: ReadonlyArray<BoundTemplate>

  /** Partial: throws where two features of one kind have one name. */
  constructor(
    all: ReadonlyArray<Bound>,
    pageSize: number,
    before: ServerCapabilities = { logging: {} },
    isSame: boolean = true
  ) {
    const tools = new Map<string, BoundTool>()
    const resources = new Map<string, BoundResource>()
    const templates = new Map<string, BoundTemplate>()
    const prompts = new Map<string, BoundPrompt>()
    for (const bound of all) {
      if ("serve" in bound) put(tools, bound.feature.info.name, bound)
      else if ("get" in bound) put(prompts, bound.feature.info.name, bound)
      else if ("complete" in bound) put(templates, UriTemplate.normalised(bound.feature.info.uriTemplate), bound)
      else put(resources, Uri.normalised(bound.feature.info.uri), bound)
    }
    this.all = all
    this.tools = tools
    this.resources = resources
    this.templates = templates
    this.prompts = prompts
    this.isVaried = all.some(({ feature }) => feature.visible !== undefined)
    this.isForCaller = this.isVaried || !isSame
    this.#unlisted = [...templates.values()].filter(({ feature }) => feature.listed === false)
    this.lists = {
      tools: new List("tools", listed(tools), (codec, { feature }) => codec.encode.tool(feature.info), pageSize),
      resources: new List(
        "resources",
        listed(resources),
        (codec, { feature }) => codec.encode.resource(feature.info),
        pageSize
      ),
      resourceTemplates: new List(
        "resourceTemplates",
        listed(templates),
        (codec, { feature }) => codec.encode.resourceTemplate(feature.info),
        pageSize
      ),
      prompts: new List("prompts", listed(prompts), (codec, { feature }) => codec.encode.prompt(feature.info), pageSize)
    }
    const completes = [...templates.values(), ...prompts.values()].some(({ complete }) => complete !== undefined)
    this.capabilities = {
      ...before,
      ...(tools.size === 0 ? undefined : { tools: { listChanged: true } }),
      ...(resources.size + templates.size === 0 ? undefined : { resources: { listChanged: true, subscribe: true } }),
      ...(prompts.size === 0 ? undefined : { prompts: { listChanged: true } }),
      ...(completes ? { completions: {} } : undefined)
    }
  }

  /** The template that a client names. */
  template(uriTemplate: string): BoundTemplate | undefined {
    return this.templates.get(UriTemplate.normalised(uriTemplate))
  }

  /** What is at a URI: a resource, then the templates that it fits, in their order. */
  *at(uri: string): Generator<Readable> {
    const one = this.resources.get(Uri.normalised(uri))
    if (one !== undefined) yield { feature: one.feature, read: (call) => one.read(call, uri) }
    for (const { feature, read } of this.templates.values()) {
      const variables = feature.listed === false ? undefined : feature.match(uri)
      if (variables !== undefined) yield { feature, read: (call) => read(variables, call, uri) }
    }
    const rest = this.#unlisted.flatMap(({ feature, read }) => {
      const variables = feature.match(uri)
      return variables === undefined ? [] : [{ feature, read: (call: McpContext) => read(variables, call, uri) }]
    })
    const [first] = rest
    if (first !== undefined) {
      const { feature } = first
      yield { feature: rest.length === 1 ? feature : { ...feature, watch: anyOf(rest) }, read: firstFound(rest) }
    }
  }
}

/** Reads by the first of some that can: nobody knows beforehand who of those behind a gateway has what is read. */
const firstFound = (all: ReadonlyArray<Readable>): Readable["read"] => (call) =>
  all.slice(1).reduce(
    (found, next) =>
      Effect.catch(found, (error) =>
        Effect.catchTag(
          next.read(call),
          "ResourceNotFound",
          // That nobody has it is not known where somebody could not be asked.
          (missing) => Effect.fail(error._tag === "ResourceNotFound" ? missing : error)
        )),
    all[0]?.read(call) ?? Effect.die(new Error("nobody can read it"))
  )

/** The changes that any of some tells of. */
const anyOf = (all: ReadonlyArray<Readable>): Readable["feature"]["watch"] => (uri, call) =>
  Stream.mergeAll(
    all.flatMap(({ feature }) => {
      const changes = feature.watch?.(uri, call)
      return changes === undefined ? [] : [Stream.catchCause(changes, () => Stream.empty)]
    }),
    { concurrency: "unbounded" }
  )

const listed = <A extends Bound>(all: ReadonlyMap<string, A>): ReadonlyMap<string, A> =>
  [...all.values()].some(({ feature }) => feature.listed === false)
    ? new Map([...all].filter(([, { feature }]) => feature.listed !== false))
    : all

const put = <A extends Bound>(map: Map<string, A>, name: string, bound: A) => {
  if (map.has(name)) throw new TypeError(`there is a ${bound.feature._tag} ${name} already`)
  map.set(name, bound)
}
