import * as NodeFolder from "@parley/node/NodeFolder"
import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"

export default {
  FolderError: {
    names: { path: "references/a.md", rule: foreign },
    make: (foreign) => new NodeFolder.FolderError({ path: "references/a.md", rule: foreign })
  },
  TokenFileError: {
    names: { path: foreign, rule: "chmod 600" },
    make: (foreign) => new NodeTokenStore.TokenFileError({ path: foreign, rule: "`chmod 600` it" })
  }
} satisfies Examples
