import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Cause, Duration, Effect, Exit } from "effect"
import { breaks, patience, quick, titles } from "./support/breaks.ts"
import * as Broken from "./support/BrokenTransport.ts"

const stalling = "a reader that stalls makes the sender wait, within bounds"
const unread = "a reader that stalls ends with a typed error, within bounds"
const losing = "losing the other side is typed, for who waits and for who comes later"

/** The step of a way to hang, where it does not hide behind others. */
const hanging: Readonly<Record<string, RegExp>> = {
  "gives no text": /^nothing was sent, received or closed for 200ms: .*`receive`.* did not end$/,
  "takes no text": /^nothing was sent, received or closed for 200ms: .*`send` of \d+ texts.* did not end$/,
  "does not close": /^nothing was sent, received or closed for 200ms: .*`close`.* did not end$/,
  "gives no end": /^nothing was sent, received or closed for 200ms: .*`receive`.* did not end$/
}

/** Flaw and the law that finds it. */
const flaws: ReadonlyArray<readonly [flaw: Broken.Flaw, title: string]> = [
  ["reverses what comes together", "texts arrive in order, each once"],
  ["says texts twice", "texts arrive in order, each once"],
  ["shortens large texts", "texts of any size arrive whole"],
  ["rewrites odd characters", "texts of any content arrive as they are"],
  ["takes a thousand texts at most", "ten thousand texts in one send arrive in order"],
  ["sends texts one by one", "what fibers send at once stays together, and in the order of each"],
  ["drops texts in a flood", "two floods at once do not block each other"],
  ["serves every reader", "a second reader at the same time is a defect"],
  ["reads on for a reader that has gone", "a reader that is interrupted takes nothing with it"],
  ["takes a text before it hands it over", "a reader that is interrupted at any moment takes nothing with it"],
  ["writes a text when the next one comes", "closing ends the input of the other side, after what was sent"],
  ["dies when it is closed again", "closing ends this side, and may be repeated"],
  ["dies of what is sent after the end", "closing both sides amid traffic ends every send and receive, typed"]
]

const unreadPair = { ...Broken.boundless, backPressure: "none" } as const
const lost = Broken.losing(Broken.lost)
const ended = Broken.losing(Transport.transportError({ _tag: "EndOfInput" }))

describe("the laws of transports", () => {
  for (const [flaw, title] of flaws) {
    it.live(`find one that ${flaw}: ${title}`, () => breaks(Laws.ofTransport(Broken.flawed(flaw), quick), title))
  }

  for (const [way, pair] of Broken.hangs) {
    it.live(`find one that ${way}, and none waits for ever`, () =>
      Effect.gen(function*() {
        const exits = yield* Effect.forEach(
          Laws.ofTransport(pair, { ...quick, patience }),
          ({ check }) => Effect.exit(check),
          { concurrency: "unbounded" }
        )
        const broken = exits.flatMap((exit) =>
          Exit.isFailure(exit) ? exit.cause.reasons.filter(Cause.isFailReason).map(({ error }) => error.reason) : []
        )
        assert.isAbove(broken.length, 0)
        const steps = Object.hasOwn(hanging, way) ? hanging[way] : undefined
        // The sentence says which step it waits for.
        if (steps !== undefined) assert.isTrue(broken.some((reason) => steps.test(reason)), broken.join("\n"))
      }))
  }

  it.live("wait as long as anything happens, and as long as it opens", () =>
    Effect.gen(function*() {
      const slow = Effect.map(
        Effect.delay(MemoryTransport.makePair(), "500 millis"),
        ([left, right]) => [left, { ...right, receive: Effect.delay(right.receive, "50 millis") }] as const
      )
      const [law] = Laws.ofTransport({ name: "slow", open: slow }, { runs: 20, patience })
      const [time] = yield* Effect.timed(law!.check)
      // Several times its patience.
      assert.isAbove(Duration.toMillis(time), 1_000)
    }))

  it.live(`find one that takes whatever comes: ${stalling}`, () => breaks(Laws.ofTransport(Broken.boundless), stalling))

  it.live(`find one that keeps whatever comes, where nothing makes the sender wait: ${unread}`, () =>
    breaks(Laws.ofTransport(unreadPair), unread))

  it.live(`find one whose memory grows by more than it took: ${stalling}`, () => {
    let asked = 0
    const memory = Effect.sync(() => 100 * 1024 * 1024 * asked++)
    return breaks(Laws.ofTransport({ name: "pair", open: MemoryTransport.makePair() }, { memory }), stalling)
  })

  it.live(`find one for which a loss is an end in order: ${losing}`, () => breaks(Laws.ofTransport(ended), losing))

  it("can all fail", () => {
    const all = [...titles(Laws.ofTransport(lost)), ...titles(Laws.ofTransport(unreadPair))]
    assert.sameMembers([...new Set(flaws.map(([, title]) => title)), stalling, unread, losing], [...new Set(all)])
  })

  for (const law of Laws.ofTransport(Broken.withoutBackPressure)) it.live(`hold: ${law.name}`, () => law.check)

  for (const law of Laws.ofTransport(lost).slice(-1)) it.live(`hold: ${law.name}`, () => law.check)
})

describe("cycles", () => {
  const memory = Effect.succeed(0)

  /** A pair that counts how many of it are open, and what it leaves behind where `leaves` says so. */
  const counted = (leaves: (nth: number) => boolean) => {
    let [made, open, most] = [0, 0, 0]
    const pair = {
      name: "counted",
      open: Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => {
            most = Math.max(most, ++open)
            return ++made
          }),
          (nth) => Effect.sync(() => void (open -= leaves(nth) ? 0 : 1))
        ),
        MemoryTransport.makePair()
      )
    }
    return { pair, held: Effect.sync(() => ({ pairs: open, made: 0 })), made: () => made, most: () => most }
  }

  it.live("open and close as often as they say, and find nothing where nothing is", () =>
    Effect.gen(function*() {
      const { held, made, pair } = counted(() => false)
      yield* Laws.ofCycles(pair, { count: 100, held, memory, allowed: 0 }).check
      assert.isAtLeast(made(), 100)
    }))

  it.live("have as many open at once as they say, and no more cycles for it", () =>
    Effect.gen(function*() {
      const { held, made, most, pair } = counted(() => false)
      yield* Laws.ofCycles(pair, { count: 100, concurrency: 3, held, memory, allowed: 0 }).check
      assert.strictEqual(most(), 3)
      const alone = counted(() => false)
      yield* Laws.ofCycles(alone.pair, { count: 100, held: alone.held, memory, allowed: 0 }).check
      assert.strictEqual(alone.most(), 1)
      assert.strictEqual(made(), alone.made())
    }))

  it.live("find a single handle that is left", () =>
    Effect.gen(function*() {
      const { held, pair } = counted((nth) => nth === 99)
      const broken = yield* Effect.flip(Laws.ofCycles(pair, { count: 100, held, memory, allowed: 0 }).check)
      assert.include(broken.reason, "pairs: 0, then 1")
    }))

  it.live("find memory that is left", () =>
    Effect.gen(function*() {
      const { held, made, pair } = counted(() => false)
      const grown = Effect.sync(() => made() * 10)
      const cycle = (allowed: number) => Laws.ofCycles(pair, { count: 100, held, memory: grown, allowed }).check
      assert.include((yield* Effect.flip(cycle(999))).reason, "grew by 1000 bytes in 100 cycles")
      yield* cycle(1_000)
    }))
})
