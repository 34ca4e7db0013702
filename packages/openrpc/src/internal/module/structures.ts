/**
 * How params go on the wire, where a method does not say.
 */
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"
import { pointer } from "../schema/places.ts"

/** @internal */
export interface Guessed {
  readonly document: OpenRpcDocument.Document
  readonly guessed: ReadonlyArray<{ readonly path: string; readonly issue: string }>
}

/**
 * By the specification a server takes both forms. Most servers whose documents say nothing take only one: that by
 * position, which is all that their clients ever send. Where a param may be left out, those after it have no position.
 *
 * @internal
 */
export const guess = (document: OpenRpcDocument.Document, byPosition: boolean | undefined): Guessed => {
  const positions: Array<string> = []
  const names: Array<string> = []
  const methods = document.methods.map((method) => {
    const { name, paramStructure, params, "x-parley-params": whole } = method
    if (paramStructure !== undefined || whole !== undefined || params.length === 0) return method
    const isByPosition = byPosition ?? params.every(({ required }) => required === true)
    const guessed = isByPosition ? positions : names
    guessed.push(name)
    return isByPosition ? { ...method, paramStructure: "by-position" as const } : method
  })
  const said = [["by position", positions], ["by name", names]] as const
  const guesses = said.flatMap(([how, methods]) => methods.length === 0 ? [] : [`${how} ${methods.join(", ")}`])
  return {
    document: { ...document, methods },
    guessed: byPosition !== undefined || guesses.length === 0 ? [] : [{
      path: pointer(["methods"]),
      issue: `methods without paramStructure are called as a guess: ${guesses.join("; ")}`
    }]
  }
}
