/**
 * Texts of a server behind this one for people and models, under the name that the configuration gives it. A client has one
 * server before it, and could not tell otherwise which of those behind speaks.
 *
 * A text of several lines is quoted, each line with `> `, so that no line of it passes for a heading or a name of ours.
 */
import type { ElicitForm, ElicitUrl } from "@parley/mcp/payload/Elicitation"
import type { SampleRequest } from "@parley/mcp/payload/Sampling"
import { Excerpt, JsonObject, Relayed } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"

/** The member of `_meta` that names the server which asks. @internal */
export const askerKey = "io.parley/asks"

/** The server that asks: its name in the configuration, and what people are told. @internal */
export interface Asker {
  readonly name: string
  readonly label: string
}

/** The lines of a text as a quotation. @internal */
export const quoted = (text: string): string =>
  Excerpt.lines(text.replace(lineEnds, "\n")).split("\n").map((line) => `> ${line}`).join("\n")

/** Every character that somebody may take for the end of a line. */
const lineEnds = /\r\n|[\r\v\f\u0085\u2028\u2029]/g

/** The question of a server, with its label. */
const said = (label: string, text: string): string => {
  const asks = `${Excerpt.line(label)} asks:`
  const lines = quoted(text)
  return lines.includes("\n") ? `${asks}\n${lines}` : `${asks} ${lines.slice("> ".length)}`
}

/** @internal */
export const elicitation = <A extends ElicitForm | ElicitUrl>(asker: Asker, params: A): A =>
  marked(asker, Relayed.carry({ ...params, message: said(asker.label, params.message) }, params))

/**
 * A request for a message of the client's model. For the client, `thisServer` is this one with all that are behind it, whose
 * context is no matter of the one that asks.
 *
 * @internal
 */
export const sampling = (asker: Asker, params: SampleRequest): SampleRequest => {
  const { includeContext, systemPrompt } = params
  const plain = includeContext === "thisServer" ? JsonObject.omit(params, "includeContext") : params
  const prompt = systemPrompt === undefined ? `${Excerpt.line(asker.label)} asks.` : said(asker.label, systemPrompt)
  return marked(asker, Relayed.carry({ ...plain, systemPrompt: prompt }, plain))
}

/** @internal */
export const marked = <A extends { readonly _meta?: Schema.JsonObject }>({ name }: Asker, params: A): A =>
  Relayed.carry({ ...params, _meta: Relayed.carry({ ...params._meta, [askerKey]: name }, params._meta) }, params)

/** The data of an error that asks to open addresses first, each with the name of the server. @internal */
export const elicitations = ({ label }: Asker, data: Schema.Json | undefined): Schema.Json | undefined => {
  const asked = JsonObject.isObject(data) ? data["elicitations"] : undefined
  if (!JsonObject.isArray(asked) || !JsonObject.isObject(data)) return data
  const named = asked.map((one) =>
    JsonObject.isObject(one) && typeof one["message"] === "string"
      ? Relayed.carry({ ...one, message: said(label, one["message"]) }, one)
      : one
  )
  return Relayed.carry({ ...data, elicitations: named }, data)
}
