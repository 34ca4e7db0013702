/** The owner of a URI among several servers, where nothing has to be waited for. */
import { assert, describe, it } from "@effect/vitest"
import * as McpResource from "@parley/mcp/McpResource"
import type * as McpServer from "@parley/mcp/McpServer"
import { Effect } from "effect"
import { UriOwners } from "../../src/internal/server/composition/Owners.ts"

type Who = "good" | "evil"

const says = (who: Who) => Effect.succeed(who)

const template = (uri: string, who: Who) => McpResource.template(uri, { name: uri }, () => says(who))

const resource = (uri: string, who: Who) => McpResource.make(uri, { name: uri }, () => says(who))

describe("the owner of a URI", () => {
  const of = (uri: string, good: ReadonlyArray<McpServer.Feature>, evil: ReadonlyArray<McpServer.Feature>) => {
    const features = { good, evil }
    const owner = (name: Who) => ({
      name,
      source: {
        featuresFor: () => Effect.succeed([]),
        tool: () => undefined,
        capabilities: () => ({}),
        onChange: () => Effect.void
      },
      options: {}
    })
    const all = [owner("good"), owner("evil")]
    return new UriOwners(all, ({ name }) => features[name])
      .of(uri)?.name
  }

  it.each(["repo://a/x", "repo://b/x"])("that lists it unapproved is not one that lists %s", (other) => {
    const listed = { ...resource("repo://a/y", "good"), isRefused: true }
    assert.strictEqual(of("repo://a/y", [listed], [resource(other, "evil")]), "good")
    // What is listed, or fits a template, is no guess.
    assert.strictEqual(of("repo://a/y", [listed], [template("repo://a/{x}", "evil")]), "evil")
  })

  it("is looked for once, however many templates fit", () => {
    let matches = 0
    const wide = (name: string) => ({
      ...template(`note:{${name}}`, "evil"),
      match: () => {
        matches++
        return undefined
      }
    })
    const features = Array.from({ length: 100 }, (_, index) => wide(`x${index}`))
    const source = {
      featuresFor: () => Effect.succeed([]),
      tool: () => undefined,
      capabilities: () => ({}),
      onChange: () => Effect.void
    }
    const all = [{ source, options: {} }, { source, options: {} }]
    const owners = new UriOwners(all, (owner) => owner === all[0] ? features : [])
    for (let times = 0; times < 100; times++) owners.of("note:1")
    assert.strictEqual(matches, 100)
  })
})
