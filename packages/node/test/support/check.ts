import { it } from "@effect/vitest"
import type { Law } from "@parley/conformance/Laws"
import * as Laws from "@parley/conformance/Laws"
import * as Tap from "@parley/traffic/Tap"
import { Effect } from "effect"

/** A test for each law, on the real clock: what is behind it is real as well. */
export const check = (laws: ReadonlyArray<Law>): void => {
  for (const law of laws) it.live(law.name, () => law.check)
}

/** The slow tests run at full length what the ordinary ones run short. */
export const isFull = process.env["SLOW"] === "1"

/** Laws that move tens of MiB. */
const heavy = /makes the sender wait|two floods at once/

/** A test for each law of a pair of which kin keeps them all: the heavy ones belong to the slow tests. */
export const checkKin = (laws: ReadonlyArray<Law>): void =>
  check(isFull ? laws : laws.filter(({ name }) => !heavy.test(name)))

/** A test for each law of this pair with a Tap around both sides, whose observer lets others run in between. */
export const checkTapped = (pair: Laws.Pair): void =>
  check(Laws.ofTransport(Laws.wrapped(pair, "tapped", Tap.make(() => Effect.yieldNow)), { runs: 10 }))
