/**
 * The ending of a file's name, from the media type of its content. A server chose that type: only letters and digits of it
 * reach the name.
 */

/** The ending, with its dot. */
export const ofType = (mediaType: string | undefined): string => {
  const [, subtype = ""] = /^[\w.+-]+\/(?:x-)?([\w.+-]+)/.exec((mediaType ?? "").toLowerCase()) ?? []
  const [, suffix] = /\+(json|xml|yaml|zip|gzip)$/.exec(subtype) ?? []
  const known = Object.hasOwn(usual, subtype) ? usual[subtype] : suffix
  return `.${known ?? (/^[a-z0-9]{1,8}$/.test(subtype) ? subtype : "bin")}`
}

/** Types whose files usually end in another way than the type. */
const usual: Readonly<Record<string, string>> = {
  "svg+xml": "svg",
  "octet-stream": "bin",
  jpeg: "jpg",
  tiff: "tif",
  "vnd.microsoft.icon": "ico",
  mpeg: "mp3",
  "vnd.wave": "wav",
  quicktime: "mov",
  plain: "txt",
  markdown: "md",
  javascript: "js",
  gzip: "gz"
}
