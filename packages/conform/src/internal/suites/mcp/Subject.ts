/**
 * A server of MCP as the rules look at it: a dialogue in each era that it speaks. What several rules need, such as the lists
 * and the calls of tools, is asked for once, and all that passes is kept for the rules that look at it afterwards.
 */
import type { Era } from "@parley/mcp/wire/Revision"
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { NotApplicable, Unverified } from "../../../Suite.ts"
import * as Conversation from "../../protocol/mcp/Conversation.ts"
import type { Found } from "../../protocol/mcp/Discovery.ts"
import * as List from "../../protocol/mcp/List.ts"
import * as operations from "../../protocol/mcp/operations.ts"
import type { Reply } from "../../protocol/mcp/Wire.ts"
import type { Run } from "../../protocol/Protocol.ts"
import * as Values from "../../values/Values.ts"

/** A server. */
export interface Subject {
  readonly run: Run
  readonly found: Found
  readonly dialogues: ReadonlyArray<Dialogue>
  /** Why there is no dialogue, where there is none. */
  readonly reason: string
}

/** A call of a tool whose arguments fit its schema. */
export interface ToolCall {
  readonly tool: operations.Tool
  readonly args: Schema.JsonObject
  readonly token: string
  readonly reply: Reply
}

/** A conversation that has been, or goes on. */
export interface Recorded {
  readonly conversation: Conversation.Conversation
  readonly replies: ReadonlyArray<Reply>
}

type Stopped = NotApplicable | Unverified

/** A server in one era. */
export interface Dialogue {
  readonly run: Run
  readonly era: Era
  readonly accord: Conversation.Accord
  /** Whether a capability, or a member of one, is declared; `false` is no declaration. */
  readonly has: (...path: ReadonlyArray<string>) => boolean
  /** Opens a conversation for one rule. */
  readonly open: (
    options?: Partial<Pick<Conversation.OpenOptions, "listens" | "beforeReady">>
  ) => Effect.Effect<Conversation.Conversation, Unverified, Scope.Scope>
  /** The conversation of rules that leave it as it was. It is opened again where it has ended, or gave no answer. */
  readonly shared: Effect.Effect<Conversation.Conversation, Unverified>
  /** A list, as it came when it was read first. */
  readonly listed: (list: List.List) => Effect.Effect<List.Listed, Stopped>
  /** The tools that may be called: those that say that they only read, or all where writing is allowed. */
  readonly callable: Effect.Effect<ReadonlyArray<operations.Tool>, Stopped>
  /** Calls of them. */
  readonly calls: Effect.Effect<ReadonlyArray<ToolCall>, Stopped>
  /** Reads the resources that are listed first. */
  readonly reads: Effect.Effect<ReadonlyArray<Read>, Stopped>
  /** Gets the prompts that are listed first. */
  readonly gets: Effect.Effect<ReadonlyArray<Read>, Stopped>
  /** Does all of these, so that there is something to look at. */
  readonly exercised: Effect.Effect<void>
  /** The conversations so far. */
  readonly recorded: () => ReadonlyArray<Recorded>
}

/** An entry of a list, and what has come for it. */
export interface Read {
  readonly entry: Schema.JsonObject
  readonly reply: Reply
}

/** How many tools are called, resources read and prompts got: a server has said enough of itself by then. */
const most = 8

/** The plainest arguments that fit a tool. */
export const fitting = ({ input }: operations.Tool): Schema.JsonObject | undefined =>
  Values.make(input, { mostEdges: most }).edges.find(JsonObject.isObject)

/** Looks at a server in each era that was found. */
export const make = Effect.fnUntraced(function*(run: Run, found: Found): Effect.fn.Return<Subject, never, Scope.Scope> {
  const accords = [found.legacy, found.modern].filter((accord) => accord !== undefined)
  return {
    run,
    found,
    dialogues: yield* Effect.forEach(accords, (accord) => dialogueOf(run, accord)),
    reason: found.guarded === undefined ? found.reason : "the server asks for credentials"
  }
})

