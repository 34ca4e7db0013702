/**
 * The extension for skills (SEP-2640): a server lists skills and serves their files as resources; a client lists, reads
 * and verifies them.
 *
 * A client reads a file only on request, and refuses one whose size, digest or frontmatter differs from the entry. A digest
 * says that file and entry fit each other, not that either can be trusted: the host and its user decide what a skill may do.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer } from "@parley/mcp"
 * import { McpSkills, Skill } from "@parley/mcp-apps"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const content = "---\nname: refunds\ndescription: How we pay money back.\n---\nBe polite.\n"
 *
 * const server = Skill.fromFiles([{ path: "refunds/SKILL.md", content }]).pipe(
 *   Effect.map((skills) => [McpSkills.serve(skills)]),
 *   Effect.map((extensions) => McpServer.layer({ name: "shop", version: "1.0.0", features: [], extensions })),
 *   Layer.unwrap
 * )
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "host", version: "1.0.0" })
 *   const skills = yield* McpSkills.client(client)
 *   for (const skill of yield* Stream.runCollect(skills.list)) {
 *     console.log(skill.uri, (yield* skills.read(skill)).isVerified) // => skill://refunds/SKILL.md true
 *   }
 * })
 *
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as Method from "@parley/contract/Method"
import { InvalidResult, type McpAskedError, type McpCallError } from "@parley/mcp/client/McpClientError"
import type { RequestOptions } from "@parley/mcp/client/RequestOptions"
import * as McpExtension from "@parley/mcp/extension/McpExtension"
import type { McpClient } from "@parley/mcp/McpClient"
import * as Content from "@parley/mcp/payload/Content"
import { type CacheHint, type ResourceInfo, ResourcePage } from "@parley/mcp/payload/Listing"
import { Paging, Uri } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import * as WireIssue from "@parley/mcp/wire/WireIssue"
import { Excerpt, JsonObject, Utf8 } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Frontmatter from "./internal/skill/frontmatter.ts"
import * as Location from "./internal/skill/location.ts"
import * as SkillFolder from "./internal/SkillFolder.ts"
import * as Skill from "./Skill.ts"

/** The extension: what servers declare, and its methods. @category constants @since 0.1.0 */
export const Extension = McpExtension.make("io.modelcontextprotocol/skills", {
  server: {
    /** Whether the server lists folders. */
    settings: { directoryRead: Schema.optionalKey(Schema.Boolean) },
    methods: {
      list: Method.make({
        method: "skills/list",
        params: { cursor: Schema.optionalKey(Schema.String) },
        result: Skill.SkillPage
      }),
      get: Method.make({ method: "skills/get", params: { uri: Schema.String }, result: Skill.SkillResult }),
      directory: Method.make({
        method: "resources/directory/read",
        params: { uri: Schema.String, cursor: Schema.optionalKey(Schema.String) },
        result: ResourcePage
      })
    }
  }
})

/**
 * The options of `serve`, beside the skills.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServeOptions {
  /** The most entries of a page. The default is 100: an entry may have hundreds of files. Less than one is a defect. */
  readonly pageSize?: number | undefined
  /** For how long, and by whom, entries and files may be kept. By default they may not be kept. */
  readonly cache?: CacheHint | undefined
  /** The scopes that methods and files need, all of them. */
  readonly scopes?: ReadonlyArray<string> | undefined
}

