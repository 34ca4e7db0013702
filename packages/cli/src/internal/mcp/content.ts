/**
 * The content of tools, resources and prompts, as lines for a person.
 */
import * as Content from "@parley/mcp/payload/Content"
import type { CallToolResult, GetPromptResult } from "@parley/mcp/payload/Results"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as json from "../terminal/json.ts"
import { printable, printableLine } from "../terminal/output.ts"

/** The text of a block, or a description of other content. */
export const block = (content: Content.Content): string => {
  switch (content.type) {
    case "text":
      return printable(content.text)
    case "image":
    case "audio":
      return thing([content.type, content.mimeType, sizeOf(content.data)])
    case "resource_link":
      return thing(["link", content.name, content.uri])
    case "resource":
      return contents(content.resource)
  }
}

/** The text of a resource, or a description of other content. */
export const contents = (resource: Content.ResourceContents): string =>
  Content.isText(resource)
    ? printable(resource.text)
    : thing(["resource", resource.uri, resource.mimeType ?? "of no known type", sizeOf(resource.blob)])

/** The result of a tool: its structured content, and its other content. */
export const result = ({ content, structuredContent }: CallToolResult, style: json.Style): ReadonlyArray<string> =>
  structuredContent === undefined
    ? content.map(block)
    : [
      ...content.filter((one) => !(one.type === "text" && isSame(one.text, structuredContent))).map(block),
      json.render(structuredContent, style)
    ]

/** The messages of a prompt, each after who says it. */
export const messages = ({ description, messages }: GetPromptResult): ReadonlyArray<string> => [
  ...description === undefined ? [] : [`# ${printable(description)}`],
  ...messages.map(({ content, role }) => `${role}: ${block(content)}`)
]

const thing = (words: ReadonlyArray<string>): string => printableLine(`[${words.join(", ")}]`)

const sizeOf = (base64: string): string => `${Math.floor(base64.replace(padding, "").length * 3 / 4)} bytes`

/** Looked for once in each run of equals signs, and not once from each of its characters: servers choose the text. */
const padding = /(?<!=)=+$/

/** Servers repeat structured content as text, for clients that know only that. */
const isSame = (text: string, structured: Schema.Json): boolean => {
  const parsed = Result.try(() => json.parseUnsafe(text))
  return Result.isSuccess(parsed) && JSON.stringify(parsed.success) === JSON.stringify(structured)
}
