/**
 * The recipients of an audience as a stream: first those who are there already, then those who come and go.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ErrorResponse } from "../../ErrorResponse.ts"
import { Audience } from "./Audience.ts"
import type { Change } from "./Change.ts"
import type { Entry } from "./RecipientQueue.ts"
import { StreamRecipient } from "./StreamRecipient.ts"

/** A change in the queue of one who watches. */
interface Noted<Face> extends Entry {
  readonly change: Change<Face>
}

class Watcher<Face> extends StreamRecipient<Noted<Face>, undefined> {
  readonly face = undefined
}

/**
 * Those who watch must not miss a change, because they could not know who is there: so one that is too slow ends.
 *
 * @internal
 */
export const changes = <E extends Entry, Face>(
  audience: Audience<E, Face>,
  name: string | undefined
): Stream.Stream<Change<Face>, ErrorResponse> =>
  Stream.unwrap(Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const { rules } = audience
        const bounds = { messages: Infinity, bytes: rules.changes }
        const notes = new Audience<Noted<Face>, undefined>({ ...rules, ...bounds, slow: "disconnect" })
        const watcher = new Watcher(notes)
        notes.enter(watcher)
        const there = audience.facesOf(name).map(joined)
        const stop = audience.watch(name, {
          hear: (recipient, reason) => {
            const change = reason === undefined ? joined(recipient) : { _tag: "Left" as const, recipient, reason }
            // All may go in one turn, and nobody goes who has not come: so only those who come count.
            watcher.offer({ change, weight: reason === undefined ? 1 : 0 })
          },
          end: () => notes.close()
        })
        if (audience.isClosed) notes.close()
        return {
          stop,
          stream: Stream.concat(Stream.fromArray(there), Stream.map(watcher.stream, ({ change }) => change))
        }
      }),
      ({ stop }) => Effect.sync(stop)
    ),
    ({ stream }) => stream
  ))

const joined = <Face>(recipient: Face) => ({ _tag: "Joined" as const, recipient })
