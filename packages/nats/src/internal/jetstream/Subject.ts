/** The parts of the subjects of the mesh and of journals. */
import { NatsError } from "../connection/NatsError.ts"

const encoder = new TextEncoder()

/** Any string as one token of a subject: letters, digits, `-` and `_` stay, and each other byte becomes `=` and two digits. */
export const tokenOf = (text: string): string => {
  if (plain.test(text)) return text
  let token = ""
  for (const byte of encoder.encode(text)) {
    const character = String.fromCharCode(byte)
    token += plain.test(character) ? character : `=${byte.toString(16).padStart(2, "0")}`
  }
  // A token must not be empty.
  return token === "" ? "=" : token
}

const plain = /^[\w-]+$/

/** Whether a text can begin the names of streams and subjects. */
export const isPrefix = (text: string): boolean => plain.test(text)

/** Why a text cannot begin them. */
export const refusalOfPrefix = (prefix: string): NatsError =>
  new NatsError({
    subject: prefix,
    reason: { _tag: "Invalid", detail: "the option `prefix` takes letters, digits, `-` and `_`" }
  })
