import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/Handshake.ts",
  test: "packages/transport/test/Handshake.test.ts",
  mutants: [
    {
      name: "a-whole-url-hides-its-host",
      promise: 6,
      title: "has its path, its query and its host",
      find: `absolute.exec(url)?.[1] ?? header("host")`,
      replace: `header("host")`
    }
  ]
} satisfies Mutants
