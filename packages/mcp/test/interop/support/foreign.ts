/**
 * A client that nobody here wrote, in words that the clients of several libraries share.
 *
 * What a server sends by itself is kept in queues, and what it asks is answered in one way by all of them.
 */
import { Context, Effect, Queue } from "effect"

export type List = "tools" | "resources" | "resourceTemplates" | "prompts"

export interface Page {
  readonly items: ReadonlyArray<unknown>
  readonly nextCursor: string | undefined
}

export interface CallOptions {
  readonly onProgress?: (progress: unknown) => void
  readonly signal?: AbortSignal
}

/** What the server has said by itself. */
export interface Heard {
  readonly logs: Queue.Queue<unknown>
  /** `tools`, `resources` or `prompts`: the list that has changed. */
  readonly changes: Queue.Queue<string>
  /** The URIs of resources that have changed. */
  readonly updates: Queue.Queue<string>
}

/** How the official clients are told to hear of changed lists. */
export const listChanged = ({ changes }: Heard) => {
  const changed = (list: string) => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => void Queue.offerUnsafe(changes, list)
  })
  return { tools: changed("tools"), resources: changed("resources"), prompts: changed("prompts") }
}

export interface Connected {
  readonly era: "legacy" | "modern"
  /** The era in which the server is called, where another server is in between. */
  readonly served?: "legacy" | "modern"
  readonly revision: string | undefined
  readonly identity: unknown
  readonly instructions: unknown
  readonly capabilities: unknown
  readonly heard: Heard
  /** The code by which it tells of a resource that is not there. */
  readonly notFound: number
  /** A page of a list. */
  readonly page: (what: List, cursor?: string) => Effect.Effect<Page, unknown>
  /** A whole list, read as the client reads it. */
  readonly all: (what: List) => Effect.Effect<ReadonlyArray<unknown>, unknown>
  readonly callTool: (name: string, args?: object, options?: CallOptions) => Effect.Effect<CallResult, unknown>
  readonly readResource: (uri: string) => Effect.Effect<{ readonly contents: unknown }, unknown>
  readonly getPrompt: (
    name: string,
    args?: { readonly [name: string]: string }
  ) => Effect.Effect<{ readonly messages: unknown; readonly description?: unknown }, unknown>
  readonly complete: (params: object) => Effect.Effect<{ readonly completion: unknown }, unknown>
  readonly setLogLevel: (level: "debug" | "warning") => Effect.Effect<unknown, unknown>
  /** Asks whether the server is there, in the words of the era. */
  readonly ping: Effect.Effect<unknown, unknown>
  /** Hears of changes of a resource until what it gives is run. */
  readonly subscribe: (uri: string) => Effect.Effect<Effect.Effect<void, unknown>, unknown>
}

export interface CallResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: unknown
}

/** The client of a test. */
export class Foreign extends Context.Service<Foreign, Connected>()("@parley/mcp/test/interop/Foreign") {}

/** What each foreign client tells the server that it can. */
export const capabilities = {
  roots: {},
  sampling: {},
  elicitation: { form: {}, url: {} }
}

export const client = { name: "foreign", version: "9" }

/** What each foreign client answers. The person declines what is called dull, and has no answer to what is rude. */
export const answers = {
  elicit: (params: { readonly message: string; readonly mode?: unknown }) => {
    if (params.message.includes("rude")) throw new Error("no answer to that")
    if (params.mode === "url") return { action: "accept" as const }
    if (params.message.includes("dull")) return { action: "decline" as const }
    return { action: "accept" as const, content: { name: "Ada", colour: "green" } }
  },
  sample: (params: { readonly messages: ReadonlyArray<{ readonly content: unknown }> }) => ({
    role: "assistant" as const,
    model: "foreign-1",
    content: { type: "text" as const, text: `heard ${JSON.stringify(params.messages.map(({ content }) => content))}` }
  }),
  roots: { roots: [{ uri: "file:///work", name: "work" }] }
}

export const hearing: Effect.Effect<Heard> = Effect.all({
  logs: Queue.unbounded<unknown>(),
  changes: Queue.unbounded<string>(),
  updates: Queue.unbounded<string>()
})

/** What a promise of a foreign client gives, or rejects with. */
export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: run, catch: (error) => error })
