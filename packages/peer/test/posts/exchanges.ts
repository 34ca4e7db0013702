/** Exchanges in the hands of a test. */
import { Deferred, Effect } from "effect"
import type * as Exchange from "../../src/shared/Exchange.ts"

type Take = Parameters<Exchange.Exchange["post"]>[1]

/** What was posted, and what takes what comes back for each. */
export const makeExchange = () => {
  const posted: Array<unknown> = []
  const takes: Array<Take> = []
  const givenUp: Array<number> = []
  const ends: Array<Deferred.Deferred<Exchange.Ending, Exchange.ExchangeError>> = []
  const post: Exchange.Exchange["post"] = (text, take) =>
    Effect.suspend(() => {
      const end = Deferred.makeUnsafe<Exchange.Ending, Exchange.ExchangeError>()
      const at = posted.push(JSON.parse(text)) - 1
      takes.push(take)
      ends.push(end)
      return Effect.onInterrupt(Deferred.await(end), () => Effect.sync(() => void givenUp.push(at)))
    })
  return {
    exchange: { post },
    posted,
    givenUp,
    /** Gives a text back in the exchange with this number. */
    give: (at: number, text: string) => Effect.suspend(() => takes[at]?.(text) ?? Effect.void),
    /** Ends the exchange with this number. */
    end: (at: number, ending: Exchange.Ending = "stream") =>
      Effect.suspend(() => {
        const end = ends[at]
        return end === undefined ? Effect.void : Deferred.succeed(end, ending)
      })
  }
}
