/**
 * The one place where the rules for a server are looked at: which of its features are offered, and whether a call may pass.
 * Scopes are given to the features here; the server of `@parley/mcp` holds callers to them.
 */
import type { McpContext } from "@parley/mcp/McpContext"
import type { McpResourceTemplate } from "@parley/mcp/McpResource"
import type { ResourceTemplateInfo, ToolInfo } from "@parley/mcp/payload/Listing"
import type { Feature } from "@parley/mcp/server/Feature"
import * as McpError from "@parley/mcp/wire/McpError"
import type * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { memoize } from "effect/Function"
import * as Latch from "effect/Latch"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Audit from "../../Audit.ts"
import * as Pins from "../../Pins.ts"
import type { Policy, Refusal, ToolRules } from "../../Policy.ts"
import { misfitOf } from "./approvedResult.ts"
import * as Budget from "./Budget.ts"
import * as Origin from "./origin.ts"
import * as Record from "./record.ts"

type Features = ReadonlyArray<Feature>

/** The thing that a call is about, as its server names it. @internal */
export interface Subject {
  readonly kind: "tool" | "prompt" | "resource" | "completion"
  readonly name: string
  readonly arguments?: Schema.Json | undefined
  /** The output schema of a tool, as it is offered. */
  readonly outputSchema?: ToolInfo["outputSchema"]
}

type Failed = ErrorResponse.ErrorResponse

/** How many refusals the log has: a server may change what it says for ever. */
const mostTold = 1_024

/** @internal */
export const make = Effect.fnUntraced(function*(
  server: string,
  policy: Policy,
  audit: Audit.Audit | undefined,
  /** Whether each principal has an account of their own at the server. */
  isOfUsers: boolean
): Effect.fn.Return<Guard, never, Scope.Scope> {
  const { budget } = policy
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  return new Guard(
    server,
    policy,
    audit,
    budget && (yield* Budget.make(server, budget, isOfUsers)),
    (effect) => void fork(effect)
  )
})

/** @internal */
export class Guard {
  /** The name by which people are told who asks. */
  readonly label: string
  readonly #server: string
  readonly #policy: Policy
  readonly #approved: Pins.Approved | undefined
  readonly #audit: Audit.Audit | undefined
  readonly #budget: Budget.Budget | undefined
  readonly #fork: (effect: Effect.Effect<void>) => void
  readonly #told = new Set<string>()
  readonly #idle = Latch.makeUnsafe(true)
  #calls = 0

  constructor(
    server: string,
    policy: Policy,
    audit: Audit.Audit | undefined,
    budget: Budget.Budget | undefined,
    fork: (effect: Effect.Effect<void>) => void
  ) {
    this.label = policy.label ?? server
    this.#server = server
    this.#policy = policy
    this.#approved = policy.pins && Pins.approved(policy.pins)
    this.#audit = audit
    this.#budget = budget
    this.#fork = fork
  }

  /** The features that are offered; those that are not approved are in no list, and calls of them are refused. */
  offered(features: Features): Features {
    return this.#of(features).offered
  }

  /** What of these features is not offered. */
  refused(features: Features): ReadonlyArray<Refusal> {
    return this.#of(features).refused
  }

  tool(info: ToolInfo | undefined): ToolInfo | undefined {
    return info === undefined || this.#verdict("tool", info.name, info) !== undefined ? undefined : info
  }

  instructions(text: string | undefined): string | undefined {
    if (text === undefined) return undefined
    const reason = this.#verdict("instructions", "", text)
    if (reason === undefined) return text
    this.#tell({ kind: "instructions", name: "", reason })
    return undefined
  }

  /**
   * Makes a call, where its caller may make it now, and writes down how it ended. `alive` ends when the server has shown
   * that it works.
   */
  run<A>(
    call: McpContext,
    subject: Subject,
    effect: Effect.Effect<A, Failed>,
    alive?: Effect.Effect<void>
  ): Effect.Effect<A, Failed> {
    const bounded = this.#budget === undefined ? effect : this.#budget(call, effect, alive)
    return this.#audited(call, subject, this.#checked(subject, bounded))
  }

