/**
 * The declaration of an extension, from which both of its sides are made.
 */
import type { Params } from "@parley/contract/shared"
import type { Era } from "../../wire/Revision.ts"

/**
 * The settings, methods, notifications, topics and results of an extension.
 *
 * @category models
 * @since 0.1.0
 */
export interface Declaration {
  /** The only era that has it. Both, by default. */
  readonly era?: Era | undefined
  /** The side of servers, which they declare and serve. Without it, servers do not declare the extension. */
  readonly server?: {
    /** The settings that a server declares. None, by default. */
    readonly settings?: Params.Fields
    /** The requests of clients, by the names of their handlers. The name on the wire is `method` of each, or the same. */
    readonly methods?: { readonly [member: string]: { readonly _tag: "Method" } }
    /** The params that the header `Mcp-Name` repeats over HTTP, by the names of their methods here. */
    readonly named?: { readonly [member: string]: string }
    /** The notifications of clients that servers hear, as for methods. */
    readonly notifications?: { readonly [member: string]: { readonly _tag: "Notification" } }
  }
  /** The side of clients, which they declare and hear. Without it, clients do not declare the extension. */
  readonly client?: {
    /** The settings that a client declares. None, by default. */
    readonly settings?: Params.Fields
    /** The notifications of servers that clients hear, as for methods. */
    readonly notifications?: { readonly [member: string]: { readonly _tag: "Notification" } }
    /**
     * The notifications that clients ask for, by the member of `subscriptions/listen` that does so. With `key`, a client
     * names values of this param, which is a string, and hears of those; without it, it asks for all.
     */
    readonly topics?: { readonly [topic: string]: { readonly notification: string; readonly key?: string } }
  }
  /** The kinds of results that requests of the core may have beside their own: their Schemas, by `resultType`. */
  readonly results?: {
    readonly [method in CoreMethod]?: { readonly [resultType: string]: Params.Codec }
  }
}

/** The requests of the core that features serve. @category models @since 0.1.0 */
export type CoreMethod = "tools/call" | "prompts/get" | "resources/read"
