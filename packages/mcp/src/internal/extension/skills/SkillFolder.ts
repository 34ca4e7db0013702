/** The skills that a server serves, with their files and folders by URI. */
import * as Effect from "effect/Effect"
import type { LoadedSkill, Skill } from "../../../extension/skills/Skill.ts"
import * as McpResource from "../../../McpResource.ts"
import * as Content from "../../../payload/Content.ts"
import type { CacheHint, ResourceInfo } from "../../../payload/Listing.ts"
import type { Feature } from "../../../server/Feature.ts"
import * as Uri from "../../../shared/Uri.ts"
import * as Utf8 from "../../Utf8.ts"
import * as Location from "./location.ts"

/** @internal */
export interface SkillFolder {
  /** In the order of their URIs. */
  readonly entries: ReadonlyArray<Skill>
  readonly files: ReadonlyMap<string, Uint8Array>
  /** The content of each folder by its URI, normalised, in the order of the URIs. */
  readonly directories: ReadonlyMap<string, ReadonlyArray<ResourceInfo>>
}

/** Partial: throws where two skills have one URI. @internal */
export const make = (skills: ReadonlyArray<LoadedSkill>): SkillFolder => {
  const entries = skills.map(({ entry }) => entry).toSorted((a, b) => (a.uri < b.uri ? -1 : 1))
  const twice = entries.find(({ uri }, index) => {
    const next = entries[index + 1]
    return next !== undefined && Uri.isSame(next.uri, uri)
  })
  if (twice !== undefined) throw new TypeError(`there is a skill at ${twice.uri} already`)
  const files = new Map(skills.flatMap(({ contents }) => [...contents]))
  const directories = new Map<string, Map<string, ResourceInfo>>()
  const put = (child: ResourceInfo) => {
    const parent = child.uri.slice(0, child.uri.lastIndexOf("/"))
    // The part before the first segment is no folder.
    if (parent.endsWith("/")) return
    const known = directories.get(parent)
    if (known !== undefined) return void known.set(child.uri, child)
    directories.set(parent, new Map([[child.uri, child]]))
    put({ uri: parent, name: Location.nameIn(parent) ?? parent, mimeType: "inode/directory" })
  }
  for (const [uri, { byteLength }] of files) {
    const name = Location.nameIn(uri) ?? uri
    put({ uri, name, mimeType: Location.mediaTypeOf(name), size: byteLength })
  }
  return {
    entries,
    files,
    directories: new Map(
      [...directories].map(([uri, children]) => [
        Uri.normalised(uri),
        [...children.values()].toSorted((a, b) => (a.uri < b.uri ? -1 : 1))
      ])
    )
  }
}

/** The files as resources. @internal */
export const featuresOf = (
  { entries, files }: SkillFolder,
  { cache, scopes }: { readonly cache: CacheHint; readonly scopes: ReadonlyArray<string> | undefined }
): ReadonlyArray<Feature> => {
  const byName = new Map([...files].map(([uri, bytes]) => [Uri.normalised(uri), bytes]))
  const read = (uri: string) => {
    const bytes = byName.get(Uri.normalised(uri))
    if (bytes === undefined) return Effect.fail(McpResource.notFound(uri))
    const mimeType = Location.mediaTypeOf(Location.nameIn(uri) ?? uri)
    const text = Utf8.textOf(bytes)
    return Effect.succeed(
      text === undefined
        ? [Content.blobContents(uri, bytes, mimeType)]
        : [Content.textContents(uri, text, mimeType)]
    )
  }
  return [
    ...entries.map(({ frontmatter: { description, name }, uri }) =>
      McpResource.make(
        uri,
        { name, description, mimeType: "text/markdown", size: files.get(uri)?.byteLength, cache, scopes },
        () => read(uri)
      )
    ),
    McpResource.template(
      "skill://{+path}",
      { name: "skill-files", description: "The files of skills.", cache, scopes },
      (_, __, uri) => read(uri)
    )
  ]
}