  /** Of what was approved, results are as it was approved, too: contents of pages, and structured content of tools. */
  #checked<A>({ kind, name, outputSchema }: Subject, effect: Effect.Effect<A, Failed>): Effect.Effect<A, Failed> {
    const approved = this.#approved
    if (approved === undefined) return effect
    if (outputSchema !== undefined) {
      return Effect.flatMap(effect, (result) => {
        const misfit = misfitOf(this.#server, name, outputSchema, result)
        return misfit === undefined ? Exit.succeed(result) : Exit.fail(misfit)
      })
    }
    return kind !== "resource" || !Pins.isPage(name)
      ? effect
      : Effect.flatMap(effect, (result): Effect.Effect<A, Failed> => {
        const contents = JsonObject.isObject(result) ? result["contents"] : undefined
        if (approved.has("page", name, contents)) return Exit.succeed(result)
        const reason = approved.knows("page", name) ? "changed" : "unapproved"
        this.#tell({ kind: "page", name, reason })
        return Effect.fail(this.#refusal("page", name, reason !== "changed"))
      })
  }

  /** Counts an effect as a call that runs. */
  counted<A>(effect: Effect.Effect<A, Failed>): Effect.Effect<A, Failed> {
    return Effect.suspend(() => {
      this.#calls++
      this.#idle.closeUnsafe()
      return Effect.ensuring(effect, this.#ended)
    })
  }

  /** How many calls run. */
  get calls(): number {
    return this.#calls
  }

  /** Waits until none runs. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() =>
    Effect.andThen(this.#idle.await, Effect.suspend(() => this.#calls === 0 ? Effect.void : this.settled))
  )

  readonly #ended = Effect.sync(() => {
    if (--this.#calls === 0) this.#idle.openUnsafe()
  })

  /** Writes down a call that does not pass. */
  refuse(call: McpContext, subject: Subject, error: Failed): Effect.Effect<never, Failed> {
    return this.#audited(call, subject, Effect.fail(Origin.refusal(error)))
  }

  #audited<A>(
    call: McpContext,
    subject: Subject,
    effect: Effect.Effect<A, Failed>
  ): Effect.Effect<A, Failed> {
    if (this.#audit === undefined) return effect
    return Record.writing(this.#audit, effect, (exit) => {
      const error = Budget.errorOf(exit)
      return {
        principal: call.principal,
        client: call.client.info?.name,
        server: this.#server,
        method: call.method,
        name: subject.name,
        outcome: outcomeOf(exit, error),
        code: error?.code,
        arguments: subject.arguments
      }
    })
  }

  readonly #of = memoize((features: Features) => {
    const refused: Array<Refusal> = []
    const hidden: Array<McpResourceTemplate> = []
    for (const feature of features) {
      if (isUnlisted(feature)) continue
      const [kind, name] = definitionOf(feature)
      const reason = this.#verdict(kind, name, feature.info)
      if (reason === undefined) continue
      const refusal: Refusal = { kind, name, reason }
      refused.push(refusal)
      this.#tell(refusal)
      if (feature._tag === "McpResourceTemplate") hidden.push(feature)
    }
    const reasons = new Map(refused.map(({ kind, name, reason }) => [`${kind} ${name}`, reason]))
    const offered = features.flatMap((feature) =>
      this.#one(feature, isUnlisted(feature) ? undefined : reasons.get(definitionOf(feature).join(" ")), hidden)
    )
    // Without rules, the features are those of the server, and no second list of them is kept.
    const isSame = offered.length === features.length && offered.every((one, index) => one === features[index])
    return { offered: isSame ? features : offered, refused }
  })

  #verdict(kind: Refusal["kind"], name: string, definition: unknown): Refusal["reason"] | undefined {
    if (kind === "tool" && !isOffered(this.#policy.tools, name)) return "rules"
    const approved = this.#approved
    if (approved === undefined || approved.has(kind, name, definition)) return undefined
    return approved.knows(kind, name) ? "changed" : "unapproved"
  }

  /** `hidden` are the templates that are refused: what they match is not read as something that no list has either. */
  #one(
    feature: Feature,
    reason: Refusal["reason"] | undefined,
    hidden: ReadonlyArray<McpResourceTemplate>
  ): ReadonlyArray<Feature> {
    if (reason === "rules") return []
    const scopes = this.#scopesOf(feature)
    const scoped = scopes.length === 0 ? feature : { ...feature, scopes }
    if (reason !== undefined) {
      const [kind, name] = definitionOf(feature)
      return [this.#refusing(scoped, kind, name, reason)]
    }
    if (scoped._tag !== "McpResourceTemplate" || !isUnlisted(scoped) || hidden.length === 0) return [scoped]
    return [{
      ...scoped,
      bind: (context) => {
        const read = scoped.bind(context)
        return (variables, call, uri) => {
          // A URI that no list has is no definition: it is read, and never shown.
          const refusing = hidden.find((one) => one.match(uri) !== undefined)
          if (refusing === undefined) return read(variables, call, uri)
          const { uriTemplate } = refusing.info
          const reason = this.#verdict("template", uriTemplate, refusing.info)
          return this.#refuseAs(call, { kind: "resource", name: uri }, "template", uriTemplate, reason)
        }
      }
    }]
  }

  #refusing(feature: Feature, kind: Refusal["kind"], name: string, reason: Refusal["reason"]): Feature {
    const closed = { listed: false, isRefused: true }
    const named = (of: "tool" | "prompt") => () => (args: Schema.JsonObject, call: McpContext) =>
      this.#refuseAs(call, { kind: of, name, arguments: args }, kind, name, reason)
    const at = (call: McpContext, uri: string) =>
      this.#refuseAs(call, { kind: "resource", name: uri }, kind, name, reason)
    switch (feature._tag) {
      case "McpTool":
        return { ...feature, ...closed, bind: named("tool") }
      case "McpPrompt":
        return { ...feature, ...closed, bind: named("prompt"), complete: undefined }
      case "McpResource":
        return { ...feature, ...closed, watch: undefined, bind: () => at }
      case "McpResourceTemplate":
        return {
          ...feature,
          ...closed,
          watch: undefined,
          bind: () => (_: unknown, call: McpContext, uri: string) => at(call, uri),
          complete: undefined
        }
    }
  }

  #refuseAs(
    call: McpContext,
    subject: Subject,
    kind: Refusal["kind"],
    name: string,
    reason: Refusal["reason"] | undefined
  ): Effect.Effect<never, Failed> {
    return this.refuse(call, subject, this.#refusal(kind, name, reason !== "changed"))
  }

  #refusal(kind: Refusal["kind"], name: string, isNew: boolean): Failed {
    return Origin.refusal(McpError.notApproved(this.#server, kind, name, isNew))
  }

  #scopesOf(feature: Feature): ReadonlyArray<string> {
    const { scopes = [], tools } = this.#policy
    if (feature._tag !== "McpTool" || tools?.scopes === undefined) return scopes
    const { name } = feature.info
    return [
      ...new Set([
        ...scopes,
        ...Object.entries(tools.scopes).flatMap(([pattern, some]) => isAmong([pattern], name) ? some : [])
      ])
    ]
  }

  /** The log has each refusal once. */
  #tell({ kind, name, reason }: Refusal) {
    const what = McpError.nameOf(kind, name)
    const key = `${what} ${reason}`
    if (this.#told.has(key) || this.#told.size >= mostTold) return
    this.#told.add(key)
    const server = Excerpt.line(this.#server)
    switch (reason) {
      case "rules":
        // escaped: `what` and `server` above
        return this.#fork(Effect.logDebug(`the rules for the server ${server} leave out the ${what}`))
      case "unapproved":
        return this.#fork(
          // escaped: `what` and `server` above
          Effect.logWarning(`nobody has approved the ${what} of the server ${server}, so it is refused`)
        )
      case "changed":
        return this.#fork(
          // escaped: `what` and `server` above
          Effect.logWarning(`the ${what} of the server ${server} has changed since it was approved, so it is refused`)
        )
    }
  }
}

