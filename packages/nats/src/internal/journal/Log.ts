/** The messages of keys: one stream for all, with a subject for each. */
import * as Effect from "effect/Effect"
import type { NatsError } from "../connection/NatsError.ts"
import { Ensured } from "../jetstream/Ensured.ts"
import type { JetStream } from "../jetstream/JetStream.ts"
import type { Stored } from "../jetstream/Stored.ts"
import { tokenOf } from "../jetstream/Subject.ts"
import * as Facts from "./Facts.ts"

/** @internal */
export interface LogOptions {
  readonly prefix: string
  readonly storage: "file" | "memory"
  readonly replicas: number
  /** The most bytes of all messages. */
  readonly bytes: number
  /** Milliseconds. */
  readonly age: number
  readonly count: number
  readonly weight: number
}

/** A text that was appended. @internal */
export interface Text {
  readonly position: number
  readonly text: string
  /** When it was stored, in milliseconds by the clock of the server. */
  readonly at: number
}

/** The texts and gaps behind a position. @internal */
export interface Behind {
  readonly texts: ReadonlyArray<Text>
  /** The newest message. */
  readonly head: Facts.Head
}

/** The texts that a reader wants. @internal */
export interface Asked {
  /** The position behind which. */
  readonly after: number
  /** Since when texts are not too old, in milliseconds by the clock of the server. */
  readonly since: number
  readonly most?: number | undefined
  readonly place?: number | undefined
}

/** A message of a key. */
interface Message extends Facts.Head {
  readonly stored: Stored
}

/** How many messages behind a mark are looked up by themselves: twice as many as texts from one mark to the next. */
const steps = 128

/** How many marks are looked up before all of a key is read. */
const hops = 32

/** @internal */
export class Log {
  readonly #stream: JetStream
  readonly #name: string
  readonly #prefix: string
  readonly #bounds: Facts.Bounds
  readonly ensured: Ensured

  constructor(stream: JetStream, { age, bytes, count, prefix, replicas, storage, weight }: LogOptions) {
    this.#stream = stream
    this.#name = `${prefix}_journal`
    this.#prefix = prefix
    this.#bounds = { count, weight }
    this.ensured = new Ensured(stream, {
      name: this.#name,
      subjects: [`${prefix}.journal.*`],
      storage,
      num_replicas: replicas,
      max_msgs_per_subject: -1,
      // A key is known for longer than its texts: its positions go on, and older epochs are refused.
      max_age: 2 * age * 1_000_000,
      max_bytes: bytes,
      discard: "old"
    })
  }

  subjectOf(key: string): string {
    return `${this.#prefix}.journal.${tokenOf(key)}`
  }

