import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/shared/access/Access.ts",
  test: "packages/http/test/shared/Access.test.ts",
  mutants: [
    {
      name: "access-takes-a-missing-host",
      promise: 6,
      find: `nameOf(host ?? "")`,
      replace: `nameOf(host ?? "localhost")`
    },
    {
      name: "access-lets-unknown-addresses-in",
      promise: 6,
      find: `head.address === undefined || isLoopback(head.address)`,
      replace: `head.address !== undefined && isLoopback(head.address)`
    },
    {
      name: "access-looks-at-the-end-of-a-host",
      promise: 6,
      find: `^(?:::ffff:)?127\\.\\d+\\.\\d+\\.\\d+$`,
      replace: `^(?:::ffff:)?127\\.\\d+\\.\\d+\\.\\d+`
    }
  ]
} satisfies Mutants
