import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { docstrings } from "../architecture/docstrings.ts"
import type { Manifest } from "../architecture/Sources.ts"
import { readSources } from "../architecture/Sources.ts"
import { workspace } from "./support/workspace.ts"

const root = join(import.meta.dirname, "../..")

it("the comments of the workspace show the use of each public module, and say of each export what it is", () => {
  assert.deepStrictEqual([...docstrings(readSources(root))], [])
})

describe("the comments of a public module", () => {
  const example = (imports: string) => `/**\n * A module.\n *\n * \`\`\`ts\n * ${imports}\n * \`\`\`\n */\n`
  const whole = example(`import { Route } from "@parley/peer"`)
  const gapsOf = (text: string, path = "peer/src/Route", manifest: Partial<Manifest> = {}) => [
    ...docstrings({ ...workspace({}, { peer: manifest }), files: new Map([[`packages/${path}.ts`, text]]) })
  ]
  const sentence = (name: string) => [`packages/peer/src/Route.ts: ${name} has no sentence that says what it is`]

  it("need an example that imports it", () => {
    const route = "/** A route. @category models @since 0.1.0 */\nexport const route = 1\n"
    const missing = /^packages\/peer\/src\/Route\.ts has no example/
    assert.deepStrictEqual(gapsOf(whole + route), [])
    assert.deepStrictEqual(gapsOf(example(`import { route } from "@parley/peer/Route"`) + route), [])
    assert.match(gapsOf(example(`import { Peer } from "@parley/peer"`) + route).join("\n"), missing)
    assert.match(gapsOf(`const page = \`${whole}\`\n`.replaceAll("/**", "") + route).join("\n"), missing)
  })

  it("need a sentence and tags for each export", () => {
    const tags = "@category models @since 0.1.0"
    assert.deepStrictEqual(gapsOf(`${whole}/** ${tags} */\nexport const route = 1\n`), sentence("route"))
    assert.deepStrictEqual(gapsOf(`${whole}/** route ${tags} */\nexport const route = 1\n`), sentence("route"))
    assert.deepStrictEqual(gapsOf(`${whole}/**\n * A\n * route.\n *\n * ${tags}\n */\n// Why\nexport class R {}\n`), [])
    assert.deepStrictEqual(gapsOf(`${whole}/** A route. */\nexport type Route = 1\n`), [
      "packages/peer/src/Route.ts: Route has no @category",
      "packages/peer/src/Route.ts: Route has no @since"
    ])
    const schema = `${whole}/** A route. ${tags} */\nexport const A = 1\n/** ${tags} */\nexport type A = 1\n`
    assert.deepStrictEqual(gapsOf(schema), [])
  })

  it("need a sentence for each option", () => {
    const options = (comment: string, head = "export interface Options {") =>
      `${whole}/** The settings. @category models @since 0.1.0 */
${head}
  ${comment}
  readonly port?: number
}
`
    assert.deepStrictEqual(gapsOf(options("/** The port. */")), [])
    assert.deepStrictEqual(gapsOf(options("// The port.")), sentence("the option Options.port"))
    const long = "export interface Options<\n  A = never\n> {"
    assert.deepStrictEqual(gapsOf(options("// The port.", long)), sentence("the option Options.port"))
    assert.deepStrictEqual(gapsOf(options("/** The port. */", long)), [])
  })

  it("need a sentence where an internal module holds the export", () => {
    const files = new Map([
      ["packages/peer/src/Route.ts", `${whole}export { route, type Way } from "./internal/route.ts"\n`],
      [
        "packages/peer/src/internal/route.ts",
        "/** @category models @since 0.1.0 */\nexport const route = 1\nexport const hidden = 1\n"
      ]
    ])
    assert.deepStrictEqual([...docstrings({ ...workspace({}), files })], sentence("route"))
  })

  it("are not asked of what nobody imports", () => {
    const route = "export const route = 1\n"
    assert.lengthOf(gapsOf(route), 4)
    assert.deepStrictEqual(gapsOf(route, "peer/src/internal/Route"), [])
    assert.deepStrictEqual(gapsOf(route, "peer/test/Route"), [])
    assert.deepStrictEqual(gapsOf(route, "peer/src/Route", { private: true }), [])
    assert.deepStrictEqual(gapsOf(`${whole}/** @internal */\n${route}/** @internal */\nexport type A = 1\n`), [])
  })
})
