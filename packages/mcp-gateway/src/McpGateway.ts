/**
 * Several servers as one: their tools, resources and prompts, behind names that tell them apart.
 *
 * - Tools and prompts have a prefix, by default the name of their server and `_`. No prefix may begin with another.
 * - Resources keep their URIs. A URI belongs to one server: the one that lists it, has a template for it that
 *   fixes an authority or a path, has linked to it, or has a template that fixes less. Of two that list one URI, the first
 *   has it, unless `uris` says whose it is.
 * - The features of a server that cannot be reached are not listed; calls of them fail with -31003 and its name.
 * - Tokens of clients never reach a server behind. A server gets only what its `connect` sends.
 *
 * ```ts
 * import { McpHttpClient, McpStdioClient } from "@parley/mcp"
 * import { McpGateway } from "@parley/mcp-gateway"
 * import { NodeChildProcess, NodeHttp } from "@parley/node"
 * import { Effect } from "effect"
 *
 * const start = NodeChildProcess.makeTransport({ command: "files-server" })
 *
 * // An `McpServer` with the tools `files_read_file`, `search_find` and so on.
 * export const gateway = Effect.gen(function*() {
 *   const fetcher = yield* NodeHttp.makeFetcher()
 *   return yield* McpGateway.make({
 *     name: "gateway",
 *     version: "1.0.0",
 *     servers: {
 *       files: { connect: (options) => McpStdioClient.make({ ...options, start }), tools: { allow: ["read_*"] } },
 *       search: { connect: (options) => McpHttpClient.make(fetcher, { ...options, url: "https://example.org/mcp" }) }
 *     }
 *   })
 * })
 * ```
 *
 * @since 0.1.0
 */
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import { Uri } from "@parley/mcp/shared"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Middleware } from "@parley/peer/Handler"
import { Excerpt } from "@parley/protocol/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Audit } from "./Audit.ts"
import * as denials from "./internal/gateway/denials.ts"
import * as Names from "./internal/gateway/names.ts"
import { type Occupant, Slot } from "./internal/gateway/Slot.ts"
import * as Status from "./internal/gateway/status.ts"
import * as Login from "./internal/logins/Login.ts"
import * as attribution from "./internal/upstream/attribution.ts"
import { allCapabilities } from "./internal/upstream/lists/features.ts"
import * as McpUpstream from "./McpUpstream.ts"
import type * as Policy from "./Policy.ts"
import type { UserLogins } from "./UserLogins.ts"

/**
 * The tools of a server that are offered, and their names here.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolRules extends Policy.ToolRules {
  /** New names of tools, which replace the name and the prefix. */
  readonly rename?: { readonly [tool: string]: string } | undefined
}

/**
 * One of the servers behind a gateway.
 *
 * @category models
 * @since 0.1.0
 */
export interface Member<R = never> extends Omit<McpUpstream.McpUpstreamOptions<R>, "name" | "audit" | "logins"> {
  /** The prefix of the names of its tools and prompts. The default is its name and `_`. */
  readonly prefix?: string | undefined
  /**
   * The beginnings of URIs that belong to this server alone, as in `repo://`. Without any, a URI belongs to the server that
   * lists it, has a template for it, or has linked to it, in the order of `McpGateway`.
   */
  readonly uris?: ReadonlyArray<string> | undefined
  /** The tools that are offered, and new names for them. All tools, by default. */
  readonly tools?: ToolRules | undefined
}

/**
 * The options of a gateway.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpGatewayOptions<R = never>
  extends Omit<McpServer.ServerOptions<never>, "features" | "capabilities" | "instructions">
{
  /** Instructions for the model, before those of the servers. */
  readonly instructions?: string | undefined
  /**
   * Offers the resource `gateway://status`: each server, whether it is reached, and what of it is not offered, with the
   * reason; for callers with these scopes. By default there is no such resource.
   */
  readonly status?: { readonly scopes?: ReadonlyArray<string> | undefined } | undefined
  /** The logins of users, for servers with their credentials. The gateway tells each caller who it is at `gateway://whoami`. */
  readonly logins?: UserLogins | undefined
  /** Where a record of each call is written. Nowhere, by default. */
  readonly audit?: Audit | undefined
  /** The servers behind, by their names, in the order in which their features are listed. */
  readonly servers: Servers<R>
}

