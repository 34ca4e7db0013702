/**
 * The suite `stateful`: a thing that is created can be read as it was created, and one that is deleted cannot, for
 * operations whose names and schemas say that they belong together.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Suite from "../../../Suite.ts"
import type { Run } from "../../protocol/Protocol.ts"
import { chainsOf } from "./Chain.ts"
import type { Step } from "./Step.ts"
import * as Walk from "./Walk.ts"

/** The walks of the suite: the chains are gone once for all rules. */
interface Subject {
  readonly walks: Effect.Effect<ReadonlyArray<Walk.Walk>, Suite.NotApplicable | Suite.Unverified>
}

/** Chains that are gone, at most. */
const mostChains = 20

const section = "https://parley-effect.github.io/parley/explanation/conformance"

/** A rule about chains that came far enough. */
const rule = (
  info: Pick<Suite.RuleInfo, "id" | "title" | "level">,
  look: (walk: Walk.Walk) => "unknown" | Suite.Finding | undefined
): Suite.Rule<Subject> => ({
  ...info,
  section,
  check: ({ walks }) =>
    Effect.gen(function*() {
      const all = yield* walks
      const seen = all.map(look)
      if (seen.every((one) => one === "unknown")) {
        const reasons = all.flatMap(({ stopped }) => stopped === undefined ? [] : [Excerpt.line(stopped)])
        return yield* reasons.length > 0
          ? new Suite.Unverified({ reason: reasons.join("; ") })
          : new Suite.NotApplicable({ reason: "no operation was found that does this to what others create" })
      }
      return seen.filter((one) => one !== undefined && one !== "unknown")
    })
})

const said = ({ input, operation }: Step): string =>
  `${Excerpt.name(operation.name)} with ${Excerpt.line(JSON.stringify(input))}`

const came = ({ called, result }: Step): string =>
  called._tag === "Accepted"
    ? `the result ${Excerpt.line(JSON.stringify(result ?? null))}`
    : `a refusal: ${Excerpt.line(called.message)}`

const rules: ReadonlyArray<Suite.Rule<Subject>> = [
  rule({ id: "stateful/created", title: "What was created can be read", level: "must" }, ({ created, read }) => {
    if (created === undefined || read === undefined) return "unknown"
    if (Walk.isShown(read, created)) return undefined
    // The reading of a thing may have nothing of what was sent.
    if (!Walk.isNothing(read)) return "unknown"
    return {
      expected: `${said(read)} gives what ${said(created)} has created`,
      received: came(read),
      exchange: [...created.exchange, ...read.exchange]
    }
  }),
  rule({ id: "stateful/same", title: "What was created is read as it was created", level: "should" }, (walk) => {
    const { created, read } = walk
    if (created === undefined || read === undefined || !Walk.isShown(read, created)) return "unknown"
    const changed = Walk.changed(read, created)
    return changed.length === 0 ? undefined : {
      expected: `${said(read)} gives ${changed.map(Excerpt.name).join()} as ${said(created)} has created it`,
      received: came(read),
      exchange: [...created.exchange, ...read.exchange]
    }
  }),
  rule({ id: "stateful/apart", title: "What was created stays when another is created", level: "should" }, (walk) => {
    const { beside, created, other, read } = walk
    if (created === undefined || read === undefined || other === undefined || beside === undefined) return "unknown"
    if (!Walk.hasMark(read, created)) return "unknown"
    return Walk.hasMark(beside, created) ? undefined : {
      expected: `${said(beside)} gives what ${said(created)} has created, also after ${said(other)}`,
      received: came(beside),
      exchange: [...created.exchange, ...read.exchange, ...other.exchange, ...beside.exchange]
    }
  }),
  rule({ id: "stateful/deletes", title: "What was created can be deleted", level: "must" }, ({ created, deleted }) => {
    if (created === undefined || deleted === undefined) return "unknown"
    if (deleted.called._tag === "Accepted") return undefined
    return {
      expected: `${said(deleted)} deletes what ${said(created)} has created`,
      received: came(deleted),
      exchange: [...created.exchange, ...deleted.exchange]
    }
  }),
  rule(
    { id: "stateful/deleted", title: "What was deleted cannot be read", level: "must" },
    ({ again, created, deleted, read }) => {
      if (created === undefined || read === undefined || deleted === undefined || again === undefined) return "unknown"
      // A reading that shows nothing of a thing that is there says nothing of one that is gone.
      if (!Walk.isShown(read, created)) return "unknown"
      // A thing may say that it is deleted.
      if (!Walk.isSame(read, again)) return undefined
      return {
        expected: `${said(again)} gives nothing after ${said(deleted)}`,
        received: came(again),
        exchange: [...created.exchange, ...read.exchange, ...deleted.exchange, ...again.exchange]
      }
    }
  )
]

export const stateful: Suite.Suite<Run> = Suite.make({
  name: "stateful",
  title: "State: what is created can be read, and what is deleted cannot",
  prepare: (run: Run) =>
    Effect.gen(function*() {
      if (!run.write) return yield* new Suite.NotApplicable({ reason: "nothing is created without --write" })
      const chains = chainsOf(yield* run.spoken.operations).slice(0, mostChains)
      if (chains.length === 0) {
        const reason = "no operations were found that create, read and delete one thing"
        return yield* new Suite.NotApplicable({ reason })
      }
      return { walks: yield* Effect.cached(Effect.forEach(chains, (chain) => Walk.make(run, chain))) }
    }),
  rules
})
