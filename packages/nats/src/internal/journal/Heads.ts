/** The newest messages of keys that this process has written: mostly they still are, and need not be read again. */
import * as Effect from "effect/Effect"
import type { NatsError } from "../connection/NatsError.ts"
import type { Head } from "./Facts.ts"
import type { Log } from "./Log.ts"

/** Keys whose newest message is remembered. */
const most = 16_384

/** @internal */
export class Heads {
  readonly #log: Log
  /** The key that was written last is the last. */
  readonly #heads = new Map<string, Head>()
  /** The generation of the stream that they are of. */
  #generation = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** The newest message of a key. One that would refuse an epoch is read again. */
  newest(key: string, epoch: number): Effect.Effect<Head, NatsError> {
    return Effect.suspend(() => {
      const known = this.#heads.get(key)
      if (known === undefined || epoch < known.facts.epoch || this.#generation !== this.#log.ensured.generation) {
        return this.#log.head(key)
      }
      return Effect.succeed(known)
    })
  }

  /** Remembers what was written. Where nothing was, or it is not known, the newest message is read the next time. */
  moved(
    key: string,
    write: Effect.Effect<Head | undefined, NatsError>
  ): Effect.Effect<Head | undefined, NatsError> {
    return Effect.suspend(() => {
      this.#heads.delete(key)
      return Effect.tap(write, (head) => Effect.sync(() => head !== undefined && this.#remember(key, head)))
    })
  }

  #remember(key: string, head: Head) {
    const { generation } = this.#log.ensured
    if (this.#generation !== generation) this.#heads.clear()
    this.#generation = generation
    this.#heads.set(key, head)
    for (const oldest of this.#heads.keys()) {
      if (this.#heads.size <= most) break
      this.#heads.delete(oldest)
    }
  }
}