/**
 * The servers behind a gateway, by their names, in the order in which their features are listed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Servers<R = never> {
  readonly [name: string]: Member<R>
}

/**
 * A gateway: a server, whose servers behind may change.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpGateway<R = never> extends McpServer.McpServer {
  /** The servers behind, by their names. */
  readonly upstreams: () => ReadonlyMap<string, McpUpstream.McpUpstream>
  /**
   * Takes other servers, and keeps its clients. A server whose entry is the same object stays as it is. Another one under a
   * known name is reached first, and then takes the new calls; the old one ends with its last call. New servers come after
   * the others. Fails where a name or a URI could be one of two servers, as `conflictOf` says, and changes nothing then.
   */
  readonly reload: (servers: Servers<R>) => Effect.Effect<void, TypeError>
}

/**
 * Several servers as one. The gateway serves at once, and offers each server as soon as it is reached. Throws where a name or
 * a URI could be one of two servers, as `conflictOf` says.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <R = never>(
  { audit, instructions, logins, middleware, servers, status, ...options }: McpGatewayOptions<R>
): Effect.Effect<McpGateway<R>, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<R>()
    const scope = yield* Effect.scope
    const reloads = Semaphore.makeUnsafe(1)
    const slots = new Map<string, { readonly slot: Slot; readonly mounted: Scope.Closeable }>()
    const upstreams = () =>
      new Map(
        [...slots].flatMap(([name, { slot: { upstream } }]) => upstream === undefined ? [] : [[name, upstream]])
      )
    const ownerOf: denials.OwnerOf = (kind, name) => {
      for (const [server, { slot: { names } }] of slots) {
        if (names?.owns(kind, name) === true) return [server, names.ownOf(kind, name) ?? name]
      }
      return undefined
    }
    const server = yield* McpServer.make({
      ...options,
      middleware: around(middleware, audit && denials.audited(audit, ownerOf)),
      features: [
        ...(status === undefined ? [] : [Status.resource(upstreams, status.scopes)]),
        ...(logins === undefined ? [] : [whoami])
      ],
      capabilities: allCapabilities,
      instructions: () => joined(instructions, [...slots.values()].flatMap(({ slot }) => slot.upstream ?? []))
    })
    const occupantOf = (name: string, member: Member<R>): Occupant => ({
      entry: member,
      names: Names.of(prefixOf(name, member), member.tools?.rename),
      uris: member.uris,
      make: (kept) =>
        Effect.updateContext(
          McpUpstream.makeAs({ ...member, name, audit, logins }, { isNamed: true, kept }),
          (own: Context.Context<Scope.Scope>) => Context.merge(context, own)
        )
    })
    const add = (name: string, member: Member<R>) =>
      Effect.suspend(() => {
        const slot = new Slot(scope)
        const mounted = Scope.forkUnsafe(scope)
        slots.set(name, { slot, mounted })
        return Effect.andThen(
          slot.put(occupantOf(name, member)),
          Scope.provide(server.mount(slot, slot), mounted)
        )
      })
    const leave = (name: string) =>
      Effect.suspend(() => {
        const known = slots.get(name)
        slots.delete(name)
        return known === undefined
          ? Effect.void
          : Effect.andThen(Scope.close(known.mounted, Exit.void), known.slot.leave)
      })
    const taken = (servers: Servers<R>) =>
      Effect.suspend(() => {
        const user = logins === undefined &&
          Object.entries(servers).find(([, { credentials }]) => credentials === "user")
        const conflict = conflictOf(servers) ?? (user ? McpUpstream.withoutLogins(user[0]) : undefined)
        if (conflict !== undefined) return Effect.fail(new TypeError(conflict))
        const gone = [...slots.keys()].filter((name) => !Object.hasOwn(servers, name))
        const entries = Object.entries(servers)
        const unknown = entries.filter(([name]) => !slots.has(name))
        const changed = entries.flatMap(([name, member]) => {
          const slot = slots.get(name)?.slot
          return slot === undefined || slot.entry === member ? [] : [slot.put(occupantOf(name, member))]
        })
        return Effect.forEach(gone, leave, { discard: true }).pipe(
          Effect.andThen(Effect.all(changed, { discard: true, concurrency: "unbounded" })),
          // They are listed in their order.
          Effect.andThen(Effect.forEach(unknown, ([name, member]) => add(name, member), { discard: true }))
        )
      })
    yield* Effect.orDie(taken(servers))
    return {
      ...server,
      upstreams,
      // A reload that has begun is completed, and another one waits for it.
      reload: (servers) => Effect.uninterruptible(reloads.withPermit(taken(servers)))
    }
  })

/**
 * Why servers cannot be behind one gateway; `undefined` where they can. Each name of a tool or prompt, and each URI, must be
 * one of a single server: no prefix may begin with that of another, no new name of a tool may begin with the prefix of
 * another server, and no two servers may have declared the same URIs.
 *
 * @category constructors
 * @since 0.1.0
 */
