import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { refusals } from "../../release/Gate.ts"
import type { Situation } from "../../release/Gate.ts"
import { faults, relativeLinks, unpublishable } from "../../release/Tarball.ts"

const name = "@parley/wrong"
const manifest = {
  name,
  version: "0.1.0",
  type: "module",
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./Untyped": "./dist/Untyped.js" },
  dependencies: { "@parley/peer": "workspace:^" }
}

/** A tarball with faults of every kind. */
const wrong = (folder: string) => {
  const files = {
    "package.json": JSON.stringify(manifest),
    "README.md": "[the guide](../../docs/guide.md)",
    "dist/index.js": "module.exports = 1",
    "dist/index.d.ts": "export {}",
    "dist/Untyped.js": "export const x = 1"
  }
  mkdirSync(join(folder, "package/dist"), { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, "package", path), text)
  const tarball = join(folder, "wrong.tgz")
  execFileSync("tar", ["czf", tarball, "-C", folder, "package"])
  return { name, version: "0.1.0", tarball, files: 5, size: 0, integrity: "", specifiers: [name, `${name}/Untyped`] }
}

describe("a release", () => {
  it("finds each fault of a tarball", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-wrong-"))
    try {
      const found = (await faults(wrong(folder))).join("\n")
      for (
        const fault of [
          /^@parley\/wrong: CHANGELOG\.md is missing$/m,
          /^@parley\/wrong: LICENSE is missing$/m,
          /^@parley\/wrong: dependencies has @parley\/peer at workspace:\^$/m,
          /^@parley\/wrong: README\.md links to \.\.\/\.\.\/docs\/guide\.md/m,
          /^@parley\/wrong: publint: /m,
          /^@parley\/wrong: attw: UntypedResolution .*"entrypoint":"\.\/Untyped"/m
        ]
      ) assert.match(found, fault)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("takes ranges of versions only", () => {
    const from = (members: object) => [...unpublishable(JSON.stringify({ version: "0.1.0", ...members }))]
    assert.deepStrictEqual(from({ dependencies: { "@parley/peer": "^0.1.0" }, devDependencies: { x: "catalog:" } }), [])
    assert.deepStrictEqual(from({ peerDependencies: { effect: "catalog:" } }), [
      "peerDependencies has effect at catalog:"
    ])
    assert.deepStrictEqual(from({ dependencies: { jose: "6.2.17" } }), [
      "dependencies has jose at 6.2.17 alone, where users need its next fix"
    ])
    assert.deepStrictEqual(from({ version: "0.0.0" }), ["the version is 0.0.0"])
  })

  it("takes links that npm can show", () => {
    assert.deepStrictEqual([...relativeLinks("[a](https://example.org/x) [b](#part)")], [])
    assert.lengthOf([...relativeLinks("[a](../mesh/README.md \"title\") ![b](image.svg)")], 2)
    assert.deepStrictEqual([...relativeLinks("[a][b]\n\n[b]: https://example.org/x\n[c]: #part")], [])
    assert.deepStrictEqual([...relativeLinks("[a][b]\n\n[b]: docs/x.md\n<img alt=\"c\" src=\"c.svg\">")], [
      "links to docs/x.md, which npm cannot show",
      "links to c.svg, which npm cannot show"
    ])
  })

  const right: Situation = {
    environment: { CI: "true", ACTIONS_ID_TOKEN_REQUEST_URL: "https://example.org", GITHUB_REF_NAME: "v0.1.0" },
    uncommitted: "",
    version: "0.1.0",
    changesets: [],
    taken: () => []
  }

  it("publishes from a clean checkout in CI", () => {
    assert.deepStrictEqual(refusals(right), [])
  })

  it.each<readonly [because: string, Partial<Situation>, RegExp]>([
    ["it is not in CI", { environment: { ACTIONS_ID_TOKEN_REQUEST_URL: "https://example.org" } }, /OIDC token/],
    ["it has no OIDC token", { environment: { CI: "true" } }, /`id-token: write`/],
    ["the tag is of another version", { version: "0.2.0" }, /the tag is v0\.1\.0, and the packages have 0\.2\.0/],
    ["there are uncommitted changes", { uncommitted: " M README.md\n" }, /uncommitted changes:\n M README\.md/],
    ["there are changesets", { changesets: ["new.md"] }, /`pnpm changeset version` first: new\.md/],
    ["the version exists", { taken: () => ["@parley/peer@0.1.0"] }, /@parley\/peer@0\.1\.0 is published already/]
  ])("publishes nothing where %s", (_, wrong, reason) => {
    assert.match(refusals({ ...right, ...wrong }).join("\n"), reason)
  })
})
