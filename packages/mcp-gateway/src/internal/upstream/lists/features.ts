/**
 * The lists of an upstream, as features whose handlers pass calls on to it.
 */
import type { CompletionRef, RequestOptions } from "@parley/mcp/client/ClientOptions"
import type { McpCallError, McpConnectError, McpToolError } from "@parley/mcp/client/McpClientError"
import type { McpClient } from "@parley/mcp/McpClient"
import type { Known, McpContext } from "@parley/mcp/McpContext"
import type { McpPrompt } from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import type { McpTool } from "@parley/mcp/McpTool"
import type { ServerCapabilities } from "@parley/mcp/payload/Capabilities"
import * as Content from "@parley/mcp/payload/Content"
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "@parley/mcp/payload/Listing"
import type { CallToolResult, CompleteResult, ReadResourceResult } from "@parley/mcp/payload/Results"
import type { Feature } from "@parley/mcp/server/Feature"
import { type Listed, lists } from "@parley/mcp/server/ServerChanges"
import { Uri } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import { ErrorCode, JsonObject, Weight } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Subject } from "../../policy/Guard.ts"
import { bare, isOfLine } from "../failures.ts"
import type { Links } from "../Links.ts"
import type { Lists } from "./Catalog.ts"

/** Makes a request of an upstream. */
export type Send<A> = (client: McpClient, options: RequestOptions) => Effect.Effect<A, McpToolError>

/** The parts of their upstream that the features need. @internal */
export interface Forward {
  /** Passes on a call that may ask its client. */
  readonly call: <A extends object>(
    call: McpContext,
    subject: Subject,
    send: Send<A>
  ) => Effect.Effect<A, ErrorResponse>
  /** Passes on a request that asks nothing. */
  readonly simply: <A>(call: McpContext, subject: Subject, send: Send<A>) => Effect.Effect<A, ErrorResponse>
  /** Listens to a resource as long as there is a connection; again where the stream runs again. */
  readonly watch: (
    call: McpContext,
    uri: string
  ) => Stream.Stream<unknown, McpCallError | McpConnectError | ErrorResponse>
  /** Learns which URIs the results of the upstream refer to. */
  readonly links: Links
  /** Whether the upstream has resources, and whether it tells of their changes. */
  readonly resources: () => { readonly subscribe?: boolean } | undefined
}

/**
 * The capabilities of an upstream that are ours, too. Lists change here at least when the server goes and comes back.
 *
 * @internal
 */
export const capabilities = ({ completions, prompts, resources, tools }: ServerCapabilities): ServerCapabilities => ({
  ...(tools !== undefined && { tools: { listChanged: true } }),
  ...(resources !== undefined && { resources: { listChanged: true, subscribe: resources.subscribe === true } }),
  ...(prompts !== undefined && { prompts: { listChanged: true } }),
  ...(completions !== undefined && { completions })
})

/**
 * The capabilities of servers that may offer anything: clients look at them once.
 *
 * @category constants
 * @since 0.1.0
 */
export const allCapabilities: ServerCapabilities = capabilities({
  tools: {},
  resources: { subscribe: true },
  prompts: {},
  completions: {}
})

/** How many lists are kept whose features have been made: sessions of one server mostly have the same. */
const mostMade = 64

/** How much these may weigh together, beside the newest: a server may list something else each time. */
const mostWeight = 16 * 1024 * 1024

/** Gives the features of lists; the same array for lists that are equal. @internal */
export const make = (forward: Forward): (lists: Lists) => ReadonlyArray<Feature> => {
  const made = new Map<string, ReadonlyArray<Feature>>()
  let weight = 0
  return (lists) => {
    const resources = forward.resources()
    // The listed definition is JSON.
    const json = [lists, resources ?? null] as unknown as Schema.Json
    const text = JsonObject.canonical(json)
    const known = made.get(text)
    const features = known ?? [
      ...lists.tools.map((info) => tool(forward, info)),
      ...lists.resources.map((info) => resource(forward, info)),
      ...lists.templates.map((info) => template(forward, info)),
      ...lists.prompts.map((info) => prompt(forward, info)),
      ...(resources === undefined ? [] : [unlisted(forward)])
    ]
    if (!made.delete(text)) weight += Weight.ofText(text)
    made.set(text, features)
    for (const oldest of made.keys()) {
      if (made.size <= 1 || (made.size <= mostMade && weight <= mostWeight)) break
      made.delete(oldest)
      weight -= Weight.ofText(oldest)
    }
    return features
  }
}

