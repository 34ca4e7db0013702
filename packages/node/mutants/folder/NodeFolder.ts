import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/NodeFolder.ts",
  test: "packages/node/test/folder/NodeFolder.test.ts",
  mutants: [
    {
      name: "a-folder-on-the-way-may-be-a-link",
      promise: 1,
      find: `yield* mustBeAt(folder, path, stats)`,
      replace: ``,
      title: "are read one by one by the same rules"
    }
  ]
} satisfies Mutants
