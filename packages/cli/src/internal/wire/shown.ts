/** Endpoints in what is kept and passed on, such as recordings and reports. */
import * as Redaction from "@parley/traffic/Redaction"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { join } from "../arguments/words.ts"
import type * as Endpoint from "../Endpoint.ts"
import type { Wire } from "./Wire.ts"

/** The endpoint without the secrets of its URL, and without those of its command line, which `redact` leaves out. */
export const shown = (
  { endpoint, name }: Pick<Wire, "endpoint" | "name">,
  redact: (text: string) => string = Redaction.text
): string => endpoint._tag === "Command" ? `stdio:${join(wordsOf(endpoint, redact))}` : name

/** A flag tells whether the word behind it is a secret. */
const wordsOf = ({ args, command }: Endpoint.Command, redact: (text: string) => string): ReadonlyArray<string> =>
  Result.getOrElse(decodeWords(redact(JSON.stringify([command, ...args]))), () => [Redaction.mark])

const decodeWords = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Schema.String)))
