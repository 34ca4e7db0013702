/**
 * The arguments of a prompt, for a person to read.
 */
import type { PromptInfo } from "@parley/mcp/payload/Listing"

/** One line for each argument. */
export const linesOf = ({ arguments: parameters = [] }: PromptInfo): ReadonlyArray<string> => {
  const width = Math.max(0, ...parameters.map(({ name }) => name.length))
  return parameters.map(({ description, name, required }) =>
    `${name.padEnd(width)}  string${required === true ? ", required" : ""}${
      description === undefined ? "" : `  ${description}`
    }`
  )
}
