/** Pairs in memory of which each breaks one law. */
import type { Pair } from "@parley/conformance/Laws"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { type Received, type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import { Deferred, Effect, Exit, Fiber } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"

type Side = Transport
type Texts = NonEmptyReadonlyArray<string>

const lost = transportError({ _tag: "Lost", cause: new Error("gone") })

/** Sides that hang. */
const hanging = {
  "gives no text": (side: Side): Side => ({ ...side, receive: Effect.never }),
  "takes no text": (side: Side): Side => ({ ...side, send: () => Effect.never }),
  "does not close": (side: Side): Side => ({ ...side, close: Effect.never }),
  "gives no end": (side: Side): Side => ({ ...side, receive: Effect.catch(side.receive, () => Effect.never) }),
  "takes texts after its end": (side: Side): Side => ({
    ...side,
    send: (texts) => Effect.catch(side.send(texts), () => Effect.void)
  }),
  "cannot be left": (side: Side): Side => ({ ...side, receive: Effect.uninterruptible(Effect.never) })
}

/** The change of one side. Each side is made once per connection, and may count. */
const flaws = {
  "reverses what comes together": (side: Side): Side => ({
    ...side,
    // As many as before.
    receive: Effect.map(side.receive, (texts) => texts.toReversed() as unknown as typeof texts)
  }),
  "says texts twice": (side: Side): Side => ({
    ...side,
    send: (texts) => side.send(texts.length > 1 ? [...texts, texts[1] ?? texts[0]] : texts)
  }),
  "shortens large texts": (side: Side): Side => mapTexts(side, (text) => text.slice(0, 100_000)),
  "rewrites odd characters": (side: Side): Side => mapTexts(side, (text) => text.replace("\u2028", "\\u2028")),
  "takes a thousand texts at most": (side: Side): Side => ({
    ...side,
    send: ([first, ...others]) => side.send([first, ...others.slice(0, 999), ...others.slice(-1)])
  }),
  "sends texts one by one": (side: Side): Side => ({
    ...side,
    send: (texts) =>
      Effect.forEach(texts, (text) => Effect.andThen(side.send([text]), Effect.yieldNow), { discard: true })
  }),
  "drops texts in a flood": (side: Side): Side => {
    let large = 0
    return {
      ...side,
      send: (texts) => texts[0].length > 60_000 && ++large === 40 ? Effect.void : side.send(texts)
    }
  },
  "serves every reader": (side: Side): Side => {
    const taken: Array<Fiber.Fiber<NonEmptyReadonlyArray<Received>, TransportError>> = []
    return {
      ...side,
      receive: Effect.suspend(() =>
        taken.length > 0
          ? Effect.fail(lost)
          : Effect.flatMap(Effect.forkDetach(side.receive), (fiber) => {
            taken.push(fiber)
            return Effect.ensuring(Fiber.join(fiber), Effect.sync(() => taken.pop()))
          })
      )
    }
  },
  "reads on for a reader that has gone": (side: Side): Side => {
    let reading: Fiber.Fiber<unknown, unknown> | undefined
    return {
      ...side,
      receive: Effect.suspend(() =>
        Effect.andThen(
          reading === undefined ? Effect.void : Effect.exit(Fiber.await(reading)),
          Effect.flatMap(Effect.forkDetach(side.receive, { startImmediately: true }), (fiber) => {
            reading = fiber
            return Fiber.join(fiber)
          })
        )
      )
    }
  },
  "takes a text before it hands it over": (side: Side): Side => ({
    ...side,
    receive: Effect.tap(side.receive, () => Effect.yieldNow)
  }),
  "writes a text when the next one comes": (side: Side): Side => {
    let before: Texts | undefined
    return {
      ...side,
      send: (texts) =>
        Effect.suspend(() => {
          const now = before
          before = texts
          return now === undefined ? Effect.void : side.send(now)
        })
    }
  },
  "dies when it is closed again": (side: Side): Side => {
    let closed = false
    return {
      ...side,
      close: Effect.suspend(() => {
        if (closed) return Effect.die(new Error("closed twice"))
        closed = true
        return side.close
      })
    }
  },
  "dies of what is sent after the end": (side: Side): Side => ({
    ...side,
    send: (texts) => Effect.orDie(side.send(texts))
  })
}

const mapTexts = (side: Side, change: (text: string) => string): Side => ({
  ...side,
  send: ([first, ...others]) => side.send([change(first), ...others.map(change)])
})

export type Flaw = keyof typeof flaws

/** A pair whose two sides have this flaw. */
export const flawed = (flaw: Flaw): Pair => ({
  name: flaw,
  open: Effect.map(
    MemoryTransport.makePair({ capacity: 100_000 }),
    ([left, right]) => [flaws[flaw](left), flaws[flaw](right)] as const
  )
})

/** Takes whatever comes. */
export const boundless: Pair = { name: "boundless", open: MemoryTransport.makePair({ capacity: Infinity }) }

/** A side that ends when more than 16 MiB lie unread: it reads by itself, since nothing makes the other one wait. */
const unread = (inner: Side): Effect.Effect<Side> =>
  Effect.gen(function*() {
    let [lying, bytes]: [ReadonlyArray<Received>, number] = [[], 0]
    let ended: Exit.Exit<never, TransportError> | undefined
    let reader: ((exit: Exit.Exit<NonEmptyReadonlyArray<Received>, TransportError>) => void) | undefined
    const settle = () => {
      const [first, ...others] = lying
      const resume = reader
      const exit = first === undefined ? ended : Exit.succeed([first, ...others] as const)
      if (resume === undefined || exit === undefined) return
      reader = undefined
      lying = []
      bytes = 0
      resume(exit)
    }
    const take = Effect.flatMap(inner.receive, (texts) =>
      Effect.suspend(() => {
        lying = [...lying, ...texts]
        bytes += texts.reduce((sum, text) => sum + String(text).length, 0)
        settle()
        return bytes > 16 * 1024 * 1024 ? Effect.fail(transportError({ _tag: "Unread", bytes })) : Effect.void
      }))
    yield* Effect.forkDetach(
      Effect.catch(Effect.forever(take, { disableYield: true }), (error) =>
        Effect.suspend(() => {
          ended = Exit.fail(error)
          settle()
          return inner.close
        })),
      { startImmediately: true }
    )
    return {
      ...inner,
      receive: Effect.callback((resume) => {
        if (reader !== undefined) return resume(Effect.die(new Error("one reader")))
        reader = resume
        settle()
        return Effect.sync(() => {
          reader = undefined
        })
      })
    }
  })

/** A pair whose wire makes nobody wait, and which ends when too much lies unread. */
export const withoutBackPressure: Pair = {
  name: "without back-pressure",
  backPressure: "none",
  open: Effect.flatMap(boundless.open, ([left, right]) => Effect.all([unread(left), unread(right)]))
}

/** A pair whose one side can vanish; the other ends with `error`. */
export const losing = (error: TransportError): Pair => ({
  name: `ends with ${error.reason._tag}`,
  open: MemoryTransport.makePair(),
  loss: {
    open: Effect.gen(function*() {
      const [left] = yield* MemoryTransport.makePair()
      const gone = yield* Deferred.make<never, TransportError>()
      const side = {
        ...left,
        receive: Effect.raceFirst(left.receive, Deferred.await(gone)),
        send: (texts: Texts) =>
          Effect.flatMap(
            Deferred.isDone(gone),
            (isGone): Effect.Effect<void, TransportError> => isGone ? Effect.fail(error) : left.send(texts)
          )
      }
      return [side, Effect.asVoid(Deferred.fail(gone, error))] as const
    })
  }
})

export { lost }

/** The ways to hang, each with a pair that does. */
export const hangs: ReadonlyArray<readonly [way: string, pair: Pair]> = Object.entries(hanging).map(([way, hang]) => [
  way,
  {
    name: "hanging",
    open: Effect.map(MemoryTransport.makePair(), ([left, right]) => [hang(left), hang(right)] as const)
  }
])
