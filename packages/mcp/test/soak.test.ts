/** Legacy sessions that nobody comes back to, and clients that go at any moment: a server in a process of its own. */
import { describe, it } from "@effect/vitest"
import { abandoned } from "./soak/abandoned.ts"
import { dropping } from "./soak/dropping.ts"

describe("soak", () => {
  it.live("sessions that are left hold little, and are gone after the idle time", () => abandoned(200))

  it.live("every call of callers that go at any moment ends, and nothing is left of them", () => dropping(16, 0.5))
})
