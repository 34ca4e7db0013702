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
    },
    {
      name: "whoever-logs-in-has-the-name-of-the-handshake",
      promise: 6,
      test: "packages/middleware/test/Login.test.ts",
      title: "stands beside what `authorize` gave, which a logout leaves",
      find: `Context.omit(Name)(principal)`,
      replace: `principal`
    }
  ]
} satisfies Mutants
