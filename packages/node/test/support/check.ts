import { it } from "@effect/vitest"
import type { Law } from "@parley/conformance/Law"
import * as TransportLaws from "@parley/conformance/TransportLaws"
import * as Tap from "@parley/transport/Tap"
import { Effect } from "effect"

/** A test for each law, on the real clock: what is behind it is real as well. */
export const check = (laws: ReadonlyArray<Law>): void => {
  for (const law of laws) it.live(law.name, () => law.check)
}

/** A test for each law of this pair with a Tap around both sides, whose observer lets others run in between. */
export const checkTapped = (pair: TransportLaws.Pair): void =>
  check(TransportLaws.pairs(TransportLaws.wrapped(pair, "tapped", Tap.make(() => Effect.yieldNow)), { runs: 10 }))
