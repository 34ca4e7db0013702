/**
 * Skills: folders with instructions for a model, as servers describe them (SEP-2640, `io.modelcontextprotocol/skills`).
 *
 * A skill is a folder with a `SKILL.md`, whose frontmatter has at least a name, that of the folder, and a description.
 * Its entry lists all its files with their sizes and SHA-256 digests. A nested skill is a skill of its own, and its files
 * are files of the enclosing one, too.
 *
 * ```ts run
 * import { Skill } from "@parley/mcp-apps"
 * import { Effect } from "effect"
 *
 * const files = [
 *   {
 *     path: "refunds/SKILL.md",
 *     content: "---\nname: refunds\ndescription: How we pay money back.\n---\nWrite as in mail.md.\n"
 *   },
 *   { path: "refunds/mail.md", content: "Dear friend\n" }
 * ]
 *
 * const [skill] = await Effect.runPromise(Skill.fromFiles(files))
 * console.log(skill?.entry.frontmatter.description) // => How we pay money back.
 * console.log([...skill?.contents.keys() ?? []])
 * // => [ 'skill://refunds/SKILL.md', 'skill://refunds/mail.md' ]
 * ```
 *
 * @since 0.1.0
 */
import { cacheFields } from "@parley/mcp/payload/Listing"
import { Excerpt, JsonObject, Utf8 } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as FrontmatterText from "./internal/skill/frontmatter.ts"
import * as Location from "./internal/skill/location.ts"

/** The most files of a skill. Every host takes this many. @category limits @since 0.1.0 */
export const mostFiles = 512

/** The most bytes of all files of a skill. Every host takes this many. @category limits @since 0.1.0 */
export const mostBytes = 16 * 1024 * 1024

/**
 * A file of a skill: where it is, its SHA-256 as `sha256:` and 64 digits, and its size in bytes.
 *
 * @category models
 * @since 0.1.0
 */
export const SkillFile = Schema.Struct({
  uri: Schema.String,
  digest: Schema.String.check(Schema.isPattern(/^sha256:[0-9a-f]{64}$/)),
  size: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})

/** @category models @since 0.1.0 */
export type SkillFile = typeof SkillFile.Type

/** The frontmatter of a `SKILL.md`, with every field of its author. @category models @since 0.1.0 */
export const Frontmatter = Schema.StructWithRest(
  Schema.Struct({ name: Schema.String, description: Schema.String }),
  [Schema.JsonObject]
)

/** @category models @since 0.1.0 */
export type Frontmatter = typeof Frontmatter.Type

/**
 * A skill: the URI of its `SKILL.md`, the frontmatter, and all its files, or `"dynamic"` where they are made anew for each
 * reader and have no digests.
 *
 * @category models
 * @since 0.1.0
 */
export const Skill = Schema.Struct({
  uri: Schema.String,
  frontmatter: Frontmatter,
  resources: Schema.Union([Schema.Array(SkillFile), Schema.Literal("dynamic")])
})

/** @category models @since 0.1.0 */
export type Skill = typeof Skill.Type

/** Some of the skills, and where the next page starts. @category models @since 0.1.0 */
export const SkillPage = Schema.Struct({
  /** Each is a `Skill`, or one that a host must not load. */
  skills: Schema.Array(Schema.Json),
  nextCursor: Schema.optionalKey(Schema.String),
  ...cacheFields
})

/** One skill. @category models @since 0.1.0 */
export const SkillResult = Schema.Struct({ skill: Schema.Json, ...cacheFields })

/**
 * A file, a folder or an entry breaks a rule of skills.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSkill extends Schema.TaggedError<InvalidSkill>()("InvalidSkill", {
  /** The path or the URI. */
  path: Schema.String,
  rule: Schema.String
}) {
  override get message(): string {
    return `the skill ${Excerpt.line(this.path)} is invalid: ${Excerpt.line(this.rule)}`
  }
}

/**
 * A file with its content. The path is relative, with slashes.
 *
 * @category models
 * @since 0.1.0
 */
export interface File {
  /** The path in the folder of all skills. */
  readonly path: string
  /** The content, as text or bytes. */
  readonly content: string | Uint8Array
}

/** A skill that a server serves, with the contents of its files by their URIs. @category models @since 0.1.0 */
export interface LoadedSkill {
  /** The entry that clients see. */
  readonly entry: Skill
  /** The contents of the files, by their URIs. */
  readonly contents: ReadonlyMap<string, Uint8Array>
}

