/**
 * Lists as lines for a person: a name and its description.
 */
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "@parley/mcp/payload/Listing"
import { Excerpt } from "@parley/protocol/shared"
import { printableLine, printableParagraph } from "../../terminal/output.ts"
import type { Offer } from "./Offer.ts"
import * as PromptShape from "./PromptShape.ts"
import * as ToolShape from "./ToolShape.ts"

/** An entry: its name, its description and its arguments. */
export interface Entry {
  readonly name: string
  readonly text: string
  readonly takes: ReadonlyArray<string>
}

export interface Section {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

/** The lists that there are. */
export const sectionsOf = ({ prompts, resources, resourceTemplates, tools }: Offer): ReadonlyArray<Section> => [
  ...tools === undefined ? [] : [{ title: "Tools", entries: tools.map(tool) }],
  ...resources === undefined ? [] : [{ title: "Resources", entries: resources.map(resource) }],
  ...resourceTemplates === undefined ? [] : [{ title: "Templates", entries: resourceTemplates.map(template) }],
  ...prompts === undefined ? [] : [{ title: "Prompts", entries: prompts.map(prompt) }]
]

/** Each entry with all that it says: a line, and others that are indented below it. */
export const lines = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const width = widthOf(entries)
  return entries.map((entry) => lineOf(entry, width))
}

const lineOf = ({ name, text }: Entry, width: number): string =>
  `${name.padEnd(width)}  ${printableParagraph(text, "    | ")}`.trimEnd()

/** Each entry, and below it what it takes. */
export const tree = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const width = widthOf(entries)
  return entries.flatMap((entry) => [
    lineOf(entry, width),
    ...entry.takes.map((text, at) => {
      const isLast = at === entry.takes.length - 1
      return `${isLast ? "└" : "├"} ${printableParagraph(text, isLast ? "    | " : "│   | ")}`
    })
  ])
}

/** Names that are longer than this do not push the others' texts away. */
const widest = 40

const widthOf = (entries: ReadonlyArray<Entry>) =>
  Math.min(widest, Math.max(0, ...entries.map(({ name }) => name.length)))

const tool = (info: ToolInfo): Entry => {
  const hints = hintsOf(info)
  return {
    name: Excerpt.name(info.name),
    text: sayingOf(info) + (hints.length === 0 ? "" : ` [${hints.join(", ")}]`),
    takes: ToolShape.linesOf(ToolShape.parametersOf(info))
  }
}

const hintsOf = ({ annotations = {} }: ToolInfo): ReadonlyArray<string> => [
  ...annotations.readOnlyHint === true ? ["reads only"] : [],
  ...annotations.destructiveHint === true ? ["destroys"] : [],
  ...annotations.idempotentHint === true ? ["idempotent"] : [],
  ...annotations.openWorldHint === true ? ["open world"] : []
]

const resource = (info: ResourceInfo): Entry => ({ name: printableLine(info.uri), text: withType(info), takes: [] })

const template = (info: ResourceTemplateInfo): Entry => ({
  name: printableLine(info.uriTemplate),
  text: withType(info),
  takes: []
})

const prompt = (info: PromptInfo): Entry => ({
  name: Excerpt.name(info.name),
  text: sayingOf(info),
  takes: PromptShape.linesOf(info)
})

interface Described {
  readonly name: string
  readonly title?: string
  readonly description?: string
}

const withType = (info: Described & { readonly mimeType?: string }): string =>
  [sayingOf(info) || info.title || info.name, ...info.mimeType === undefined ? [] : [`(${info.mimeType})`]].join(" ")

const sayingOf = ({ description, title }: Described): string => description ?? title ?? ""
