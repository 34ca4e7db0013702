import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { check } from "../architecture/check.ts"
import { codeLinesOf } from "../architecture/lines.ts"
import type { Rules } from "../architecture/rules.ts"
import { rules } from "../architecture/rules.ts"
import type { Manifest } from "../architecture/Sources.ts"
import { importsOf, readSources, valueImportsOf } from "../architecture/Sources.ts"
import { effectTags } from "../architecture/stability.ts"
import { workspace } from "./support/workspace.ts"

const root = join(import.meta.dirname, "../..")
const tags = effectTags(root)

describe("the workspace", () => {
  const breaches = check(rules, readSources(root), tags)
  it("keeps the rules of its architecture", () => {
    assert.deepStrictEqual(breaches, [])
  })

  it("keeps each promise where its map says, and has at most 45 words", () => {
    const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")
    const rows = (heading: string) =>
      page.split(`## ${heading}\n`)[1]!.split("\n## ")[0]!.split("\n").filter((line) => line.startsWith("| "))
    const named = rows("Where each promise is kept").flatMap((row) => [...row.matchAll(/`([a-z-]+)\/([^`]+)`/g)])
    assert.isAbove(named.length, 24)
    for (const [name, folder, path = ""] of named) {
      const [before = "", inner, after = ""] = path.split(/[{}]/)
      for (const one of inner === undefined ? [path] : inner.split(",").map((part) => `${before}${part}${after}`)) {
        assert.isNotEmpty(globSync(`packages/${folder}/src/${one}{,.ts}`, { cwd: root }), name)
      }
    }
    assert.isAtMost(rows("Words").length - 2, 45)
  })

  it("type-checks every package and its tests", () => {
    const { references } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"))
    const listed = references.map((reference: { readonly path: string }) => reference.path)
    const packages = globSync("packages/*", { cwd: root })
    assert.sameMembers(listed, ["tools", ...packages, ...packages.map((path) => `${path}/tsconfig.test.json`)])
  })
})

/** The rules, without what is left of the workspace itself. */
const strict: Rules = { ...rules, crowded: {}, sizes: [], metadata: () => ({}) }

const breachesOf = (...args: Parameters<typeof workspace>) => check(strict, workspace(...args), tags)

const refused: ReadonlyArray<readonly [title: string, args: Parameters<typeof workspace>, breach: RegExp]> = [
  [
    "a package that imports to its right",
    [{ "protocol/src/Message": ["@parley/peer/Peer"] }],
    /imports @parley\/peer, which is not to the left of protocol/
  ],
  [
    "a package that imports its sibling",
    [{ "conformance/src/Route": ["@parley/contract/Contract"] }],
    /not to the left of conformance/
  ],
  ["a package without a place", [{}, { extra: {} }], /packages\/extra has no place/],
  [
    "an import of another package's internals",
    [{ "peer/src/Peer": ["@parley/protocol/internal/json"] }],
    /internal to its package/
  ],
  [
    "a test's import of another package's internals",
    [{ "peer/test/Peer.test": ["@parley/protocol/internal/json"] }],
    /internal to its package/
  ],
  ["node in a library", [{ "transport/src/Stdio": ["node:net"] }], /imports node:net; only node, cli/],

  ["protocol: Limits → Message", [{ "protocol/src/Limits": ["./Message.ts"] }], /imports Message, which is not/],
  ["protocol: Message → Batch", [{ "protocol/src/Message": ["./Batch.ts"] }], /imports Batch/],
  ["protocol: Limits → Framing", [{ "protocol/src/Limits": ["./Framing.ts"] }], /imports Framing/],
  ["protocol: Framing → Message", [{ "protocol/src/Framing": ["./Message.ts"] }], /imports Message/],
  ["protocol: Dialect → Framing", [{ "protocol/src/Dialect": ["./Framing.ts"] }], /imports Framing/],
  [
    "protocol: the same, through an internal module and by the package's name",
    [{
      "protocol/src/Limits": ["./internal/a.ts"],
      "protocol/src/internal/a": ["./b.ts"],
      "protocol/src/internal/b": ["@parley/protocol/Message"]
    }],
    /Limits\.ts imports Message/
  ],
  ["protocol: a module without a place", [{ "protocol/src/Extra": [] }], /Extra\.ts has no place/],
  ["transport: siblings", [{ "transport/src/Stdio": ["./Memory.ts"] }], /Stdio\.ts imports Memory/],
  ["transport: Transport → Listener", [{ "transport/src/Transport": ["./Listener.ts"] }], /imports Listener/],
  ["peer: Caller → Router", [{ "peer/src/Caller": ["./Router.ts"] }], /imports Router/],
  ["peer: Correlator → Router", [{ "peer/src/Correlator": ["./Router.ts"] }], /imports Router/],
  ["peer: Peer → Server", [{ "peer/src/Peer": ["./Server.ts"] }], /imports Server/],
  ["peer: Server → Reconnecting", [{ "peer/src/Server": ["./Reconnecting.ts"] }], /imports Reconnecting/],
  [
    "a middleware that knows another",
    [{ "middleware/src/Deadline": ["./Concurrency.ts"] }],
    /Deadline\.ts imports Concurrency/
  ],
  ["peer: Peer → a middleware", [{ "peer/src/Peer": ["@parley/middleware/Deadline"] }], /not to the left of peer/],
  ["a module that imports its own index", [{ "conformance/src/Route": ["./index.ts"] }], /imports its own index/],

  [
    "a circle",
    [{ "conformance/src/A": ["./B.ts"], "conformance/src/B": ["./C.ts"], "conformance/src/C": ["./A.ts"] }],
    /conformance\/A is in a circle: A, B, C/
  ],
  [
    "a circle among internal modules",
    [{ "protocol/src/internal/a": ["./b.ts"], "protocol/src/internal/b": ["./a.ts"] }],
    /circle: internal\/a, internal\/b/
  ],

  ["a file named utils", [{ "conformance/src/utils": [] }], /attracts everything/],
  ["a file named helper", [{ "conformance/src/internal/helper": [] }], /attracts everything/],
  ["a folder named common", [{ "conformance/src/common/x": [] }], /attracts everything/],
  ["a test named helpers", [{ "conformance/test/helpers.test": [] }], /attracts everything/],

  ["an unstable module of Effect", [{ "peer/src/Peer": ["effect/Stdio"] }], /imports effect\/Stdio, which Effect does/],
  ["an experimental module of Effect", [{ "protocol/src/Message": ["effect/Glob"] }], /effect\/Glob/],
  ["a module that Effect does not have", [{ "protocol/src/Message": ["effect/Nothing"] }], /effect\/Nothing/],
  ["the barrel of Effect", [{ "protocol/src/Message": ["effect"] }], /imports effect, which/],

  [
    "an import that package.json does not name",
    [{ "conformance/src/Route": ["effect/Effect"] }, { conformance: {} }],
    /imports effect, which packages\/conformance\/package\.json does not name/
  ],
  [
    "an import that package.json names for development only",
    [{ "conformance/src/Route": ["effect/Effect"] }, { conformance: { devDependencies: { effect: "*" } } }],
    /imports effect, which packages\/conformance\/package\.json does not name/
  ],
  [
    "a test's import that nobody names",
    [{ "conformance/test/Route.test": ["left-pad"] }, { conformance: {} }],
    /imports left-pad, which/
  ],
  [
    "a dependency that is not imported",
    [{ "conformance/src/Route": [] }, { conformance: { dependencies: { "@parley/peer": "*" } } }],
    /names @parley\/peer, which its sources do not import/
  ],
  [
    "a peer dependency that is not imported",
    [{ "conformance/src/Route": [] }, { conformance: { peerDependencies: { effect: "*" } } }],
    /names effect, which its sources do not import/
  ],
  [
    "a dependency of which only the tests know",
    [{ "conformance/test/Route.test": ["effect"] }, { conformance: { dependencies: { effect: "*" } } }],
    /names effect, which its sources do not import/
  ]
]

describe("a circle", () => {
  const breaches = (statement: string) =>
    check(strict, {
      ...workspace({}),
      files: new Map([
        ["packages/conformance/src/Route.ts", `import * as run from "./internal/run.ts"`],
        ["packages/conformance/src/internal/run.ts", statement]
      ])
    }, tags).join("\n")

  it("of types is refused", () => {
    assert.match(
      breaches(`import type { Route } from "../Route.ts"`),
      /^conformance\/Route is in a circle of types: Route, internal\/run$/
    )
  })

  it("of values is refused", () => {
    assert.match(
      breaches(`import { Route } from "../Route.ts"`),
      /^conformance\/Route is in a circle: Route, internal\/run$/
    )
  })
})

describe("the rules refuse", () => {
  for (const [title, args, breach] of refused) {
    it(title, () => {
      assert.match(breachesOf(...args).join("\n"), breach)
    })
  }

  it("a file above 400 lines", () => {
    const sources = workspace({ "conformance/src/Short": [], "conformance/src/Long": [] })
    const files = new Map([
      ["packages/conformance/src/Short.ts", "//\n".repeat(400)],
      ["packages/conformance/src/Long.ts", "//\n".repeat(401)]
    ])
    assert.deepStrictEqual(check(strict, { ...sources, files }, tags), [
      "packages/conformance/src/Long.ts has 401 lines, more than 400: it holds two concepts"
    ])
  })

  it("a folder with more than twelve files beside its index, unless it may be crowded", () => {
    const names = ["index", ...Array.from({ length: 12 }, (_, index) => `File${index}`)]
    for (const kind of ["src", "test", "mutants"]) {
      const folder = (files: ReadonlyArray<string>) =>
        workspace(Object.fromEntries(files.map((file) => [`conformance/${kind}/${file}`, []])))
      const full = [...names, "One"]
      assert.deepStrictEqual(check(strict, folder(names), tags), [])
      assert.deepStrictEqual(check(strict, folder(full), tags), [
        `packages/conformance/${kind} has 13 files, more than 12: give it rooms`
      ])
      const crowded = { [`conformance/${kind}`]: 13 }
      assert.deepStrictEqual(check({ ...strict, crowded }, folder(full), tags), [])
    }
  })

  it("folders that hold more code together than their bound", () => {
    const breaches = (lines: number, isHeld = true) => {
      const folders = ["packages/conformance/src/a", "packages/conformance/src/b"]
      const files = new Map(folders.map((path) => [`${path}/File.ts`, "export const x = 1\n".repeat(3)]))
      return check({ ...strict, sizes: [{ folders, lines, isHeld }] }, { ...workspace({}), files }, tags)
    }
    assert.deepStrictEqual(breaches(6), [])
    assert.deepStrictEqual(breaches(5), [
      "packages/conformance/src/a and packages/conformance/src/b have 6 lines of code, more than 5"
    ])
    assert.deepStrictEqual(breaches(5, false), [])
  })

  it("a published package.json without the members that all have", () => {
    const lacking = (manifest: Partial<Manifest>) =>
      check({ ...strict, metadata: rules.metadata }, workspace({}, { conformance: manifest }), tags)
    const conformance: Manifest = readSources(root).manifests.get("conformance")!
    const { license: _, ...unlicensed } = { license: "", ...conformance, dependencies: {}, peerDependencies: {} }
    assert.deepStrictEqual(lacking({ ...unlicensed, files: ["src", "dist", "README.md"] }), [
      `packages/conformance/package.json lacks license: "MIT"`,
      `packages/conformance/package.json lacks files: ["CHANGELOG.md","LICENSE"]`
    ])
    assert.deepStrictEqual(lacking({ private: true }), [])
  })

  it("more paths to import than there may be", () => {
    const exports = {
      ".": "./src/index.ts",
      "./*": "./src/*.ts",
      "./shared": "./src/shared/index.ts",
      "./shared/*": null,
      "./internal/*": null,
      "./index": null,
      "./package.json": "./package.json"
    }
    const at = (path: string) => [`packages/conformance/src/${path}.ts`, ""] as const
    const files = new Map(["index", "Law", "shared/index", "shared/Cuts", "internal/a"].map(at))
    const sources = workspace({}, { conformance: { name: "@parley/conformance", exports } })
    const breaches = (paths: number, apart: ReadonlyArray<string> = []) =>
      check({ ...strict, modules: {}, surface: { paths, apart } }, { ...sources, files }, tags)
    assert.deepStrictEqual(breaches(2), [])
    assert.deepStrictEqual(breaches(1), [
      "2 paths can be imported, more than 1: @parley/conformance/Law, @parley/conformance/shared"
    ])
    assert.deepStrictEqual(breaches(1, ["conformance"]), [])
  })

  it("a bound of the size of a folder that is gone", () => {
    const sizes = [{ folders: ["packages/conformance/src/a"], lines: 1, isHeld: true }]
    assert.deepStrictEqual(check({ ...strict, sizes }, workspace({}), tags), [
      "packages/conformance/src/a has a bound of its size, and no files"
    ])
  })

  it("an unstable export of a stable module of Effect", () => {
    const use = (text: string) =>
      check(strict, { ...workspace({}), files: new Map([["packages/peer/src/Peer.ts", text]]) }, tags)
    assert.lengthOf(use("import * as Schema from \"effect/Schema\"\nexport const x = Schema.String"), 0)
    assert.lengthOf(use("import * as Schema from \"effect/Schema\"\nexport const x = Schema.ByteSize"), 1)
    assert.lengthOf(use("import { ByteSize } from \"effect/Schema\"\nexport const x = ByteSize"), 1)
  })
})

const accepted: ReadonlyArray<readonly [title: string, args: Parameters<typeof workspace>]> = [
  ["imports to the left", [{
    "protocol/src/index": ["./Limits.ts", "./Batch.ts"],
    "protocol/src/Limits": ["effect/Result"],
    "protocol/src/Message": ["./Limits.ts", "./internal/json.ts"],
    "protocol/src/Batch": ["./Message.ts", "./Limits.ts"],
    "protocol/src/internal/json": [],
    "transport/src/Stdio": ["./Transport.ts", "./Listener.ts", "effect/Stdio"],
    "peer/src/Peer": ["./Router.ts", "./ErrorResponse.ts", "@parley/protocol/Message", "effect/Effect"],
    "middleware/src/Deadline": ["@parley/peer/Caller", "@parley/peer/ErrorResponse", "./internal/observe.ts"],
    "middleware/src/internal/observe": ["@parley/peer/Handler"],
    "cli/src/bin": ["@parley/mcp/Server", "node:process"],
    "peer/test/Peer.test": ["vitest", "@parley/conformance/Laws", "node:fs"]
  }]],
  ["what package.json names", [
    {
      "conformance/src/Route": ["effect/Effect", "@parley/peer/Caller"],
      "conformance/test/Route.test": ["vitest", "x"]
    },
    {
      conformance: {
        dependencies: { "@parley/peer": "*" },
        peerDependencies: { effect: "*" },
        devDependencies: { x: "*" }
      }
    }
  ]]
]

describe("the rules accept", () => {
  for (const [title, args] of accepted) {
    it(title, () => {
      assert.deepStrictEqual(breachesOf(...args), [])
    })
  }
})

it("every form of import is seen", () => {
  const text = `
    /** import * as A from "comment" */
// import * as A from "comment"
import * as A from "a"
import type { B } from "b"
import {
  C,
  type D
} from "c"
import "d"
export * as E from "e"
export { F } from "f"
export interface Between { readonly from: string }
const lazy = () => import("g")
type H = import("h").H
`
  assert.deepStrictEqual(importsOf(text), ["a", "b", "c", "d", "e", "f", "g", "h"])
  assert.deepStrictEqual(valueImportsOf(text), ["a", "c", "d", "e", "f", "g", "h"])
})

it("lines of code are those that are neither blank nor comments, imports or re-exports", () => {
  const text = `
/** A module. */
import * as A from "a"
import {
  B,
  type C
} from "b"
import "c"

/**
 * A comment.
 */
export const d = () => {
  // Another.
  return "import" /* not alone */ // in any case
}
export * from "e"
export { type F, G } from "g"
`
  assert.strictEqual(codeLinesOf(text), 3)
})
