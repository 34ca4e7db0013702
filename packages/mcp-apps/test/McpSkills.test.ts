import { assert, describe, it } from "@effect/vitest"
import * as McpSkills from "@parley/mcp-apps/McpSkills"
import * as Skill from "@parley/mcp-apps/Skill"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as Revision from "@parley/mcp/wire/Revision"
import { Effect, Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import { spoken } from "../../mcp/test/server/support/line.ts"
import { files, guide, pdf } from "./support/skills.ts"

const digest = (content: string) => `sha256:${createHash("sha256").update(content).digest("hex")}`

const made = Effect.flatMap(
  Skill.fromFiles(files),
  (skills) =>
    McpServer.make({ name: "s", version: "1", features: [], extensions: [McpSkills.serve(skills, { pageSize: 2 })] })
)

const connect = (server: McpServer.McpServer, revision: Revision.Revision = "2026-07-28") =>
  Effect.provideService(
    McpMemoryClient.make({ name: "c", version: "1", protocolVersion: revision }),
    McpServer.McpServer,
    server
  )

/** A server that says one thing and serves another. */
const lying = (entry: Schema.JsonObject, served: { readonly [uri: string]: string | Uint8Array }) =>
  McpServer.make({
    name: "s",
    version: "1",
    features: Object.entries(served).map(([uri, content]) =>
      McpResource.make(uri, { name: uri }, () => Effect.succeed(content))
    ),
    extensions: [
      McpSkills.Extension.serve({
        handlers: {
          list: () => Effect.succeed({ skills: [entry] }),
          get: () => Effect.succeed({ skill: entry }),
          directory: () => Effect.succeed({ resources: [] })
        }
      })
    ]
  })

const uri = "skill://pdf/SKILL.md"

const entryOf = (text: string, frontmatter: Schema.JsonObject = { name: "pdf", description: "Reads PDF." }) => ({
  uri,
  frontmatter,
  resources: [{ uri, digest: digest(text), size: Buffer.byteLength(text) }]
})

const readFirst = (client: McpClient.McpClient, path?: string) =>
  Effect.gen(function*() {
    const skills = yield* McpSkills.client(client)
    const [skill] = yield* Stream.runCollect(skills.list)
    if (skill === undefined) return yield* Effect.die(new Error("no skill is listed"))
    return yield* skills.read(skill, path)
  })

describe("skills", () => {
  for (const revision of Revision.all) {
    it.effect(`are listed, got, read and verified, in ${revision}`, () =>
      Effect.gen(function*() {
        const skills = yield* McpSkills.client(yield* connect(yield* made, revision))
        assert.isTrue(skills.readsDirectories)
        const all = yield* Stream.runCollect(skills.list)
        assert.deepStrictEqual(all.map(({ uri }) => uri), [
          "skill://acme/pdf/SKILL.md",
          "skill://acme/pdf/forms/SKILL.md",
          "skill://greet/SKILL.md"
        ])
        const [first] = all
        assert.deepStrictEqual<unknown>(first?.frontmatter, {
          name: "pdf",
          description: "Reads and fills PDF: all of them.",
          license: "MIT",
          metadata: { version: "1.0" },
          levels: [1, 2.5, true, null]
        })
        if (first === undefined) return
        assert.deepStrictEqual(yield* skills.get(first.uri), first)
        const own = yield* skills.read(first)
        assert.deepInclude(own, { uri: first.uri, mimeType: "text/markdown", text: pdf, isVerified: true })
        const other = yield* skills.read(first, "references/große Hilfe.md")
        assert.deepInclude(other, { text: guide, isVerified: true })
        const image = yield* skills.read(first, "logo.png")
        assert.deepInclude(image, { text: undefined, mimeType: "image/png", isVerified: true })
        assert.deepStrictEqual([...image.bytes], [0x89, 0xff, 0x00])
        const folder = yield* Stream.runCollect(skills.directory("skill://acme/pdf"))
        assert.deepStrictEqual(folder.map(({ mimeType, name }) => [name, mimeType]), [
          ["SKILL.md", "text/markdown"],
          ["forms", "inode/directory"],
          ["logo.png", "image/png"],
          ["references", "inode/directory"]
        ])
        assert.deepStrictEqual((yield* Stream.runCollect(skills.directory("skill://acme"))).map(({ name }) => name), [
          "pdf"
        ])
      }))
  }

  it.effect("say where they may be kept, and refuse what they do not have, as the specification has it", () =>
    Effect.gen(function*() {
      const { line, params } = yield* spoken(yield* made, "2026-07-28")
      const page = yield* line.result("skills/list", params())
      assert.deepInclude(page, { resultType: "complete", ttlMs: 0, cacheScope: "private" })
      assert.lengthOf(page["skills"] as Array<unknown>, 2)
      for (
        const [method, asked] of [
          ["skills/get", { uri: "skill://nobody/SKILL.md" }],
          ["skills/get", { uri: "skill://acme/pdf" }],
          ["skills/list", { cursor: "zzz" }],
          ["resources/directory/read", { uri: "skill://acme/pdf/SKILL.md" }],
          ["resources/directory/read", { uri: "skill://acme/pdf/" }],
          ["resources/read", { uri: "skill://acme/pdf/nothing.md" }],
          ["resources/read", { uri: "skill://acme/pdf/../../greet/SKILL.md" }],
          ["resources/read", { uri: "skill://acme/pdf/%2e%2e/x" }]
        ] as const
      ) assert.strictEqual((yield* line.refusal(method, params(asked))).code, -32602, JSON.stringify([method, asked]))
      const { resources } = yield* line.result("resources/list", params())
      assert.deepStrictEqual((resources as ReadonlyArray<Schema.JsonObject>).map(({ name }) => name), [
        "pdf",
        "forms",
        "greet"
      ])
    }))
})

describe("a client of skills", () => {
  const good = "---\nname: pdf\ndescription: Reads PDF.\n---\nRead it.\n"

  it.effect("reads nothing while it connects, lists and gets", () =>
    Effect.gen(function*() {
      let reads = 0
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [],
        extensions: [McpSkills.serve(yield* Skill.fromFiles(files))],
        middleware: (handler) => (call) => {
          if (call.method === "resources/read") reads++
          return handler(call)
        }
      })
      const skills = yield* McpSkills.client(yield* connect(server))
      const all = yield* Stream.runCollect(skills.list)
      yield* Effect.forEach(all, ({ uri }) => skills.get(uri))
      assert.strictEqual(reads, 0)
      for (const path of ["nothing.md", "../greet/SKILL.md", "/etc/passwd", "", "references", "..\\x", "%2e%2e/x"]) {
        const error = yield* Effect.flip(skills.read(all[0] ?? assert.fail(), path))
        assert.deepInclude(error, { _tag: "SkillMismatch", reason: "unlisted" }, path)
      }
      assert.strictEqual(reads, 0)
    }))

  for (
    const [reason, entry, served] of [
      ["size", entryOf(good), `${good}more`],
      ["digest", entryOf(good), good.replace("Read", "Read".toUpperCase())],
      ["frontmatter", entryOf(good, { name: "pdf", description: "Another." }), good],
      ["frontmatter", entryOf(good, { name: "pdf", description: "Reads PDF.", license: "MIT" }), good],
      ["frontmatter", entryOf("no frontmatter"), "no frontmatter"],
      ["frontmatter", { ...entryOf(good), resources: "dynamic" }, good.replace("Reads", "Sends")]
    ] as const
  ) {
    it.effect(`refuses a file whose ${reason} differs`, () =>
      Effect.gen(function*() {
        const client = yield* connect(yield* lying(entry, { [uri]: served }))
        assert.deepInclude(yield* Effect.flip(readFirst(client)), { _tag: "SkillMismatch", reason })
      }))
  }

  it.effect("reads a file that its server makes anew without a digest, and says so", () =>
    Effect.gen(function*() {
      const server = yield* lying({ ...entryOf(good), resources: "dynamic" }, {
        [uri]: good,
        "skill://pdf/a b.md": "x"
      })
      const client = yield* connect(server)
      assert.deepInclude(yield* readFirst(client), { text: good, isVerified: false })
      const error = yield* Effect.flip(readFirst(client, "../pdf/SKILL.md"))
      assert.deepInclude(error, { reason: "unlisted" })
    }))

  for (
    const [what, wrong] of [
      ["no resources", { uri, frontmatter: { name: "pdf", description: "x" } }],
      ["another name than its folder", entryOf(good, { name: "other", description: "x" })],
      ["a name with capitals", { ...entryOf(good), uri: "skill://PDF/SKILL.md" }],
      ["no file of its own", { ...entryOf(good), resources: [] }],
      ["a file twice", { ...entryOf(good), resources: [...entryOf(good).resources, ...entryOf(good).resources] }],
      ["a file of another folder", {
        ...entryOf(good),
        resources: [...entryOf(good).resources, { uri: "skill://other/x", digest: digest(""), size: 0 }]
      }],
      ["a file that leads out", {
        ...entryOf(good),
        resources: [...entryOf(good).resources, { uri: "skill://pdf/%2e%2e/x", digest: digest(""), size: 0 }]
      }],
      ["no digest", { ...entryOf(good), resources: [{ uri, digest: "sha256:x", size: 1 }] }],
      ["too many bytes", { ...entryOf(good), resources: [{ uri, digest: digest(""), size: 16 * 1024 * 1024 + 1 }] }],
      ["too many files", {
        ...entryOf(good),
        resources: Array.from({ length: 513 }, (_, index) => ({
          uri: index === 0 ? uri : `skill://pdf/${index}`,
          digest: digest(""),
          size: 0
        }))
      }]
    ] as const
  ) {
    it.effect(`leaves out an entry with ${what}`, () =>
      Effect.gen(function*() {
        const skills = yield* McpSkills.client(yield* connect(yield* lying(wrong, {})))
        assert.deepStrictEqual(yield* Stream.runCollect(skills.list), [])
        assert.deepInclude(yield* Effect.flip(skills.get(wrong.uri)), { _tag: "InvalidResult" })
      }))
  }

  it.effect("fails where a server has none, and with another skill than it asked for", () =>
    Effect.gen(function*() {
      const none = yield* McpServer.make({ name: "s", version: "1", features: [] })
      const error = yield* Effect.flip(McpSkills.client(yield* connect(none)))
      assert.deepInclude(error, { _tag: "UnsupportedCapability" })
      const skills = yield* McpSkills.client(yield* connect(yield* lying(entryOf(good), {})))
      assert.deepInclude(yield* Effect.flip(skills.get("skill://other/SKILL.md")), { _tag: "InvalidResult" })
    }))
})