/**
 * The extension for a server: `Skill.fromFiles` makes the skills. The `SKILL.md` of each is listed among the resources;
 * other files are found by their URI. Partial: throws where two skills have one URI.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = (
  skills: ReadonlyArray<Skill.LoadedSkill>,
  { cache = { ttlMs: 0, cacheScope: "private" }, pageSize = 100, scopes }: ServeOptions = {}
): McpExtension.ServerExtension => {
  const folder = SkillFolder.make(skills)
  const paged = SkillFolder.pager(pageSize)
  return Extension.serve({
    settings: { directoryRead: true },
    scopes,
    cache: { list: cache, get: cache, directory: cache },
    features: SkillFolder.featuresOf(folder, { cache, scopes }),
    handlers: {
      list: ({ cursor }) =>
        Effect.map(paged(folder.entries, cursor), ({ items, ...next }) => ({ skills: items, ...next })),
      get: ({ uri }) => {
        const skill = folder.entries.find((entry) => Uri.isSame(entry.uri, uri))
        return skill === undefined ? unknown(uri, "No skill is served") : Effect.succeed({ skill })
      },
      directory: ({ cursor, uri }) => {
        const children = folder.directories.get(Uri.normalised(uri))
        return children === undefined
          ? unknown(uri, "No directory is served")
          : Effect.map(paged(children, cursor), ({ items, ...next }) => ({ resources: items, ...next }))
      }
    }
  })
}

const unknown = (uri: string, what: string) =>
  Effect.fail(McpError.invalidParams(WireIssue.make(`${what} at ${Excerpt.line(uri)}`, ["uri"])))

/**
 * A file differs from its entry in the skill, or does not belong to the skill. It must not be used. Where it is merely
 * newer, `get` gives the current entry, which a user has to approve anew.
 *
 * @category errors
 * @since 0.1.0
 */
export class SkillMismatch extends Schema.TaggedError<SkillMismatch>()("SkillMismatch", {
  uri: Schema.String,
  reason: Schema.Literals(["unlisted", "size", "digest", "frontmatter"]),
  rule: Schema.String
}) {
  override get message(): string {
    return `the file ${Excerpt.line(this.uri)} is not what its skill says: ${Excerpt.line(this.rule)}`
  }
}

/**
 * A file of a skill, as it was read and verified.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadFile {
  /** The URI that it was read at. */
  readonly uri: string
  /** The media type that the server gives. */
  readonly mimeType: string | undefined
  /** The content. */
  readonly bytes: Uint8Array
  /** The bytes as text; `undefined` where they are not UTF-8. */
  readonly text: string | undefined
  /** Whether size and digest were those of the entry. A skill whose files are `"dynamic"` has none. */
  readonly isVerified: boolean
}

/**
 * The skills of one server, as a client sees them.
 *
 * @category models
 * @since 0.1.0
 */
export interface SkillsClient {
  /** Whether the server lists folders. */
  readonly readsDirectories: boolean
  /** The skills, page by page on demand. Those that a host must not load are left out, and the log says so. */
  readonly list: Stream.Stream<Skill.Skill, McpCallError>
  /** The entry of a skill by the URI of its `SKILL.md`, whether it is listed or not. */
  readonly get: (uri: string, options?: RequestOptions) => Effect.Effect<Skill.Skill, McpCallError>
  /**
   * Reads a file of a skill by its path in the folder, `SKILL.md` by default, and verifies it. Nothing is sent for a file
   * that the entry does not list.
   */
  readonly read: (
    skill: Skill.Skill,
    path?: string,
    options?: Omit<RequestOptions, "meta">
  ) => Effect.Effect<ReadFile, McpAskedError | SkillMismatch>
  /** The files and folders in a folder, as the server has them now. A skill has only the files that its entry lists. */
  readonly directory: (uri: string) => Stream.Stream<ResourceInfo, McpCallError>
}

/**
 * The skills of a server. It fails with `UnsupportedCapability` where it declares none. Nothing of a skill is read here.
 *
 * @category constructors
 * @since 0.1.0
 */