const tool = (forward: Forward, info: ToolInfo): McpTool => ({
  _tag: "McpTool",
  info,
  relays: true,
  bind: () => (args, call) =>
    Effect.catch(
      forward.call(
        call,
        { kind: "tool", name: info.name, arguments: args, outputSchema: info.outputSchema },
        (client, options) =>
          client.callTool(info.name, args, options).pipe(
            Effect.catchTag("ToolError", ({ result }) => Effect.succeed(result)),
            // A tool of the legacy era would have failed by itself.
            Effect.catchTag(
              "InputRefused",
              (error) => call.session === undefined ? Effect.fail(error) : Effect.succeed(failed(error.message))
            ),
            Effect.map((result) => {
              forward.links.learn(result.content)
              return bare(result)
            })
          )
      ),
      (error) => isOfAnswers(error, call) ? Effect.succeed(failed(error.message)) : Effect.fail(error)
    )
})

/** A result that says that the tool failed, and why. */
const failed = (text: string): CallToolResult => ({ content: [Content.text(text)], isError: true })

/** A server of the modern era refuses answers as params. A client of the legacy era has sent no such params. */
const isOfAnswers = ({ code, data }: ErrorResponse, { session }: McpContext): boolean =>
  session !== undefined && code === ErrorCode.InvalidParams && JsonObject.isArray(data) && data.length > 0 &&
  data.every((issue) => {
    const path = JsonObject.isObject(issue) ? issue["path"] : undefined
    return JsonObject.isArray(path) && path[0] === "inputResponses"
  })

const prompt = (forward: Forward, info: PromptInfo): McpPrompt => ({
  _tag: "McpPrompt",
  info,
  bind: () => (args, call) =>
    forward.call(
      call,
      { kind: "prompt", name: info.name, arguments: args },
      (client, options) =>
        Effect.map(
          client.getPrompt(info.name, Object.keys(args).length === 0 ? undefined : args, options),
          (result) => {
            for (const { content } of result.messages) forward.links.learn(content)
            return bare(result)
          }
        )
    ),
  complete: completing(forward, { _tag: "Prompt", name: info.name }, (info.arguments ?? []).map(({ name }) => name))
})

const completing = (forward: Forward, ref: CompletionRef, names: ReadonlyArray<string>) =>
  names.length === 0 ? undefined : () =>
    Object.fromEntries(names.map((name) => [
      name,
      (value: string, known: Known): Effect.Effect<CompleteResult["completion"], ErrorResponse> =>
        forward.simply(
          known.call,
          { kind: "completion", name: ref._tag === "Prompt" ? ref.name : ref.uri },
          (client, options) =>
            Effect.map(client.complete(ref, { name, value }, known.arguments, options), ({ completion }) => completion)
        )
    ]))

const reading =
  (forward: Forward) =>
  (call: McpContext, uri: string): Effect.Effect<ReadResourceResult, ErrorResponse | McpResource.ResourceNotFound> =>
    Effect.catch(
      forward.call(
        call,
        { kind: "resource", name: uri },
        (client, options) =>
          Effect.map(client.readResource(uri, options), (result) => {
            forward.links.learn(result.contents)
            return bare(result)
          })
      ),
      (error): Effect.Effect<never, ErrorResponse | McpResource.ResourceNotFound> =>
        Effect.fail(isNotFound(error, uri) ? McpResource.notFound(uri) : error)
    )

/**
 * Each revision says in its own way that there is no such resource. The legacy code means other things as well, such as
 * the end of a deadline: then its data name no URI, or another one.
 */
const isNotFound = ({ code, data }: ErrorResponse, uri: string): boolean => {
  if (code === McpError.ResourceNotFound) {
    return data === undefined || (JsonObject.isObject(data) && isUri(data["uri"], uri))
  }
  return code === ErrorCode.InvalidParams && JsonObject.isObject(data) && isUri(data["uri"], uri) &&
    Object.keys(data).length === 1
}

