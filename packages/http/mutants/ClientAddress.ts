import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src",
  test: "packages/http/test/ClientAddress.test.ts",
  mutants: [
    {
      name: "a-client-chooses-its-address",
      promise: 6,
      find: `header.split(",").reverse()`,
      replace: `header.split(",")`,
      title: "is the last that no trusted proxy has"
    },
    {
      name: "whoever-connects-is-believed",
      promise: 6,
      find: `clientAt(address, isTrusted(address))`,
      replace: `clientAt(address, true)`,
      title: "is that of the connection where this is no trusted proxy"
    }
  ]
} satisfies Mutants
