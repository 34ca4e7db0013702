/** The rules that hold in every order of events: a model of three nodes, of which some die and some stand still. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import type * as Mesh from "@parley/mesh/Mesh"
import { Effect, Exit, Fiber, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Dice } from "./support/Dice.ts"
import { settled, three } from "./support/nodes.ts"

type Step =
  | { readonly _tag: "Claim" | "Release" | "Write"; readonly node: number; readonly key: number }
  | { readonly _tag: "Pause" | "Resume"; readonly node: number }
  | { readonly _tag: "Wait"; readonly seconds: number }

/** How often each happens: so that nodes stand still for long enough, and write when they wake up. */
const tags: ReadonlyArray<Step["_tag"]> = [
  ...(["Claim", "Claim", "Claim", "Write", "Write", "Write"] as const),
  ...(["Pause", "Resume", "Wait", "Wait", "Release"] as const)
]

/** The steps of a seed. */
const stepsOf = (seed: number): ReadonlyArray<Step> => {
  const dice = new Dice(seed)
  return Array.from({ length: 80 }, (): Step => {
    const _tag = tags[dice.below(tags.length)] ?? "Wait"
    return _tag === "Wait" ? { _tag, seconds: 1 + dice.below(5) } : { _tag, node: dice.below(3), key: dice.below(2) }
  })
}

interface Owned {
  readonly lease: Mesh.Lease
  readonly scope: Scope.Closeable
  readonly lost: Fiber.Fiber<void>
}

describe("claims of nodes that stand still and wake up", () => {
  it.effect.prop(
    "are exclusive among those that are awake, their epochs grow, and no older owner writes behind a newer",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))],
    ([seed]) =>
      Effect.gen(function*() {
        const { engine, nodes } = yield* three()
        const journal = yield* MemoryNodes.makeJournal()
        const owned = new Map<string, Owned>()
        const newest = new Map<string, number>()
        const resumes = new Map<number, () => void>()
        const at = (node: number, key: number) => `${node} key/${key}`
        const isOwner = (node: number, key: number) => owned.get(at(node, key))?.lost.pollUnsafe() === undefined
        for (const step of stepsOf(seed)) {
          switch (step._tag) {
            case "Claim": {
              const mesh = nodes[step.node]
              const key = `key/${step.key}`
              if (mesh === undefined || resumes.has(step.node)) break
              const awake = [0, 1, 2].filter((node) =>
                !resumes.has(node) && owned.has(at(node, step.key)) && isOwner(node, step.key)
              )
              const scope = yield* Scope.make()
              const exit = yield* Effect.exit(Scope.provide(mesh.claim(key), scope))
              if (Exit.isFailure(exit)) break
              assert.deepStrictEqual(awake, [])
              assert.isAbove(exit.value.epoch, newest.get(key) ?? 0)
              newest.set(key, exit.value.epoch)
              yield* journal.fence(key, exit.value.epoch)
              const lost = yield* Effect.forkChild(exit.value.lost, { startImmediately: true })
              owned.set(at(step.node, step.key), { lease: exit.value, scope, lost })
              break
            }
            case "Release": {
              const one = owned.get(at(step.node, step.key))
              if (one === undefined || resumes.has(step.node)) break
              owned.delete(at(step.node, step.key))
              yield* Scope.close(one.scope, Exit.void)
              break
            }
            case "Write": {
              const one = owned.get(at(step.node, step.key))
              if (one === undefined) break
              const { epoch, key } = one.lease
              const exit = yield* Effect.exit(journal.append(key, `${epoch}`, epoch))
              // One that stands still writes, too: it does not know.
              assert.strictEqual(Exit.isSuccess(exit), epoch === newest.get(key))
              break
            }
            case "Pause": {
              const mesh = nodes[step.node]
              if (mesh !== undefined && !resumes.has(step.node)) resumes.set(step.node, engine.pause(mesh.node))
              break
            }
            case "Resume": {
              resumes.get(step.node)?.()
              resumes.delete(step.node)
              yield* TestClock.adjust("1 second")
              break
            }
            case "Wait":
              yield* TestClock.adjust(`${step.seconds} seconds`)
          }
        }
        for (const key of newest.keys()) {
          const epochs = (yield* journal.read(key, 0)).map((item) => item._tag === "Entry" ? Number(item.text) : -1)
          assert.deepStrictEqual(epochs, epochs.toSorted((one, other) => one - other))
        }
        for (const resume of resumes.values()) resume()
      }),
    { arbitrary: { runs: 150 } }
  )
})

const Call = Schema.Struct({
  texts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))).check(Schema.isMaxLength(30)),
  /** The text at which its reader leaves. */
  leaves: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
  isSlow: Schema.Boolean
})

describe("answers to many calls at once", () => {
  it.effect.prop(
    "come whole and in order to those who stay, and nothing runs for those who have left",
    [Schema.Array(Call).check(Schema.isMaxLength(12))],
    ([calls]) =>
      Effect.gen(function*() {
        const { nodes: [a, b] } = yield* three({ window: 64 })
        const running = new Set<string>()
        yield* b.serve("name", ({ text }, answer) => {
          const { id, texts }: { id: string; texts: ReadonlyArray<number> } = JSON.parse(text)
          running.add(id)
          return Effect.forEach(texts, (length, n) => answer(`${n}`.padEnd(length)), { discard: true }).pipe(
            Effect.as("end"),
            Effect.ensuring(Effect.sync(() => running.delete(id)))
          )
        })
        const read = (call: typeof Call.Type, index: number) => {
          const answer = a.call({ name: "name", node: b.node }, JSON.stringify({ id: `${index}`, texts: call.texts }))
          return Stream.take(answer, call.leaves + 1).pipe(
            Stream.tap(() => call.isSlow ? settled : Effect.void),
            Stream.runCollect
          )
        }
        const seen = yield* Effect.forEach(calls, read, { concurrency: "unbounded" })
        const expected = calls.map(({ leaves, texts }) =>
          [...texts.map((length, n) => `${n}`.padEnd(length)), "end"].slice(0, leaves + 1)
        )
        assert.deepStrictEqual(seen, expected)
        yield* settled
        assert.strictEqual(running.size, 0)
      }),
    { arbitrary: { runs: 100 } }
  )

  it.effect("start in the order in which they were sent", () =>
    Effect.gen(function*() {
      const { nodes: [a, b] } = yield* three()
      const seen: Array<number> = []
      yield* b.serve("name", ({ text }) => Effect.sync(() => void seen.push(Number(text))))
      const numbers = Array.from({ length: 100 }, (_, n) => n)
      yield* Effect.forEach(numbers, (n) => a.send({ name: "name", node: b.node }, `${n}`), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(seen, numbers)
    }))
})
