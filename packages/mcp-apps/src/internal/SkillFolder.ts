/** The skills that a server serves, with their files and folders by URI, and the pages of their lists. */
import * as McpResource from "@parley/mcp/McpResource"
import * as Content from "@parley/mcp/payload/Content"
import type { CacheHint, ResourceInfo } from "@parley/mcp/payload/Listing"
import type { Feature } from "@parley/mcp/server/Feature"
import { Uri } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import * as WireIssue from "@parley/mcp/wire/WireIssue"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import { Utf8 } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { LoadedSkill, Skill } from "../Skill.ts"
import * as Location from "./skill/location.ts"

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

/** @internal */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor?: string
}

/** Cuts lists. A cursor names the item before its page. Partial: throws where pages would never come to an end. @internal */
export const pager = (pageSize: number) => {
  if (!Number.isInteger(pageSize) || pageSize < 1) throw new TypeError(`a page cannot have ${pageSize} entries`)
  return <A extends { readonly uri: string }>(
    all: ReadonlyArray<A>,
    cursor: string | undefined
  ): Effect.Effect<Page<A>, ErrorResponse> => {
    const before = cursor === undefined ? undefined : Result.getOrUndefined(Base64Url.decodeString(cursor))
    const from = cursor === undefined ? 0 : all.findIndex(({ uri }) => uri === before) + 1
    if (cursor !== undefined && from === 0) return noCursor
    const items = all.slice(from, from + pageSize)
    const last = from + items.length < all.length ? items.at(-1) : undefined
    return Exit.succeed({ items, ...(last !== undefined && { nextCursor: Base64Url.encode(last.uri) }) })
  }
}

const noCursor = Exit.fail(McpError.invalidParams(WireIssue.make("it is no cursor of this list", ["cursor"])))
