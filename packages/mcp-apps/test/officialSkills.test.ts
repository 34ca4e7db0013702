import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills"
import { createMcpHandler, McpServer as OfficialServer } from "@modelcontextprotocol/server"
import { memorySkillFiles, SkillsExtension } from "@modelcontextprotocol/server/ext/skills"
import * as McpSkills from "@parley/mcp-apps/McpSkills"
import * as Skill from "@parley/mcp-apps/Skill"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Stream } from "effect"
import * as places from "../../mcp/test/interop/support/places.ts"
import { serveWeb } from "../../mcp/test/support/webHost.ts"
import { files, guide, pdf } from "./support/skills.ts"

const me = { name: "c", version: "1" }

const ours = Effect.flatMap(
  Skill.fromFiles(files),
  (skills) =>
    McpServer.make({ name: "s", version: "1", features: [], extensions: [McpSkills.serve(skills, { pageSize: 2 })] })
)

const theirs = Effect.gen(function*() {
  const catalog = yield* Effect.promise(() =>
    SkillsExtension.load(memorySkillFiles(Object.fromEntries(files.map(({ content, path }) => [path, content]))), {
      pageSize: 2
    })
  )
  const handler = createMcpHandler(() => {
    const server = new OfficialServer({ name: "s", version: "1" })
    catalog.attach(server)
    return server
  })
  return yield* serveWeb((request) => handler.fetch(request))
})

describe("skills", () => {
  for (const mode of ["legacy", "auto"] as const) {
    it.live(`of our server are listed, read and verified by the official client (${mode})`, () =>
      Effect.gen(function*() {
        const url = yield* Effect.flatMap(ours, places.hosted)
        const client = new Client(me, { versionNegotiation: { mode } })
        yield* Effect.acquireRelease(
          Effect.promise(() => client.connect(new StreamableHTTPClientTransport(new URL(url)))),
          () => Effect.promise(() => client.close())
        )
        const skills = new SkillsClient(client)
        assert.isTrue(skills.supported && skills.directoryRead)
        const { skills: all } = yield* Effect.promise(() => skills.list())
        assert.lengthOf(all, 3)
        const [first] = all
        if (first === undefined) return
        assert.deepStrictEqual((yield* Effect.promise(() => skills.get(first.uri))).skill, first)
        const own = yield* Effect.promise(() => skills.read(first))
        assert.deepInclude(own, { text: pdf, verified: true, frontmatter: first.frontmatter })
        const other = yield* Effect.promise(() => skills.read(first, "references/große Hilfe.md"))
        assert.deepInclude(other, { text: guide, verified: true })
        const { resources } = yield* Effect.promise(() => skills.readDirectory("skill://acme/pdf"))
        assert.deepStrictEqual(resources.map(({ name }) => name), ["SKILL.md", "forms", "logo.png", "references"])
      }))
  }

  it.live("of the official server are the same as ours, to our client", () =>
    Effect.gen(function*() {
      const fetcher = yield* NodeHttp.makeFetcher()
      const other = yield* McpSkills.client(yield* McpHttpClient.make(fetcher, { ...me, url: yield* theirs }))
      const own = yield* McpSkills.client(
        yield* Effect.provideService(McpMemoryClient.make(me), McpServer.McpServer, yield* ours)
      )
      const listed = yield* Stream.runCollect(other.list)
      const plain = (skills: ReadonlyArray<Skill.Skill>) =>
        skills.map(({ frontmatter, resources }) => ({
          frontmatter,
          files: resources === "dynamic" ? [] : resources.map(({ digest, size }) => [digest, size]).toSorted()
        }))
      assert.deepStrictEqual(plain(listed), plain(yield* Stream.runCollect(own.list)))
      const [first] = listed
      if (first === undefined) return
      assert.deepStrictEqual(yield* other.get(first.uri), first)
      assert.deepInclude(yield* other.read(first), { text: pdf, isVerified: true })
      assert.deepInclude(yield* other.read(first, "references/große Hilfe.md"), { text: guide, isVerified: true })
      const root = first.uri.slice(0, -"/SKILL.md".length)
      const children = yield* Stream.runCollect(other.directory(root))
      assert.deepStrictEqual(children.map(({ name }) => name), ["SKILL.md", "forms", "logo.png", "references"])
    }))
})
