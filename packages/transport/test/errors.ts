import type { Examples } from "../../../tools/errors/Example.ts"
import * as TransportError from "../src/TransportError.ts"

export default {
  TransportError: (foreign) => TransportError.make({ _tag: "Lost", cause: new Error(foreign) })
} satisfies Examples
