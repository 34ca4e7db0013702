/** A server of MCP as the suites need it. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { NotApplicable, type Suite, Unverified } from "../../../Suite.ts"
import type { Target } from "../../../Target.ts"
import { type Patience, startOf } from "../../probe/Patience.ts"
import type { Run, Spoken } from "../Protocol.ts"
import * as Conversation from "./Conversation.ts"
import * as Discovery from "./Discovery.ts"
import * as List from "./List.ts"
import * as operations from "./operations.ts"
import * as Wire from "./Wire.ts"

/** How a server is looked for. */
export interface Options {
  readonly target: Target
  readonly patience: Patience
  /** Whether it is known to speak MCP: then it may take a minute to start, and a server that says nothing is unverified. */
  readonly isForced: boolean
  /** The suites of servers of MCP, for what was found. */
  readonly suites: (found: Discovery.Found) => ReadonlyArray<Suite<Run>>
}

/** Finds out whether a server speaks MCP; `undefined` where it does not. */
export const find = Effect.fnUntraced(function*(
  { isForced, patience, suites, target }: Options
): Effect.fn.Return<Spoken | undefined, Unverified> {
  const start = isForced ? Duration.seconds(60) : startOf(target, patience)
  const found = yield* Discovery.find({ target, patience, start })
  // The legacy era comes first: more of what all suites look at is there.
  const accord = found.legacy ?? found.modern
  if (accord === undefined && (isForced ? found.guarded === undefined : !isChallenge(found))) {
    return isForced ? yield* new Unverified({ reason: found.reason }) : undefined
  }
  return spokenOf(target, patience, found, accord, suites(found))
})

/** Only a server with OAuth tells anonymous clients what it protects. */
const isChallenge = ({ guarded }: Discovery.Found): boolean =>
  guarded?.head?.header("www-authenticate")?.includes("resource_metadata") === true

const spokenOf = (
  target: Target,
  patience: Patience,
  found: Discovery.Found,
  accord: Conversation.Accord | undefined,
  suites: ReadonlyArray<Suite<Run>>
): Spoken => {
  const wires = new WeakMap<object, Wire.Wire>()
  const reason = found.guarded === undefined ? found.reason : "the server asks for credentials"
  const talk = accord === undefined
    ? Effect.fail(new Unverified({ reason }))
    : Effect.tap(
      Conversation.open({ target, patience, revision: accord.codec.revision }),
      (conversation) => Effect.sync(() => wires.set(conversation.line, conversation))
    )
  const { batches, unreadable } = accord?.codec.features ?? { batches: false, unreadable: "omit" }
  return {
    name: "mcp",
    title: titleOf(found),
    usage: { batches, positional: false, nullIds: false, fractions: false, unreadable },
    harmless: accord === undefined
      ? []
      : accord.codec.era === "legacy"
      ? [{ method: "ping" }]
      : [{ method: "server/discover", params: { _meta: Wire.envelopeOf(accord.codec) } }],
    open: Effect.map(talk, ({ line }) => line),
    operations: Effect.scoped(Effect.gen(function*() {
      const conversation = yield* talk
      if (!Object.hasOwn(conversation.accord.capabilities, "tools")) {
        return yield* new NotApplicable({ reason: "the server has no tools" })
      }
      const { end, entries } = yield* List.read(conversation, List.tools)
      if (end._tag === "Refused") {
        return yield* new Unverified({ reason: `tools/list gave ${Conversation.describe(end.outcome)}` })
      }
      return operations.toolsOf(entries).map((tool) => operations.operationOf(tool, (line) => wires.get(line)))
    })),
    suites
  }
}

const titleOf = ({ guarded, legacy, modern }: Discovery.Found): string => {
  const revisions = [modern, legacy].flatMap((accord) => accord === undefined ? [] : [accord.codec.revision])
  const server = modern?.server || legacy?.server
  const spoken = revisions.length === 0 && guarded !== undefined
    ? "for those with credentials"
    : revisions.join(" and ")
  return ["MCP", spoken, ...server ? [`by ${server}`] : []].join(" ")
}
