/** A law that cannot fail is a defect: here it meets what breaks it. */
import { assert } from "@effect/vitest"
import type { Law } from "@parley/conformance/Laws"
import { Effect } from "effect"

/** The names of the laws of a subject, without its own name. */
export const titles = (laws: ReadonlyArray<Law>): ReadonlyArray<string> =>
  laws.map(({ name }) => name.slice(name.indexOf(": ") + 2))

/** Fails unless the law of this title finds something wrong with its subject. */
export const breaks = (laws: ReadonlyArray<Law>, title: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    const law = laws.find(({ name }) => name.endsWith(`: ${title}`))
    assert.isDefined(law, title)
    const broken = yield* Effect.flip(law!.check).pipe(Effect.orDie)
    assert.strictEqual(broken._tag, "LawBroken")
    assert.strictEqual(broken.law, law!.name)
  })

/** A broken subject is found out at the first value, and nobody waits for the smallest. */
export const quick = { runs: 50, maxShrinks: 0 }

/** How long a law waits for what a broken subject does not do. */
export const patience = "200 millis"
