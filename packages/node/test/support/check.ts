import { it } from "@effect/vitest"
import type { Law } from "@parley/conformance/Law"

/** A test for each law, on the real clock: what is behind it is real as well. */
export const check = (laws: ReadonlyArray<Law>): void => {
  for (const law of laws) it.live(law.name, () => law.check)
}
