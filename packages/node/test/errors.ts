import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"

export default {
  TokenFileError: {
    names: { path: foreign, rule: "chmod 600" },
    make: (foreign) => new NodeTokenStore.TokenFileError({ path: foreign, rule: "`chmod 600` it" })
  }
} satisfies Examples
