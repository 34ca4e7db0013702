import * as NodeFolder from "@parley/node/NodeFolder"
import * as NodeSqliteJournal from "@parley/node/NodeSqliteJournal"
import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"

export default {
  FolderError: {
    names: { path: "references/a.md", rule: foreign },
    make: (foreign) => new NodeFolder.FolderError({ path: "references/a.md", rule: foreign })
  },
  SqliteFileError: {
    names: { path: foreign, rule: "file is not a database" },
    make: (foreign) => new NodeSqliteJournal.SqliteFileError({ path: foreign, rule: "file is not a database" })
  },
  TokenFileError: {
    names: { path: foreign, rule: "chmod 600" },
    make: (foreign) => new NodeTokenStore.TokenFileError({ path: foreign, rule: "`chmod 600` it" })
  }
} satisfies Examples
