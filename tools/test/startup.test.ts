/** What an import costs, without a clock: the modules that it loads before anything runs. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Loading, loadingOf, wayTo } from "../architecture/loading.ts"
import { eagerImportsOf, valueImportsOf } from "../architecture/Sources.ts"

const root = join(import.meta.dirname, "../..")

/** A program with a Schema has loaded these. */
const schema = loadingOf(root, "effect/Schema")

/** The modules of others that are no part of `effect/Schema`, each with the way to it. */
const foreign = (loading: Loading): ReadonlyMap<string, string> =>
  new Map(
    [...loading.keys()]
      .filter((module) => !module.startsWith("@parley/") && !schema.has(module))
      .map((module) => [module, wayTo(loading, module)])
  )

const peer = ["effect/Fiber", "effect/FiberSet", "effect/LogLevel"]
const listener = [...peer, "effect/MutableList", "effect/Queue", "effect/Random"]
const stream = [
  "effect/Channel",
  "effect/Latch",
  "effect/MutableRef",
  "effect/PubSub",
  "effect/RcMap",
  "effect/RcRef",
  "effect/Semaphore",
  "effect/Sink",
  "effect/Stream",
  "effect/Take",
  "effect/internal/rcRef",
  "effect/internal/stream"
]

interface Bound {
  readonly module: string
  /** The most modules of ours. Each takes a third of a millisecond, so raise it for a reason. */
  readonly own: number
  /** All that may be loaded besides. */
  readonly beside: ReadonlyArray<string>
}

const bounds: ReadonlyArray<Bound> = [
  { module: "@parley/protocol", own: 49, beside: [] },
  { module: "@parley/node/NodeTcp", own: 117, beside: [...listener, "node:net"] },
  { module: "@parley/node/NodeUnix", own: 117, beside: [...listener, "node:fs", "node:net"] },
  { module: "@parley/contract", own: 128, beside: [...listener, ...stream] },
  { module: "@parley/peer", own: 110, beside: [...listener, ...stream] },
  { module: "@parley/middleware", own: 58, beside: ["effect/LogLevel", "effect/Semaphore"] },
  {
    module: "@parley/mcp/McpServer",
    own: 189,
    beside: [...listener, ...stream]
  }
]

describe("an import loads little", () => {
  for (const { beside, module, own } of bounds) {
    const loading = loadingOf(root, module)

    it(`${module} loads what it may of Effect, Node.js and other packages`, () => {
      const ways = [...foreign(loading)].filter(([module]) => !beside.includes(module)).map(([, way]) => way)
      assert.deepStrictEqual(ways, [])
    })

    it(`${module} loads at most ${own} modules of ours`, () => {
      assert.isAtMost([...loading.keys()].filter((module) => module.startsWith("@parley/")).length, own)
    })
  }
})

// Node.js remembers a module that could not be evaluated: at a process that had no descriptor for a moment, every later use
// of it fails, too.
describe("what is loaded at its first use", () => {
  const files = globSync("packages/*/src/**/*.ts", { cwd: root }).filter((path) =>
    !/^packages\/(?:bench|cli|examples|site)\//.test(path)
  )

  it("is a part of Node.js, or what a server without a router of Effect, or one that seals nothing, does without", () => {
    const late = files.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8")
      const eager = new Set(eagerImportsOf(text))
      return valueImportsOf(text).filter((module) => !eager.has(module))
    })
    assert.sameMembers(late, [
      "node:tls",
      "node:https",
      "@effect/platform-node/NodeHttpServer",
      "jose/jwe/compact/decrypt",
      "jose/jwe/compact/encrypt"
    ])
  })
})

describe("what is imported eagerly", () => {
  it("is all but types and dynamic imports", () => {
    const text = `import * as a from "a"
import type * as b from "b"
export * as c from "c"
export type { D } from "d"
import "e"
const f = () => import("f")
import {
  type G
} from "g"
`
    assert.deepStrictEqual(eagerImportsOf(text), ["a", "c", "e", "g"])
  })

  it("is found through other modules, with the way to it", () => {
    const loading = loadingOf(root, "@parley/contract")
    assert.match(wayTo(loading, "effect/Stream"), /^@parley\/contract → .* → effect\/Stream$/)
    assert.strictEqual(wayTo(loading, "@parley/contract"), "@parley/contract")
  })
})