const outcomeOf = (exit: Exit.Exit<unknown, Failed>, error: Failed | undefined): Audit.Outcome => {
  if (Exit.isSuccess(exit)) {
    return JsonObject.isObject(exit.value) && exit.value["isError"] === true ? "failed" : "ok"
  }
  if (Exit.hasInterrupts(exit)) return "interrupted"
  return error !== undefined && Origin.isRefusal(error) ? "refused" : "error"
}

/** Whether a tool is offered by its rules. @internal */
export const isOffered = ({ allow, deny = [] }: ToolRules = {}, tool: string): boolean =>
  (allow === undefined || isAmong(allow, tool)) && !isAmong(deny, tool)

const isAmong = (patterns: ReadonlyArray<string>, name: string): boolean =>
  patterns.some((pattern) => pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name)

const definitionOf = (feature: Feature): readonly [Refusal["kind"], string] => {
  switch (feature._tag) {
    case "McpTool":
      return ["tool", feature.info.name]
    case "McpPrompt":
      return ["prompt", feature.info.name]
    case "McpResource":
      return ["resource", feature.info.uri]
    case "McpResourceTemplate":
      return ["template", feature.info.uriTemplate]
  }
}

/** The template of an upstream for whatever no list has. */
const isUnlisted = (feature: Feature): boolean =>
  feature._tag === "McpResourceTemplate" && isRest(feature.info, feature.listed)

const isRest = ({ name, uriTemplate }: ResourceTemplateInfo, listed: boolean | undefined) =>
  listed === false && name === "unlisted" && uriTemplate.startsWith("{+uri}#")
