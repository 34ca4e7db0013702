import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/files/wholeFile.ts",
  test: "packages/cli/test/files/wholeFile.test.ts",
  mutants: [
    {
      name: "another-group-reads-a-replaced-file",
      promise: 15,
      find: "return permissions & ~0o070",
      replace: "return permissions",
      title: "lets no other group read it"
    },
    {
      name: "another-user-becomes-the-owner-of-a-file",
      promise: 15,
      find: "if (now.uid === uid) return",
      replace: "if (true) return",
      title: "is named where another user would become it"
    }
  ]
} satisfies Mutants