export const client = (client: McpClient): Effect.Effect<SkillsClient, McpCallError> =>
  Effect.map(Extension.client(client), ({ calls, settings }): SkillsClient => ({
    readsDirectories: settings.directoryRead === true,
    list: Paging.stream({
      method: "skills/list",
      isStrict: false,
      page: (cursor) => calls.list(cursor === undefined ? {} : { cursor }),
      entries: ({ skills }) => Effect.map(Effect.forEach(skills, valid), (all) => all.flat())
    }),
    get: (uri, options) =>
      Effect.flatMap(calls.get({ uri }, options), ({ skill }) => {
        const entry = Skill.decode(skill)
        if (Result.isFailure(entry)) return refuse(entry.failure)
        return Uri.isSame(entry.success.uri, uri) ? Effect.succeed(entry.success) : refuse(`it is ${entry.success.uri}`)
      }),
    read: (skill, path = Location.manifest, options = {}) => read(client, skill, path, options),
    directory: (uri) =>
      Paging.stream({
        method: "resources/directory/read",
        isStrict: false,
        page: (cursor) => calls.directory(cursor === undefined ? { uri } : { uri, cursor }),
        entries: ({ resources }) => Effect.succeed(resources)
      })
  }))

const refuse = (rule: string) => Effect.fail(new InvalidResult({ method: "skills/get", path: ["skill"], rule }))

/** An entry that a host may load, or none. */
const valid = (json: Schema.Json): Effect.Effect<ReadonlyArray<Skill.Skill>> => {
  const entry = Skill.decode(json)
  return Result.isSuccess(entry)
    ? Effect.succeed([entry.success])
    : Effect.as(Effect.logWarning(`dropped a skill of the server: ${Excerpt.line(entry.failure)}`), [])
}

const read = Effect.fnUntraced(function*(
  client: McpClient,
  skill: Skill.Skill,
  path: string,
  options: RequestOptions
): Effect.fn.Return<ReadFile, McpAskedError | SkillMismatch> {
  const root = Location.rootOf(skill.uri) ?? skill.uri
  const segments = Location.segmentsOf(path)
  const uri = `${root}/${segments?.map((segment) => encodeURIComponent(segment)).join("/") ?? path}`
  const differs = (reason: SkillMismatch["reason"], rule: string) => new SkillMismatch({ uri, reason, rule })
  const file = skill.resources === "dynamic" ? undefined : fileOf(skill.resources, root, path)
  if (segments === undefined || (skill.resources !== "dynamic" && file === undefined)) {
    return yield* differs("unlisted", "its entry does not list it")
  }
  // A result that is kept may be older than the entry.
  const { contents: [contents, ...others] } = yield* client.readResource(file?.uri ?? uri, { ...options, meta: {} })
  const bytes = contents && Content.bytesOf(contents)
  if (contents === undefined || bytes === undefined || others.length > 0) {
    return yield* new InvalidResult({ method: "resources/read", path: ["contents"], rule: "a file is one content" })
  }
  if (file !== undefined) {
    if (bytes.byteLength !== file.size) {
      return yield* differs("size", `it has ${bytes.byteLength} bytes, and its entry says ${file.size}`)
    }
    const digest = yield* Skill.digestOf(bytes)
    if (digest !== file.digest) return yield* differs("digest", `its digest is ${digest}, not ${file.digest}`)
  }
  const text = Utf8.textOf(bytes)
  if (path === Location.manifest) {
    const frontmatter = text === undefined ? Result.fail("it is no UTF-8") : Frontmatter.read(text)
    if (Result.isFailure(frontmatter)) return yield* differs("frontmatter", frontmatter.failure)
    if (JsonObject.canonical(frontmatter.success) !== JsonObject.canonical(skill.frontmatter)) {
      return yield* differs("frontmatter", "its frontmatter is not that of its entry")
    }
  }
  return { uri: file?.uri ?? uri, mimeType: contents.mimeType, bytes, text, isVerified: file !== undefined }
})

/** The file of a path, however its server writes the name in a URI. */
const fileOf = (files: ReadonlyArray<Skill.SkillFile>, root: string, path: string): Skill.SkillFile | undefined =>
  files.find(({ uri }) => uri.startsWith(`${root}/`) && Location.pathOf(uri.slice(root.length + 1)) === path)
