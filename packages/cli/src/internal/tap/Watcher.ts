/**
 * Watches transports and fetchers.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as Tap from "@parley/traffic/Tap"
import type * as Effect from "effect/Effect"
import { Sessions } from "./Sessions.ts"
import type { Seen } from "./Story.ts"
import type { Watch } from "./Watch.ts"
import * as WatchedFetcher from "./WatchedFetcher.ts"

/** Gives all that passes to this, one after the other. */
export const make = (see: (seen: Seen) => Effect.Effect<void>, dialect?: Dialect): Watch => {
  const sessions = new Sessions()
  const limit = Limits.defaults.frame
  return {
    wrapping: Tap.makeWithClose(see),
    fetcher: (fetcher, url) => WatchedFetcher.make(fetcher, { url, see, dialect, limit, sessions })
  }
}
