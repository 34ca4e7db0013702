/**
 * Lists as lines for a person: a name and its description.
 */
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "@parley/mcp/payload/Listing"
import { Excerpt } from "@parley/protocol/shared"
import { displayWidth } from "effect/cli/CliOutput"
import { printableLine, printableParagraph } from "../../terminal/output.ts"
import { bold, dim, paint, type Screen } from "../../terminal/style.ts"
import * as wrap from "../../terminal/wrap.ts"
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

/** How lines are shown: behind a margin, no wider than a terminal. A pipe has no width, and each entry is a line there. */
export interface Layout extends Screen {
  readonly margin: string
}

const plain: Layout = { margin: "", width: undefined, coloured: false }

/** Each entry with all that it says: a line, and others that are indented below it. */
export const lines = (entries: ReadonlyArray<Entry>, layout = plain): ReadonlyArray<string> => {
  const column = columnOf(entries, layout)
  return entries.map((entry) => lineOf(entry, column, layout))
}

/** Each entry, and below it what it takes. */
export const tree = (entries: ReadonlyArray<Entry>, layout = plain): ReadonlyArray<string> => {
  const column = columnOf(entries, layout)
  const branch = (text: string): string => layout.margin + paint(layout.coloured, dim, text)
  return entries.flatMap((entry) => [
    lineOf(entry, column, layout),
    ...entry.takes.map((text, at) => {
      const isLast = at === entry.takes.length - 1
      return paragraph(branch(isLast ? "└ " : "├ "), text, layout, {
        wrapped: branch(isLast ? "    " : "│   "),
        marked: branch(isLast ? "    | " : "│   | ")
      })
    })
  ])
}

/** The title of a list, with how many entries it has. */
export const titleOf = ({ entries, title }: Section, { coloured }: Screen): string =>
  `${paint(coloured, bold, title)} (${entries.length})`

const lineOf = ({ name, text }: Entry, column: number, layout: Layout): string => {
  const { coloured, margin, width } = layout
  const shown = margin + paint(coloured, bold, name)
  const indent = margin + " ".repeat(column + 2)
  const gap = " ".repeat(Math.max(0, column - displayWidth(name)) + 2)
  const below = { wrapped: indent, marked: `${margin}    | ` }
  // On a terminal, a name that is too long for its column stands alone.
  return text !== "" && width !== undefined && displayWidth(name) > column
    ? `${shown}\n${paragraph(indent, text, layout, below)}`
    : paragraph(text === "" ? shown : shown + gap, text, layout, below)
}

/**
 * A text behind the beginning of its line. What does not fit goes on below, and a line that the text has itself is
 * marked, so that it passes for none of ours.
 */
const paragraph = (
  left: string,
  text: string,
  { width }: Layout,
  below: { readonly wrapped: string; readonly marked: string }
): string =>
  printableParagraph(text, "").split("\n").map((line, at) => {
    const [begin, indent] = at === 0 ? [left, below.wrapped] : [below.marked, below.marked]
    return width === undefined ? begin + line : wrap.line(begin, line, width, indent)
  }).join("\n").trimEnd()

/** Names that are longer than this do not push the others' texts away. */
const widest = 40

/** The column of texts behind names; on a terminal, texts have more than half of it. */
const columnOf = (entries: ReadonlyArray<Entry>, { width = Infinity }: Layout) =>
  Math.min(widest, Math.floor(width * 0.4), Math.max(0, ...entries.map(({ name }) => displayWidth(name))))

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