export const conflictOf = (
  servers: { readonly [name: string]: Pick<Member, "prefix" | "tools" | "uris"> }
): string | undefined => {
  const all = Object.entries(servers)
  for (const [name, member] of all) {
    for (const [other, another] of all) {
      if (name === other) continue
      const [one, two] = [Excerpt.quoted(name), Excerpt.quoted(other)]
      const [prefix, shorter] = [prefixOf(name, member), prefixOf(other, another)]
      if (prefix.startsWith(shorter)) {
        return `the prefix ${Excerpt.quoted(prefix)} of the server ${one} begins with the prefix ${
          Excerpt.quoted(shorter)
        } of the server ${two}, so that ${two} could take names of ${one}: give one of them another \`prefix\``
      }
      const renamed = Object.values(member.tools?.rename ?? {})
      const taken = renamed.find((tool) =>
        tool.startsWith(shorter) || Object.values(another.tools?.rename ?? {}).includes(tool)
      )
      if (taken !== undefined) {
        return `the server ${one} renames a tool to ${
          Excerpt.quoted(taken)
        }, which is a name of the server ${two}: choose another name in \`tools.rename\``
      }
      const uri = member.uris?.find((uri) => another.uris?.some((taken) => Uri.isSame(uri, taken)))
      if (uri !== undefined) {
        return `both servers ${one} and ${two} have declared the URIs ${
          Excerpt.quoted(uri)
        }: remove them from \`uris\` of one`
      }
    }
  }
  return undefined
}

const prefixOf = (name: string, { prefix = `${name}_` }: Pick<Member, "prefix">): string => prefix

/** The name of the caller, by which a login learns whose token it has. No list has it. */
const whoami: McpResource.McpResource = {
  ...McpResource.make(Login.whoami, { name: "whoami" }, ({ principal = "" }) => Effect.succeed(principal)),
  listed: false
}

/** One middleware around the other. */
const around = (
  outer: Middleware<ErrorResponse> | undefined,
  inner: Middleware<ErrorResponse> | undefined
): Middleware<ErrorResponse> | undefined =>
  outer === undefined || inner === undefined ? outer ?? inner : (handler) => outer(inner(handler))

/** The instructions of all that are reached now, each quoted under the label of its server, which no text can forge. */
const joined = (
  own: string | undefined,
  upstreams: ReadonlyArray<Pick<McpUpstream.McpUpstream, "label" | "instructions">>
): string | undefined => {
  const parts = upstreams.flatMap(({ instructions, label }) => {
    const text = instructions()
    return text === undefined ? [] : [`# ${Excerpt.line(label)}\n\n${attribution.quoted(text)}`]
  })
  const all = own === undefined ? parts : [own, ...parts]
  return all.length === 0 ? undefined : all.join("\n\n")
}
