import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/commands/codegen.ts",
  test: "packages/cli/test/commands/openrpc.test.ts",
  mutants: [
    {
      name: "codegen-reads-beside-its-folders",
      promise: 1,
      find: `return path?.startsWith(folder) === true ? path : undefined`,
      replace: `return path`,
      title: "reads nothing beside the folders of the document and of --ref"
    }
  ]
} satisfies Mutants
