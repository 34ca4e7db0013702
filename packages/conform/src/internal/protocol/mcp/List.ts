/** The lists of a server, read to their end as they are: what is wrong with them is kept, and hides nothing. */
import { Paging } from "@parley/mcp/shared"
import type { RevisionCodec } from "@parley/mcp/wire/RevisionCodec"
import type { Decoder } from "@parley/mcp/wire/WireIssue"
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Conversation } from "./Conversation.ts"
import type { Outcome, Reply } from "./Wire.ts"

/** A list that servers may have. */
export interface List {
  readonly method: string
  /** The capability of servers that have it. */
  readonly capability: "tools" | "resources" | "prompts"
  /** The member of a page with its entries. */
  readonly member: string
  readonly decoder: (codec: RevisionCodec) => Decoder<object>
}

export const tools: List = {
  method: "tools/list",
  capability: "tools",
  member: "tools",
  decoder: ({ decode }) => decode.toolPage
}

export const resources: List = {
  method: "resources/list",
  capability: "resources",
  member: "resources",
  decoder: ({ decode }) => decode.resourcePage
}

export const templates: List = {
  method: "resources/templates/list",
  capability: "resources",
  member: "resourceTemplates",
  decoder: ({ decode }) => decode.resourceTemplatePage
}

export const prompts: List = {
  method: "prompts/list",
  capability: "prompts",
  member: "prompts",
  decoder: ({ decode }) => decode.promptPage
}

/** What has come of a list. */
export interface Listed {
  readonly pages: ReadonlyArray<Reply>
  /** Those that are objects. */
  readonly entries: ReadonlyArray<Schema.JsonObject>
  readonly end: End
}

/** How the reading of a list has ended. */
export type End =
  | { readonly _tag: "Whole" }
  /** A page was not given. */
  | { readonly _tag: "Refused"; readonly outcome: Outcome }
  /** It does not come to an end. */
  | { readonly _tag: "Endless"; readonly rule: string }
  /** It has more pages than are read. */
  | { readonly _tag: "Long" }

/** How many pages are read. A list that goes on has said enough of itself. */
const mostPages = 250

/** How many pages without entries may follow each other. */
const mostEmpty = 50

interface Page {
  readonly entries: ReadonlyArray<Schema.Json>
  readonly nextCursor?: string
}

class Refusal {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    this.outcome = outcome
  }
}

/** Reads all pages. */
export const read = (
  { request }: Pick<Conversation, "request">,
  { member, method }: List
): Effect.Effect<Listed> =>
  Effect.suspend(() => {
    const pages: Array<Reply> = []
    const entries: Array<Schema.JsonObject> = []
    let empty = 0
    const page = (cursor: string | undefined): Effect.Effect<Page, Refusal> =>
      Effect.flatMap(request(method, cursor === undefined ? {} : { cursor }), (reply) => {
        pages.push(reply)
        const { outcome } = reply
        if (outcome._tag !== "Result") return Effect.fail(new Refusal(outcome))
        const some = JsonObject.member(outcome.result, member)
        const next = JsonObject.member(outcome.result, "nextCursor")
        const found = JsonObject.isArray(some) ? some : []
        entries.push(...found.filter(JsonObject.isObject))
        empty = found.length === 0 ? empty + 1 : 0
        return Effect.succeed({ entries: found, ...(typeof next === "string" && { nextCursor: next }) })
      })
    const paged = Paging.stream({ method, isStrict: true, page, entries: ({ entries }) => Effect.succeed([entries]) })
    const isLong = () => pages.length >= mostPages || empty >= mostEmpty
    return Stream.runDrain(Stream.takeUntil(paged, isLong)).pipe(
      Effect.map((): End =>
        empty >= mostEmpty
          ? { _tag: "Endless", rule: `${mostEmpty} pages without entries follow each other` }
          : pages.length >= mostPages
          ? { _tag: "Long" }
          : { _tag: "Whole" }
      ),
      Effect.catch((error) =>
        Effect.succeed<End>(
          error instanceof Refusal
            ? { _tag: "Refused", outcome: error.outcome }
            : { _tag: "Endless", rule: error.rule }
        )
      ),
      Effect.map((end) => ({ pages, entries, end }))
    )
  })