/**
 * The skills in a folder, by their URIs `skill://…`: one for each `SKILL.md` among these files. Files that belong to none
 * are left out. `prefix` is put before the paths. It fails with `InvalidSkill` for the first skill that breaks a rule.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromFiles = (
  files: Iterable<File>,
  options: { readonly prefix?: string | undefined } = {}
): Effect.Effect<ReadonlyArray<LoadedSkill>, InvalidSkill> =>
  Effect.suspend(() => {
    const all = new Map<string, Uint8Array>()
    const folders: Array<ReadonlyArray<string>> = []
    const prefix = options.prefix === undefined ? [] : Location.segmentsOf(options.prefix)
    if (prefix === undefined) return invalid(options.prefix ?? "", "its prefix leads elsewhere than down")
    for (const { content, path } of files) {
      const segments = Location.segmentsOf(path)
      if (segments === undefined) return invalid(path, "its path leads elsewhere than down")
      const whole = [...prefix, ...segments]
      const uri = Location.uriOf(whole)
      if (all.has(uri)) return invalid(path, "it is there twice")
      all.set(uri, typeof content === "string" ? new TextEncoder().encode(content) : content)
      if (segments.at(-1) === Location.manifest) folders.push(whole.slice(0, -1))
    }
    const sorted = new Map([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    return Effect.map(
      Effect.forEach(folders, (folder) => load(folder, sorted)),
      (skills) => skills.toSorted((a, b) => (a.entry.uri < b.entry.uri ? -1 : 1))
    )
  })

const invalid = (path: string, rule: string) => Exit.fail(new InvalidSkill({ path, rule }))

const load = (
  folder: ReadonlyArray<string>,
  all: ReadonlyMap<string, Uint8Array>
): Effect.Effect<LoadedSkill, InvalidSkill> => {
  const root = Location.uriOf(folder)
  const uri = `${root}/${Location.manifest}`
  if (folder.length === 0) return invalid(Location.manifest, "a skill is in a folder of its own")
  const contents = new Map([...all].filter(([file]) => file.startsWith(`${root}/`)))
  const bytes = contents.get(uri)
  const text = bytes && Utf8.textOf(bytes)
  if (text === undefined) return invalid(uri, "it is no UTF-8")
  const frontmatter = FrontmatterText.read(text)
  if (Result.isFailure(frontmatter)) return invalid(uri, frontmatter.failure)
  const files = Effect.forEach(
    [...contents],
    ([uri, bytes]) => Effect.map(digestOf(bytes), (digest): SkillFile => ({ uri, digest, size: bytes.byteLength }))
  )
  return Effect.flatMap(files, (resources) => {
    const entry = decode({ uri, frontmatter: frontmatter.success, resources })
    return Result.isFailure(entry) ? invalid(uri, entry.failure) : Effect.succeed({ entry: entry.success, contents })
  })
}

/** The digest of bytes, as entries have it. @category accessors @since 0.1.0 */
export const digestOf = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    // A copy has a buffer of its own, as the platform wants it.
    Effect.promise(() => globalThis.crypto.subtle.digest("SHA-256", new Uint8Array(bytes))),
    (hash) => `sha256:${Hex.encode(new Uint8Array(hash))}`
  )

const decodeSkill = Schema.decodeUnknownResult(Skill)

/**
 * An entry, or the rule that it breaks: of the specification, or of Agent Skills for names and descriptions. An entry with
 * more than `mostFiles` or `mostBytes` breaks one, too.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (json: unknown): Result.Result<Skill, string> => {
  const decoded = decodeSkill(json)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure.message.replaceAll(/\n */g, " "))
  const skill = decoded.success
  const rule = ruleOf(skill)
  return rule === undefined ? Result.succeed(skill) : Result.fail(rule)
}

const ruleOf = ({ frontmatter, resources, uri }: Skill): string | undefined => {
  const { compatibility, description, metadata, name } = frontmatter
  const root = Location.rootOf(uri)
  if (root === undefined) return "its URI does not end in a folder and /SKILL.md"
  if (!isName(name)) return `its name has 1 to 64 lower case letters, digits and single hyphens, unlike ${name}`
  if (Location.nameIn(root) !== name) return `its name is ${name}, and that of its folder is not`
  if (!isFilled(description, 1_024)) return "its description has 1 to 1024 characters"
  if (compatibility !== undefined && !isFilled(compatibility, 500)) return "its compatibility has 1 to 500 characters"
  if (
    metadata !== undefined &&
    !(JsonObject.isObject(metadata) && Object.values(metadata).every((one) => typeof one === "string"))
  ) {
    return "its metadata are strings, by name"
  }
  if (resources === "dynamic") return undefined
  if (resources.length > mostFiles) return `it has more than ${mostFiles} files`
  if (resources.reduce((sum, { size }) => sum + size, 0) > mostBytes) return `it has more than ${mostBytes} bytes`
  const uris = new Set(resources.map((file) => file.uri))
  if (uris.size < resources.length) return "it lists a file twice"
  if (!uris.has(uri)) return "it does not list its SKILL.md"
  const outside = resources.find((file) => !Location.isWithin(root, file.uri))
  return outside === undefined ? undefined : `it lists ${outside.uri}, which is not in its folder`
}

const isFilled = (text: Schema.Json, most: number): boolean =>
  typeof text === "string" && text !== "" && [...text].length <= most

const isName = (name: string): boolean => name.length <= 64 && name.split("-").every((part) => /^[a-z0-9]+$/.test(part))
