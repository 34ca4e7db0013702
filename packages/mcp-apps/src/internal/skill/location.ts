/** The places of the files of skills: paths in folders, and their URIs. */

/** The name that every skill's own file has. @internal */
export const manifest = "SKILL.md"

/** The URI of a path below a scheme; its segments are written as a URI has them. @internal */
export const uriOf = (segments: ReadonlyArray<string>): string =>
  `skill://${segments.map((segment) => encodeURIComponent(segment)).join("/")}`

/** The segments of a path, if it leads nowhere else than down. @internal */
export const segmentsOf = (path: string): ReadonlyArray<string> | undefined => {
  const segments = path.split("/")
  return segments.every(isPlain) ? segments : undefined
}

const isPlain = (segment: string): boolean =>
  segment !== "" && segment !== "." && segment !== ".." && !segment.includes("\\") && !segment.includes("\0") &&
  segment.isWellFormed()

/** The folder of a skill, by the URI of its own file; `undefined` where it is no such URI. @internal */
export const rootOf = (uri: string): string | undefined => {
  const suffix = `/${manifest}`
  const root = uri.endsWith(suffix) ? uri.slice(0, -suffix.length) : undefined
  return root === undefined || !root.includes("://") || root.endsWith("/") ? undefined : root
}

/** The last segment of the folder of a skill, decoded. @internal */
export const nameIn = (root: string): string | undefined => decoded(root.slice(root.lastIndexOf("/") + 1))

/** Whether a file is in a folder, however its name is written: nothing in its path leads out. */
export const isWithin = (root: string, uri: string): boolean => {
  if (!uri.startsWith(`${root}/`) || uri.includes("?") || uri.includes("#")) return false
  return uri.slice(root.length + 1).split("/").every((segment) => {
    const name = decoded(segment)
    return name !== undefined && isPlain(name) && !name.includes("/")
  })
}

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The media type of a file by its name. @internal */
export const mediaTypeOf = (name: string): string => {
  const dot = name.lastIndexOf(".")
  const extension = dot <= 0 ? "" : name.slice(dot + 1).toLowerCase()
  return mediaTypes.get(extension) ?? "application/octet-stream"
}

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["md", "text/markdown"],
  ["txt", "text/plain"],
  ["json", "application/json"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["css", "text/css"],
  ["js", "text/javascript"],
  ["mjs", "text/javascript"],
  ["ts", "text/typescript"],
  ["py", "text/x-python"],
  ["sh", "application/x-sh"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["pdf", "application/pdf"]
])

/** The path of a file, from the rest of its URI behind its folder; `undefined` where nobody can decode it. @internal */
export const pathOf = (rest: string): string | undefined => {
  const segments = rest.split("/").map(decoded)
  return segments.includes(undefined) ? undefined : segments.join("/")
}
