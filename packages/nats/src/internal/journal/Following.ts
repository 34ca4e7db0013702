/**
 * A reader that follows a key. It hears each message of the subject, as soon as it is sent, and then reads the stream, which
 * may not have it yet, or may refuse it: so it looks again soon, and later and later where nothing comes.
 */
import type { Item } from "@parley/mesh/Journal"
import type { Overloaded } from "@parley/mesh/Mesh"
import { JournalFollower } from "@parley/mesh/shared"
import { Backoff } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import type { NatsClient } from "../../NatsClient.ts"
import type { NatsError } from "../connection/NatsError.ts"
import { told } from "../Told.ts"
import { itemsOf } from "./Items.ts"
import type { Behind, Log } from "./Log.ts"

/** Milliseconds until it looks again without having heard anything: the first time, and at last. */
const pauses = { first: 2, last: 5_000 }

/** @internal */
export interface FollowingOptions {
  readonly client: NatsClient
  readonly log: Log
  readonly key: string
  readonly after: number
  /** Since when texts are not too old, in milliseconds. */
  readonly since: () => number
}

/** @internal */
export const follow = (
  { after, client, key, log, since }: FollowingOptions
): Stream.Stream<Item, Overloaded> =>
  Stream.suspend(() => {
    /** The life of the key and of the stream that it follows. */
    let life: string | undefined
    /** The sequence behind which the rest is. */
    let place: number | undefined
    let pause = pauses.first
    /** Open where something was heard since the stream was read last. */
    const heard = Latch.makeUnsafe()
    const onChange = () => {
      pause = pauses.first
      heard.openUnsafe()
    }

    const changed = Effect.suspend(() => {
      const soon = Backoff.sleep(pause)
      pause = Math.min(pauses.last, 2 * pause)
      return Effect.raceFirst(heard.await, soon)
    })

    /** While the connection is away, nothing can be read, and nothing is lost. */
    const behind = (after: number): Effect.Effect<Behind, NatsError> =>
      Effect.catchReason(
        Effect.suspend(() => {
          heard.closeUnsafe()
          return log.behind(key, { after, place, since: since() })
        }),
        "NatsError",
        "Disconnected",
        () => Effect.andThen(heard.await, behind(after))
      )

    const read = (after: number): Effect.Effect<ReadonlyArray<Item> | undefined, Overloaded> =>
      told(
        key,
        Effect.map(behind(after), (behind) => {
          const { facts, seq } = behind.head
          const found = `${log.ensured.life} ${facts.life}`
          life ??= found
          if (found !== life) return undefined
          const items = itemsOf(behind, after)
          // If nothing came, the newest message may be a part of a text that is still to come.
          if (items.length > 0) {
            place = facts.kind === "part" ? facts.behind : seq
            pause = pauses.first
          }
          return items
        })
      )

    const watched = Effect.andThen(
      client.watch((state) => {
        if (state !== "disconnected") onChange()
      }),
      client.subscribe(log.subjectOf(key), onChange)
    )
    return Stream.scoped(Stream.fromPull(
      Effect.as(told(key, watched), JournalFollower.make(after, read, changed))
    ))
  })
