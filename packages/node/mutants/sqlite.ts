import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/sqlite",
  test: "packages/node/test/sqlite/NodeSqliteJournal.test.ts",
  mutants: [
    {
      name: "an-older-epoch-writes-to-a-file",
      promise: 9,
      find: `epoch < known.epoch ? { newest: known.epoch } : change(known)`,
      replace: `change(known)`,
      title: "is there for who opens it again"
    },
    {
      name: "a-key-that-is-there-again-is-followed-on",
      promise: 22,
      find: `if (born !== undefined && known?.born !== born) return undefined`,
      replace: ``,
      title: "ends who follows a key that another process drops"
    }
  ]
} satisfies Mutants