const dialogueOf = Effect.fnUntraced(function*(
  run: Run,
  accord: Conversation.Accord
): Effect.fn.Return<Dialogue, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const { patience, target } = run
  const { era, revision } = accord.codec
  const recorded: Array<Recorded> = []
  /** Those in which the server has not answered. */
  const silent = new Set<Conversation.Conversation>()

  const has: Dialogue["has"] = (...path) => {
    let value: Schema.Json | undefined = accord.capabilities
    for (const name of path) value = JsonObject.member(value, name)
    return value !== undefined && value !== false && value !== null
  }
  const open: Dialogue["open"] = (options) =>
    Effect.gen(function*() {
      const conversation = yield* Conversation.open({ target, patience, revision, ...options })
      yield* run.watch(conversation.line)
      const replies: Array<Reply> = []
      const request: typeof conversation.request = (method, params, options) =>
        Effect.tap(conversation.request(method, params, options), (reply) =>
          Effect.sync(() => {
            if (options?.isCancelled !== true) replies.push(reply)
            const { _tag } = reply.outcome
            // Whoever names a time of its own expects that no answer comes.
            if (_tag === "Ended" || (_tag === "Silent" && options?.patience === undefined)) silent.add(watched)
          }))
      const watched = { ...conversation, request }
      recorded.push({ conversation: watched, replies })
      return watched
    })

  let current: { readonly conversation: Conversation.Conversation; readonly scope: Scope.Closeable } | undefined
  const shared: Dialogue["shared"] = Effect.suspend(() => {
    const now = current?.conversation
    if (now !== undefined && now.line.ended() === undefined && !silent.has(now)) return Effect.succeed(now)
    return Effect.gen(function*() {
      if (current !== undefined) yield* Scope.close(current.scope, Exit.void)
      const own = yield* Scope.fork(scope)
      const conversation = yield* Effect.onError(
        // A server that requests something too early has a moment for it.
        Scope.provide(open({ beforeReady: () => Effect.sleep(patience.silence) }), own),
        () => Scope.close(own, Exit.void)
      )
      current = { conversation, scope: own }
      return conversation
    })
  })

  const listings = new Map<List.List, Effect.Effect<List.Listed, Stopped>>()
  for (const list of [List.tools, List.resources, List.templates, List.prompts]) {
    const listing = Effect.gen(function*() {
      if (!has(list.capability)) {
        return yield* new NotApplicable({ reason: `the server does not declare the capability ${list.capability}` })
      }
      return yield* List.read(yield* shared, list)
    })
    listings.set(list, yield* Effect.cached(listing))
  }
  const unlisted = Effect.fail(new Unverified({ reason: "there is no such list" }))
  const listed: Dialogue["listed"] = (list) => listings.get(list) ?? unlisted

  const callable = Effect.map(
    listed(List.tools),
    ({ entries }) => operations.toolsOf(entries).filter(({ isReadOnly }) => isReadOnly || run.write)
  )
  const calls = yield* Effect.cached(Effect.gen(function*() {
    const made: Array<ToolCall> = []
    for (const tool of (yield* callable).slice(0, most)) {
      const args = fitting(tool)
      if (args === undefined) continue
      const token = `parley-progress-${made.length}`
      const reply = yield* operations.call(yield* shared, tool, args, { meta: { progressToken: token } })
      made.push({ tool, args, token, reply })
    }
    return made
  }))
  const reading = (
    list: List.List,
    read: (entry: Schema.JsonObject) => readonly [string, Schema.JsonObject] | undefined
  ) =>
    Effect.cached(Effect.gen(function*() {
      const made: Array<Read> = []
      for (const entry of (yield* listed(list)).entries.slice(0, most)) {
        const asked = read(entry)
        if (asked !== undefined) made.push({ entry, reply: yield* (yield* shared).request(...asked) })
      }
      return made
    }))
  const reads = yield* reading(
    List.resources,
    ({ uri }) => typeof uri === "string" ? ["resources/read", { uri }] : undefined
  )
  const gets = yield* reading(List.prompts, (entry) => {
    const { name } = entry
    return typeof name === "string" ? ["prompts/get", { name, arguments: argumentsOf(entry) }] : undefined
  })

  return {
    run,
    era,
    accord,
    has,
    open,
    shared,
    listed,
    callable,
    calls,
    reads,
    gets,
    exercised: Effect.ignore(Effect.all(
      [shared, listed(List.templates), reads, gets, calls].map((each) => Effect.ignore(each)),
      { discard: true }
    )),
    recorded: () => recorded
  }
})

/** A text for each argument that a prompt requires. */
export const argumentsOf = (prompt: Schema.JsonObject): Record<string, string> =>
  Object.fromEntries(requiredOf(prompt).map((name) => [name, "parley"]))

/** The names of the arguments that a prompt requires. */
export const requiredOf = ({ arguments: all }: Schema.JsonObject): ReadonlyArray<string> =>
  (JsonObject.isArray(all) ? all : []).flatMap((argument) => {
    const name = JsonObject.member(argument, "name")
    return JsonObject.member(argument, "required") === true && typeof name === "string" ? [name] : []
  })
