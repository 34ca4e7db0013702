/** Journals that break one promise each. */
import type * as Laws from "@parley/conformance/Laws"
import type { Bounds, Item, Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Effect, Stream } from "effect"

type Flaw = (journal: Journal) => Partial<Journal>

const reading = (seen: (items: ReadonlyArray<Item>) => ReadonlyArray<Item>): Flaw => (journal) => ({
  read: (key, after, most) => Effect.map(journal.read(key, after, most), seen)
})

const isEntry = (item: Item) => item._tag === "Entry"

/** A flaw, or bounds that are not those that were asked for. */
export const flaws: ReadonlyArray<readonly [how: string, flaw: Flaw | Bounds, ...titles: ReadonlyArray<string>]> = [
  [
    "counts from 0",
    (journal) => ({ append: (...to) => Effect.map(journal.append(...to), (position) => position - 1) }),
    "texts have positions without a gap, each key by itself"
  ],
  [
    "takes the first text for the last",
    (journal) => ({
      last: (key) => Effect.map(journal.read(key, 0), (items) => items.find((item) => item._tag === "Entry"))
    }),
    "the newest text of a key is known"
  ],
  [
    "tells no gaps",
    reading((items) => items.filter(isEntry)),
    "a gap is told where a position was never there, or is no more"
  ],
  [
    "reads all at once",
    (journal) => ({ read: (key, after) => journal.read(key, after) }),
    "no more items are read than a reader wants, and all where it does not say"
  ],
  ["keeps any count", { count: 1_000 }, "no more texts are kept than `count`, and the oldest go"],
  [
    "keeps whatever was appended",
    (journal) => ({ append: (key, text, epoch) => journal.append(key, text, epoch) }),
    "no more texts are kept than who appends one wants"
  ],
  ["keeps any weight", { weight: 1e9 }, "no greater weight is kept than `weight`, but for the newest text"],
  ["keeps texts for ever", { age: 1e12 }, "nothing is kept longer than `age`"],
  [
    "counts texts that are too old",
    (journal) => ({
      // It looks for no more positions than a reader wants items.
      read: (key, after, most = Number.POSITIVE_INFINITY) =>
        Effect.map(
          journal.read(key, after),
          (items) =>
            items.filter((item) => (item._tag === "Entry" ? item.position : item.after + 1) <= after + most).slice(
              0,
              most
            )
        )
    }),
    "texts that are too old are none of the items that a reader wants"
  ],
  [
    "shortens large texts",
    reading((items) =>
      items.map((item) => item._tag === "Entry" ? { ...item, text: item.text.slice(0, 1_000_000) } : item)
    ),
    "texts and keys of any content are kept as they are"
  ],
  ["drops nothing", () => ({ drop: () => Effect.void }), "it agrees with a list, whatever is appended and dropped"],
  [
    "knows no epochs",
    (journal) => ({ append: (key, text) => journal.append(key, text, 0), fence: () => Effect.void }),
    "epochs are refused that are older than one that was seen",
    "of many who write at once, no older epoch is behind a newer one, and each text has its place"
  ],
  [
    "forgets the epoch of what it drops",
    (journal) => {
      let lives = 0
      const lifeOf = new Map<string, string>()
      const at = (key: string) => lifeOf.get(key) ?? key
      return {
        append: (key, ...to) => journal.append(at(key), ...to),
        last: (key) => journal.last(at(key)),
        drop: (key, epoch) =>
          Effect.tap(journal.drop(at(key), epoch), () => Effect.sync(() => lifeOf.set(key, `${key} ${++lives}`)))
      }
    },
    "an epoch that has dropped a key still refuses older ones, and brings no text back"
  ],
  [
    "ends who follows at the end",
    (journal) => ({ follow: (key, after) => Stream.fromIterableEffect(journal.read(key, after)) }),
    "who follows sees each text, until the key is dropped"
  ],
  [
    "hides gaps from who follows",
    (journal) => ({ follow: (key, after) => Stream.filter(journal.follow(key, after), isEntry) }),
    "who follows slowly holds up nobody, and is told its gap"
  ],
  [
    "never ends who follows",
    (journal) => ({ follow: (key, after) => Stream.concat(journal.follow(key, after), Stream.never) }),
    "who is busy while the key is dropped ends all the same"
  ]
]

const subject = (how: string, wait: Laws.Timing["wait"]) => ({
  name: `one that ${how}`,
  lease: 3_000,
  patience: 20_000,
  wait
})

export const flawed = (how: string, flaw: Flaw | Bounds, wait: Laws.Timing["wait"]): Laws.Journals => ({
  ...subject(how, wait),
  open: (bounds) =>
    Effect.map(
      MemoryNodes.makeJournal(typeof flaw === "function" ? bounds : flaw),
      (journal) => Effect.succeed(typeof flaw === "function" ? { ...journal, ...flaw(journal) } : journal)
    )
})

/** A journal that does not answer while it is away. */
export const hanging = (wait: Laws.Timing["wait"]): Laws.Journals => ({
  ...subject("hangs", wait),
  open: (bounds) => Effect.map(MemoryNodes.makeJournal(bounds), (journal) => Effect.succeed(journal)),
  outages: [{
    name: "away",
    open: Effect.map(MemoryNodes.makeJournal(), (journal) => {
      let isAway = false
      const set = (now: boolean) =>
        Effect.sync(() => {
          isAway = now
        })
      return {
        connect: Effect.succeed({
          ...journal,
          read: (key: string, after: number) => Effect.suspend(() => isAway ? Effect.never : journal.read(key, after))
        }),
        begin: set(true),
        end: set(false)
      }
    })
  }]
})
