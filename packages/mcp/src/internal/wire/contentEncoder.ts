/**
 * Content blocks in the words of a revision.
 *
 * What it lacks becomes a text that says what is missing: a client shows it, a
 * model reads it, and nobody takes it for the thing itself.
 */
import type { Annotations, Content, ResourceContents, SampleContent, TextContent } from "../../payload/Content.ts"
import type { RevisionFeatures } from "../../wire/RevisionFeatures.ts"
import { change, omit } from "../Json.ts"

/** How many bytes a base64 text stands for. */
const bytes = (data: string): number => Math.floor(data.replace(padding, "").length * 3 / 4)

/** Looked for once in each run of equals signs, and not once from each of its characters: strangers may choose the text. */
const padding = /(?<!=)=+$/

const note = (text: string, annotations: Annotations | undefined): TextContent => ({
  type: "text",
  text,
  ...(annotations === undefined ? {} : { annotations })
})

const linkText = (link: Extract<Content, { type: "resource_link" }>): string => {
  const described = link.description === undefined ? "" : ` (${link.description})`
  return `[resource ${link.title ?? link.name}: ${link.uri}${described}]`
}

const undated = (annotations: Annotations): Annotations => omit(annotations, "lastModified")

/** Annotations as a revision has them. */
export const annotations = (features: RevisionFeatures) => (value: Annotations): Annotations =>
  features.meta ? value : undated(value)

/** What a resource holds. */
export const resourceContents = (features: RevisionFeatures) => (contents: ResourceContents): ResourceContents =>
  features.meta ? contents : omit(contents, "_meta")

/** A content block; `undefined` as a function where every block is said as it is. */
export const content = (features: RevisionFeatures): ((block: Content) => Content) | undefined => {
  if (features.icons) return undefined
  if (features.meta) return (block) => block.type === "resource_link" ? omit(block, "icons") : block
  const contents = resourceContents(features)
  const plain = (block: Content): Content => {
    switch (block.type) {
      case "audio":
        return features.audio
          ? block
          : note(`[audio ${block.mimeType}, ${bytes(block.data)} bytes, not sent]`, block.annotations)
      case "resource_link":
        return note(linkText(block), block.annotations)
      case "resource":
        return change(block, "resource", contents)
      default:
        return block
    }
  }
  return (block) => change(omit(plain(block), "_meta"), "annotations", undated)
}

/** What every revision knows in the messages of a model. */
export type Said = Extract<SampleContent, { type: "text" | "image" | "audio" }>

/** A block of a message to or from a model. Calls and results of tools become texts where models have no tools. */
export const sampleContent = (features: RevisionFeatures) => {
  const each = content(features) ?? ((block: Content) => block)
  return (block: SampleContent): Said => {
    switch (block.type) {
      case "tool_use":
        return note(`[call of tool ${block.name}: ${JSON.stringify(block.input)}]`, undefined)
      case "tool_result":
        return note(`[result of tool call ${block.toolUseId}: ${JSON.stringify(block.content)}]`, undefined)
      default:
        // Text stays text, pictures stay pictures, and sound stays or becomes text.
        return each(block) as Said
    }
  }
}