  /** The newest message of a key. */
  head(key: string): Effect.Effect<Facts.Head, NatsError> {
    return Effect.map(this.#last(key), (message) => message ?? unwritten)
  }

  /** Writes behind a head; `undefined` where that is not the newest message any more. */
  append(
    key: string,
    head: Facts.Head,
    text: string,
    { epoch, keep, weight }: { readonly epoch: number; readonly keep: number; readonly weight: number }
  ): Effect.Effect<Facts.Head | undefined, NatsError> {
    return Effect.gen({ self: this }, function*() {
      const pieces = cut(text, this.#stream.client.server().maxPayload)
      const facts = Facts.appended(head, this.#bounds, { epoch, keep, weight, parts: pieces.length })
      let { seq } = head
      for (const [index, piece] of pieces.entries()) {
        const isLast = index === pieces.length - 1
        const own = isLast ? facts : Facts.between(head, this.#bounds, "part", epoch)
        const next = yield* this.#put(key, piece, seq, own)
        if (next === undefined) return undefined
        seq = next
      }
      return { seq, facts }
    })
  }

  fence(key: string, head: Facts.Head, epoch: number): Effect.Effect<Facts.Head | undefined, NatsError> {
    const facts = Facts.between(head, this.#bounds, "fence", epoch)
    return Effect.map(this.#put(key, "", head.seq, facts), (seq) => seq === undefined ? undefined : { seq, facts })
  }

  drop(key: string, head: Facts.Head, epoch: number): Effect.Effect<Facts.Head | undefined, NatsError> {
    const facts = Facts.dropped(head, epoch)
    return Effect.flatMap(this.#put(key, "", head.seq, facts), (seq) =>
      seq === undefined
        ? Effect.undefined
        : Effect.as(Effect.ignore(this.#purge(key, seq)), { seq, facts }))
  }

  /** Purges dropped messages when there are many. */
  trimmed(key: string, head: Facts.Head): Effect.Effect<Facts.Head, NatsError> {
    const { facts, seq } = head
    if (!Facts.isExcess(facts, this.#bounds)) return Effect.succeed(head)
    return Effect.gen({ self: this }, function*() {
      let { mark } = facts
      while (mark.position > facts.kept.position && !Facts.isFloor(mark, facts, this.#bounds)) {
        mark = (yield* this.#from(key, mark.seq))?.facts.mark ?? facts.kept
      }
      if (mark.position <= facts.kept.position) return head
      yield* this.#purge(key, mark.seq)
      return { seq, facts: { ...facts, kept: mark } }
    })
  }

  /** The newest text. */
  newest(key: string): Effect.Effect<Text | undefined, NatsError> {
    return Effect.gen({ self: this }, function*() {
      const last = yield* this.#last(key)
      if (last === undefined) return undefined
      const isText = last.facts.kind === "text"
      const seq = isText ? last.seq : last.facts.newest
      if (seq === 0) return undefined
      if (isText && last.facts.parts === 1) return textOf([last.stored], last.facts)
      const message = isText ? last : yield* this.#from(key, seq)
      if (message === undefined || message.seq !== seq) return undefined
      if (message.facts.parts === 1) return textOf([message.stored], message.facts)
      const messages = yield* this.#all(key, message.facts.behind + 1)
      return textsOf(messages).find(({ position }) => position === message.facts.last)
    })
  }

  /**
   * The texts behind a position that are kept, stored since a time: all, or as many as `most` where there are more. `place` is
   * the head behind which they are, where that is known.
   */
  behind(key: string, { after, most = Infinity, place, since }: Asked): Effect.Effect<Behind, NatsError> {
    return Effect.gen({ self: this }, function*() {
      const last = yield* this.#last(key)
      if (last === undefined || after >= last.facts.last) return { texts: [], head: last ?? unwritten }
      const { facts, stored } = last
      if (facts.kind === "text" && facts.parts === 1 && after === facts.last - 1) {
        return { texts: [textOf([stored], facts)].filter(({ at }) => at >= since), head: last }
      }
      const from = place === undefined ? yield* this.#start(key, facts, after) : place + 1
      const first = most === 1 ? yield* this.#next(key, last, from, after, since) : undefined
      if (first !== undefined) return { texts: [first], head: last }
      let found = 0
      const isEnough = (stored: Stored) => {
        const message = most === Infinity ? undefined : messageOf(stored)
        return message !== undefined && this.#isWanted(message, last, after, since) && ++found >= most
      }
      const messages = yield* this.#all(key, from, isEnough)
      const head = found >= most ? last : messages.at(-1) ?? last
      const texts = textsOf(messages.filter((message) => Facts.isKept(message.facts, head.facts, this.#bounds)))
        .filter(({ at, position }) => position > after && at >= since)
      // A part of one that was counted is missing.
      return found >= most && texts.length < most
        ? yield* this.behind(key, { after, since, place })
        : { texts, head }
    })
  }

  /** The first text behind a position, where it is found in few steps. */
  #next(
    key: string,
    head: Facts.Head,
    from: number,
    after: number,
    since: number
  ): Effect.Effect<Text | undefined, NatsError> {
    return Effect.gen({ self: this }, function*() {
      let seq = from
      for (let step = 0; step < steps; step++) {
        const message = yield* this.#from(key, seq)
        if (message === undefined || (message.facts.parts > 1 && message.facts.last > after)) return undefined
        if (this.#isWanted(message, head, after, since)) return textOf([message.stored], message.facts)
        seq = message.seq + 1
      }
      return undefined
    })
  }

  /** Whether a message is a text behind a position that is kept, and stored since a time. */
  #isWanted({ facts, stored }: Message, head: Facts.Head, after: number, since: number): boolean {
    return facts.kind === "text" && facts.last > after && stored.micros / 1_000 >= since &&
      Facts.isKept(facts, head.facts, this.#bounds)
  }

  /** The position to continue reading from, for the texts behind a position. */
  #start(key: string, facts: Facts.Facts, after: number): Effect.Effect<number, NatsError> {
    return Effect.gen({ self: this }, function*() {
      let { mark } = facts
      for (let hop = 0; mark.position > after + 1; hop++) {
        const message = hop === hops ? undefined : yield* this.#from(key, mark.seq)
        // The messages before it are gone, or far away.
        if (message === undefined) return facts.kept.seq
        mark = message.facts.mark
      }
      return mark.seq
    })
  }

  #last(key: string): Effect.Effect<Message | undefined, NatsError> {
    return Effect.flatMap(this.#done(this.#stream.get(this.#name, { last_by_subj: this.subjectOf(key) })), (stored) => {
      const message = messageOf(stored)
      return stored === undefined || message !== undefined ? Effect.succeed(message) : this.#foreign(key, stored)
    })
  }

  /** Another writer has published the last message. It counts as a fence without content, so that the next one follows it. */
  #foreign(key: string, stored: Stored): Effect.Effect<Message, NatsError> {
    return Effect.map(this.#all(key, 1), (all) => {
      const before = all.at(-1) ?? { ...unwritten, stored }
      if (before.seq > stored.seq) return before
      const facts = Facts.between(before, this.#bounds, "fence", before.facts.epoch)
      return { seq: stored.seq, facts, stored }
    })
  }

  /** The first message of a key from a sequence on. */
  #from(key: string, seq: number): Effect.Effect<Message | undefined, NatsError> {
    const query = { seq: Math.max(1, seq), next_by_subj: this.subjectOf(key) }
    return Effect.map(this.#done(this.#stream.get(this.#name, query)), messageOf)
  }

  #all(
    key: string,
    from: number,
    isEnough?: (stored: Stored) => boolean
  ): Effect.Effect<ReadonlyArray<Message>, NatsError> {
    return Effect.map(
      this.#done(this.#stream.all(this.#name, this.subjectOf(key), from, isEnough)),
      (all) => all.flatMap((stored) => messageOf(stored) ?? [])
    )
  }

  #put(key: string, text: string, after: number, facts: Facts.Facts): Effect.Effect<number | undefined, NatsError> {
    return this.#done(this.#stream.put(this.subjectOf(key), text, after, { [Facts.header]: Facts.encode(facts) }))
  }

  #purge(key: string, before: number): Effect.Effect<void, NatsError> {
    return this.#done(this.#stream.purge(this.#name, this.subjectOf(key), before))
  }

  #done<A>(effect: Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> {
    return this.ensured.done(effect)
  }
}

const unwritten: Facts.Head = { seq: 0, facts: Facts.nothing }

const messageOf = (stored: Stored | undefined): Message | undefined => {
  const facts = stored === undefined ? undefined : Facts.decode(stored.headers)
  return stored === undefined || facts === undefined ? undefined : { seq: stored.seq, facts, stored }
}

const textOf = (parts: ReadonlyArray<Stored>, { last }: Facts.Facts): Text => ({
  position: last,
  text: parts.map(({ text }) => text).join(""),
  at: (parts.at(-1)?.micros ?? 0) / 1_000
})

/** The texts that are whole. */
const textsOf = (messages: ReadonlyArray<Message>): ReadonlyArray<Text> => {
  const texts: Array<Text> = []
  let parts: Array<Stored> = []
  for (const { facts, stored } of messages) {
    if (facts.kind === "text" || facts.kind === "part") parts.push(stored)
    else parts = []
    if (facts.kind !== "text") continue
    // Parts of a text that was never finished may be before those of this one.
    if (parts.length >= facts.parts) texts.push(textOf(parts.slice(-facts.parts), facts))
    parts = []
  }
  return texts
}

/** Bytes of a message that are not text: its facts, and what it follows. */
const margin = 1_024

/** The pieces of a text that fit into messages: a character takes three bytes at most, and a pair of them four. */
const cut = (text: string, maxPayload: number): ReadonlyArray<string> => {
  const most = Math.max(2, Math.floor((maxPayload - margin) / 3))
  if (text.length <= most) return [text]
  const pieces: Array<string> = []
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + most)
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
