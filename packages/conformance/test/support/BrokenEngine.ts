/** Engines that break one promise each. */
import type * as Laws from "@parley/conformance/Laws"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Overloaded } from "@parley/mesh/Mesh"
import type { MeshEngine, Ownership } from "@parley/mesh/MeshEngine"
import { Effect } from "effect"
import { through } from "../../src/internal/mesh/connections.ts"

/** An engine with a flaw, for all connections to it. */
type Flaw = (engine: MemoryNodes.MemoryEngine) => Partial<MeshEngine>

const forgetsWhoseItIs: Flaw = () => {
  let epoch = 0
  return { claim: (_, node) => Effect.sync(() => ({ node, epoch: ++epoch })) }
}

/** Delivers what a function makes of the texts. */
const delivering = (heard: (text: string) => ReadonlyArray<string>): Flaw => (engine) => ({
  publish: (node, to, text) =>
    Effect.as(Effect.forEach(heard(text), (text) => engine.publish(node, to, text), { discard: true }), true)
})

/** Loses the words of nodes that are of these kinds. */
const losing = (...kinds: ReadonlyArray<string>) =>
  delivering((text) => kinds.some((kind) => text.startsWith(`["${kind}"`)) ? [] : [text])

/** Loses words of these kinds, and says something in the name of all nodes now and then, so that none is silent. */
const chattering = (kind: string, ...kinds: ReadonlyArray<string>): Flaw => (engine) => {
  const nodes = new Set<string>()
  return {
    publish: (node, to, text) => {
      nodes.add(node)
      return losing(...kinds)(engine).publish!(node, to, text)
    },
    subscribe: (node, onText) =>
      Effect.andThen(
        engine.subscribe(node, onText),
        Effect.forkScoped(Effect.forever(Effect.andThen(
          Effect.sleep(500),
          Effect.sync(() => {
            for (const other of nodes) if (other !== node) onText(`["${kind}","${other}",0,0]\n`)
          })
        )))
      )
  }
}

const swapping = () => {
  let held: string | undefined
  return delivering((text) => {
    const waiting = held
    held = waiting === undefined ? text : undefined
    return waiting === undefined ? [] : [text, waiting]
  })
}

const counting = (flawed: (nth: number, text: string) => ReadonlyArray<string>) => {
  let count = 0
  return delivering((text) => flawed(++count, text))
}

export const flaws: ReadonlyArray<readonly [how: string, flaw: Flaw, ...titles: ReadonlyArray<string>]> = [
  ["knows no owner", () => ({ owner: () => Effect.undefined }), "a key has one owner, who is known to all"],
  [
    "gives one epoch to all",
    (engine) => ({ claim: (...to) => Effect.map(engine.claim(...to), (owner) => ({ ...owner, epoch: 1 })) }),
    "the epochs of a key grow, whoever claims it, and when it was free"
  ],
  [
    "gives a key to all who claim it",
    forgetsWhoseItIs,
    "of many that race to claim a key, one owns it",
    "owners exclude each other, and their epochs grow"
  ],
  [
    "takes keys for the same that differ in blanks",
    (engine) => ({
      claim: (key, node) => engine.claim(key.trim(), node),
      owner: (key) => engine.owner(key.trim())
    }),
    "a key is any text"
  ],
  [
    "frees a key for whoever asks",
    (engine) => {
      const owners = new Map<string, Ownership>()
      return {
        claim: (key, node) => Effect.tap(engine.claim(key, node), (owner) => Effect.sync(() => owners.set(key, owner))),
        release: (key, owner) => engine.release(key, owners.get(key) ?? owner)
      }
    },
    "an older claim neither keeps nor frees a key"
  ],
  [
    "lets all keep what they had",
    () => ({ keep: () => Effect.succeed(true) }),
    "a silent node loses its keys, and gets those back that nobody has claimed"
  ],
  [
    "never takes a node for dead",
    (engine) => ({ beat: (node) => engine.beat(node, 1e9) }),
    "a node that beats lives, and one that is silent does not"
  ],
  [
    "keeps what a node had that has left",
    () => ({ leave: () => Effect.void }),
    "a node that leaves frees its keys at once, and is a member of nothing"
  ],
  [
    "lets no member go",
    () => ({ part: () => Effect.void }),
    "the members of a name are those that have joined, whatever its text"
  ],
  ["swaps texts", swapping(), "texts arrive in order, each once"],
  [
    "shortens large texts",
    delivering((text) => [text.slice(0, 1_000_000)]),
    "texts of any content and size arrive as they are"
  ],
  [
    "loses a text in a hundred",
    counting((nth, text) => nth % 100 === 0 ? [] : [text]),
    "texts of many nodes arrive in the order of each"
  ],
  [
    "delivers what it refuses",
    (engine) => {
      let count = 0
      return {
        publish: (...to) =>
          Effect.tap(
            engine.publish(...to),
            () => ++count === 1_000 ? new Overloaded({ key: "engine", reason: "full" }) : Effect.void
          )
      }
    },
    "a flood of texts arrives in order, but for what was refused"
  ],
  [
    "refuses whatever comes while it is busy",
    (engine) => {
      let isBusy = false
      return {
        publish: (node, to, text) => {
          const published = Effect.andThen(Effect.yieldNow, engine.publish(node, to, text))
          return Effect.suspend(() => {
            if (isBusy) return new Overloaded({ key: "engine", reason: "full" })
            isBusy = true
            return Effect.ensuring(published, Effect.sync(() => void (isBusy = false)))
          })
        }
      }
    },
    "a full queue waits: more texts at once arrive, none refused",
    "a full queue waits: no owner that lives is said to be gone"
  ],
  [
    "loses answers",
    losing("item", "end"),
    "an answer that the engine refuses for a moment arrives all the same"
  ],
  [
    "takes texts for nobody",
    (engine) => ({ publish: (...to) => Effect.as(engine.publish(...to), true) }),
    "a text that nobody hears is known not to be sent"
  ],
  [
    "changes texts",
    delivering((text) => [text.replace("\u2028", " ")]),
    "a text reaches the owner of a key and the node of a name, and is answered as it is"
  ],
  ["knows an owner of all", () => ({ owner: () => Effect.succeed("x") }), "a text that nobody takes is an error"],
  [
    "says twice what was answered",
    delivering((text) => text.startsWith(`["more"`) ? [text.replace(/\d+\]\n/, "999999]\n")] : [text]),
    "an answer comes in order and to its end, at the pace of its reader"
  ],
  [
    "loses who leaves",
    chattering("more", "stop", "watch"),
    "an answer that nobody reads any more interrupts who gives it",
    "many answers at once come whole, and nothing runs for those who have left"
  ],
  ["loses who dies", chattering("alive", "died", "watch"), "an answer of a handler that dies ends with OwnerGone"],
  ["swaps what is sent", swapping(), "texts are taken in the order in which they were sent"],
  [
    "loses what is refused",
    losing("refused", "watch"),
    "a text beyond the inbox is refused, but for one that comes alone"
  ],
  [
    "knows one member at most",
    (engine) => ({ members: (name) => Effect.map(engine.members(name), (members) => members.slice(0, 2)) }),
    "a text for a group reaches all other nodes"
  ],
  [
    "keeps keys that are free",
    () => ({ release: () => Effect.void }),
    "a key has one owner, and is free when its claim or its node ends"
  ],
  [
    "takes a node for dead that beats",
    (engine) => ({ beat: (node) => engine.beat(node, 1) }),
    "a key stays with an owner that lives"
  ],
  [
    "never frees the keys of the dead",
    (engine) => ({ beat: (node) => engine.beat(node, 1e9) }),
    "a key of a node that has died is another's, and who waits for it is told"
  ],
  [
    "delivers words of the dead",
    chattering("more"),
    "a node that dies interrupts those who answer it"
  ],
  [
    "gives no key back",
    () => ({ keep: () => Effect.succeed(false) }),
    "a node that stood still is told what it has lost, and keeps the rest"
  ]
]

