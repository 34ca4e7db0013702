/** Legacy sessions that nobody comes back to, and clients that go at any moment: a server in a process of its own. */
import { describe, it } from "@effect/vitest"
import { abandoned } from "./soak/abandoned.ts"
import { dropping } from "./soak/dropping.ts"

describe("soak", () => {
  it.live("2,000 sessions that are left hold little, and are gone after the idle time", () => abandoned(2_000))

  it.live(
    "every call of callers that go at any moment ends, for a minute, and nothing is left of them",
    () => dropping(64, 60),
    180_000
  )
})
