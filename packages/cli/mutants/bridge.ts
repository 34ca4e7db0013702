import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/mcp",
  test: "packages/cli/test/mcp/bridge/parts.test.ts",
  mutants: [
    {
      name: "a-ping-waits-for-the-handshake",
      promise: 7,
      test: "packages/cli/test/mcp/bridge/patience.test.ts",
      find: "connection === undefined || method === \"ping\"",
      replace: "connection === undefined",
      title: "is waited for by a handshake"
    },
    {
      name: "who-listens-does-not-wait-for-the-server",
      promise: 11,
      test: "packages/cli/test/mcp/bridge/patience.test.ts",
      find: "const listening = \"subscriptions/listen\"",
      replace: "const listening = \"\"",
      title: "is waited for by who listens"
    },
    {
      name: "a-subscription-ends-with-the-resource",
      promise: 7,
      test: "packages/cli/test/mcp/bridge/development/generations.test.ts",
      find: "Stream.interruptWhen(Stream.concat(told, Stream.never), Deferred.await(left))",
      replace: "Stream.concat(told, left && Stream.never)",
      title: "goes on where a process has no such resource"
    },
    {
      name: "a-name-has-the-value-of-a-flag",
      promise: 7,
      test: "packages/cli/test/mcp/bridge/name.test.ts",
      find: "if (valued.has(word)) index++",
      replace: "if (valued.has(word)) continue",
      title: "is the runner and its package"
    },
    {
      name: "a-folder-is-not-watched-and-nobody-knows",
      promise: 7,
      test: "packages/cli/test/mcp/bridge/development/files.test.ts",
      find: "return this.#unwatched(path, `there are",
      replace: "return void (`there are",
      title: "name the first folder that is not watched"
    },
    {
      name: "a-second-process-ends-the-generation-by-its-first-start",
      promise: 7,
      test: "packages/cli/test/mcp/bridge/development/generations.test.ts",
      find: "let hasShaken = false",
      replace: "let hasShaken = true",
      title: "end it only when they have shaken hands"
    },
    {
      name: "a-call-waits-for-a-process-that-is-gone",
      promise: 7,
      find: "Effect.flatMap(Deferred.await(now.left), (why) => Effect.fail(this.#lost(why)))",
      replace: "Effect.never",
      title: "ends the calls of a process with it"
    },
    {
      name: "an-empty-file-of-silent-servers-ends-the-command",
      promise: 7,
      find: "return Array.isArray(keys) ? keys.filter((key) => typeof key === \"string\").slice(-most) : []",
      replace: "return (keys as ReadonlyArray<string>).slice(-most)",
      title: "forgets what a corrupt file has"
    },
    {
      name: "a-server-is-started-again-by-its-own-files",
      promise: 7,
      test: "packages/cli/test/mcp/bridge/development/files.test.ts",
      find: "&& !written.test(name)",
      replace: "",
      title: "leaves out what is hidden, installed, built or written"
    },
    {
      name: "a-call-does-not-say-why-its-server-is-away",
      promise: 7,
      find: "`cannot be reached: ${away}`",
      replace: "`cannot be reached`",
      title: "says why a server is away"
    }
  ]
} satisfies Mutants