const timing: Laws.Timing = { lease: 3_000, patience: 20_000 }

export const flawed = (how: string, flaw: Flaw, wait: Laws.Timing["wait"]): Laws.Engines => ({
  name: `one that ${how}`,
  ...timing,
  wait,
  open: Effect.map(MemoryNodes.makeEngine, (engine) => Effect.succeed({ ...engine, ...flaw(engine) }))
})

/** Makes an engine that goes away by itself, and is another when it is back. */
const replaced = (
  make: Effect.Effect<MeshEngine>,
  away: (what: keyof MeshEngine) => Effect.Effect<never, Overloaded>
) =>
  Effect.gen(function*() {
    let engine = yield* make
    let isAway = false
    const front = through(() => engine, (ask, what) => Effect.suspend(() => isAway ? away(what) : ask))
    return {
      connect: Effect.succeed(front),
      aside: Effect.suspend(() => Effect.succeed(engine)),
      begin: Effect.sync(() => {
        isAway = true
      }),
      back: Effect.sync(() => {
        isAway = false
      }),
      renewed: Effect.map(make, (other) => {
        engine = other
        isAway = false
      })
    }
  })

const refusing = () => Effect.fail(new Overloaded({ key: "engine", reason: "away" }))

const hanging = replaced(MemoryNodes.makeEngine, (what) => what === "owner" ? Effect.never : refusing())
const renewed = replaced(MemoryNodes.makeEngine, refusing)
const stubborn = replaced(
  Effect.map(MemoryNodes.makeEngine, (engine) => ({ ...engine, keep: () => Effect.succeed(true) })),
  refusing
)

/** Engines that go away, and the laws of it that they break. */
export const outages = (
  wait: Laws.Timing["wait"]
): ReadonlyArray<readonly [Laws.Engines, ...Array<string>]> => {
  const base = flawed("is away", () => ({}), wait)
  const outage = (
    name: string,
    out: typeof renewed,
    back: "back" | "renewed",
    ownersFirst = false
  ): Laws.Engines => ({
    ...base,
    outages: [{
      name,
      ownersFirst,
      isEmptied: back === "renewed",
      open: Effect.map(out, (out) => ({ ...out, end: out[back] }))
    }]
  })
  return [
    [
      outage("hangs", hanging, "back"),
      "while it is away, what is asked of it fails in time, and it is found again",
      "calls fail in time, and work again with the same owner"
    ],
    [
      outage("is another when it is back", renewed, "renewed"),
      "epochs do not go back",
      "owners keep their keys",
      "a key whose owner has not come back yet is not said to be nobody's",
      "nodes hear again, no text twice and none that was refused"
    ],
    [
      outage("waits for nobody", renewed, "back", true),
      "owners keep their keys whose leases have run out meanwhile"
    ],
    [
      { ...base, cut: Effect.map(stubborn, (out) => ({ ...out, end: out.back })) },
      "a node loses its keys, is told, and hears again"
    ]
  ]
}
