/**
 * This checkout beside another one, both with turns in the same run: `pnpm bench --against ../other --only '^mem/'`.
 *
 * A subject has a twin, which is what `turn.ts` of the other checkout makes of the same name; and so has this
 * checkout itself, which tells how much two processes of the same code differ.
 */
import { join } from "node:path"
import { compare, measure, median, type Options, rateOver } from "./rounds.ts"
import type { Subject } from "./Subject.ts"

/** A row for each number of calls at once: the rates, new over old, and new over itself. */
export const against = async (other: string, subject: Subject, options: Options): Promise<ReadonlyArray<string>> => {
  const { name } = subject
  const turn = join(other, "packages/bench/src/turn.ts")
  const outcomes = await measure(
    [{ subject }, { subject, name: `${name} old`, turn }, { subject, name: `${name} twin` }],
    options
  )
  return options.inFlight.map((count) => {
    const [own, old, twin] = ["", " old", " twin"].map((kind) => outcomes.get(`${name}${kind}`)?.get(count))
    const [rate, before] = [own, old].map((all = []) => Math.round(median(all.map(({ rate }) => rate))))
    const ratio = compare(own, old, rateOver).toFixed(3)
    return `${name}, ${count} in flight: ${before}/s → ${rate}/s, × ${ratio} (twin × ${
      compare(own, twin, rateOver).toFixed(3)
    })`
  })
}
