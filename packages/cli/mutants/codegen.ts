import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/commands/codegen.ts",
  test: "packages/cli/test/commands/openrpc.test.ts",
  mutants: [
    {
      name: "a-document-forges-a-line-of-codegen",
      promise: 7,
      find: "usage(`${printableLine(file)} cannot be read:",
      replace: "usage(`${file} cannot be read:",
      title: "lets a document forge no line"
    },
    {
      name: "codegen-reads-beside-its-folders",
      promise: 1,
      find: `return file?.startsWith(folder) === true ? { file, within: folder } : undefined`,
      replace: `return file === undefined ? undefined : { file }`,
      title: "reads nothing beside the folders of the document and of --ref"
    },
    {
      name: "codegen-follows-links-out-of-its-folders",
      promise: 1,
      find: `"JSON Schemas are JSON", found.within)`,
      replace: `"JSON Schemas are JSON")`,
      title: "follows no link below the folders of the document and of --ref"
    }
  ]
} satisfies Mutants