const isUri = (data: Schema.Json | undefined, uri: string): boolean => typeof data === "string" && Uri.isSame(data, uri)

/** `listed` is the spelling of the upstream itself, which may know no other. */
const watching = (forward: Forward, listed?: string) =>
  forward.resources()?.subscribe === true
    ? { watch: (uri: string, call: McpContext) => Stream.retry(forward.watch(call, listed ?? uri), listeningAgain) }
    : undefined

/** A resource is listened to again when its connection has ended. */
const listeningAgain = Schedule.while(
  Backoff.make({ first: "5 seconds", most: "5 seconds" }).pipe(
    Schedule.setInputType<McpCallError | McpConnectError | ErrorResponse>()
  ),
  ({ input }) => Effect.succeed(input._tag === "ErrorResponse" || isOfLine(input))
)

const resource = (forward: Forward, info: ResourceInfo): McpResource.McpResource => ({
  _tag: "McpResource",
  info,
  cache: undefined,
  ...watching(forward, info.uri),
  // The upstream may know no other spelling of its URI.
  bind: () => (call) => reading(forward)(call, info.uri)
})

const template = (forward: Forward, info: ResourceTemplateInfo): McpResource.McpResourceTemplate => ({
  _tag: "McpResourceTemplate",
  info,
  cache: undefined,
  match: matching(info.uriTemplate),
  ...watching(forward),
  bind: () => (_, call, uri) => reading(forward)(call, uri),
  complete: completing(forward, { _tag: "Template", uri: info.uriTemplate }, namesIn(info.uriTemplate))
})

/** Whatever else may be read: servers link to resources that no list has. */
const unlisted = (forward: Forward): McpResource.McpResourceTemplate => ({
  _tag: "McpResourceTemplate",
  info: { uriTemplate: `{+uri}#${globalThis.crypto.randomUUID()}`, name: "unlisted" },
  listed: false,
  cache: undefined,
  match: () => ({}),
  ...watching(forward),
  bind: () => (_, call, uri) => reading(forward)(call, uri),
  complete: undefined
})

/** The upstream reads its URIs itself. One whose templates we cannot read is asked whether it has what is unlisted. */
const matching = (uriTemplate: string): McpResource.McpResourceTemplate["match"] =>
  Result.getOrElse(
    Result.try(() =>
      McpResource.template(uriTemplate, { name: "any", variables: "any" }, () => Effect.succeed("")).match
    ),
    () => () => undefined
  )

/** The names of the variables of a template, however they are modified. */
const namesIn = (uriTemplate: string): ReadonlyArray<string> =>
  uriTemplate.split("{").slice(1).flatMap((part) => {
    const [expression = ""] = part.split("}")
    return expression.replace(/^[+#./;?&]/, "").split(",").map((name) => name.split(/[:*]/)[0] ?? name)
  })

/**
 * The lists in which the features of two servers, or of one at two times, differ.
 *
 * @category accessors
 * @since 0.1.0
 */
export const differing = (before: ReadonlyArray<Feature>, after: ReadonlyArray<Feature>): ReadonlyArray<Listed> => {
  if (before === after) return []
  const [old, now] = [textsOf(before), textsOf(after)]
  return lists.filter((list) => old[list] !== now[list])
}

/** Each list as a text. Unlisted features have names that are made up. */
const textsOf = memoize((features: ReadonlyArray<Feature>): Readonly<Record<Listed, string>> => {
  const listed = features.filter(({ listed }) => listed !== false)
  const textOf = (...tags: ReadonlyArray<Feature["_tag"]>) =>
    JSON.stringify(listed.flatMap(({ _tag, info }) => tags.includes(_tag) ? [info] : []))
  return {
    tools: textOf("McpTool"),
    resources: textOf("McpResource", "McpResourceTemplate"),
    prompts: textOf("McpPrompt")
  }
})

/** The same features, of which no list has one: calls of them say what is wrong. @internal */
export const hidden = memoize((features: ReadonlyArray<Feature>): ReadonlyArray<Feature> =>
  features.map((feature) => feature.listed === false ? feature : { ...feature, listed: false })
)
