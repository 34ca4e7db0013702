import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src",
  test: "packages/mcp-gateway/test/hostile/questions.test.ts",
  mutants: [
    {
      name: "context-of-a-gateway-for-one-server",
      promise: 23,
      find: `includeContext === "thisServer" ? JsonObject.omit(params, "includeContext") : params`,
      replace: "params",
      title: "says which server asks: "
    },
    {
      name: "question-without-the-name-of-its-server",
      promise: 23,
      find: "marked(asker, Relayed.carry({ ...params, message: said(asker.label, params.message) }, params))",
      replace: "marked(asker, params)",
      title: "says which server asks: "
    },
    {
      name: "question-forges-a-line-of-another-server",
      promise: 23,
      find: `lines.includes("\\n")`,
      replace: "false",
      title: "says which server asks: "
    },
    {
      name: "instructions-forge-a-section",
      promise: 23,
      find: ".split(\"\\n\").map((line) => `> ${line}`)",
      replace: ".split(\"\\n\").map((line) => line)",
      title: "forge no section of another"
    },
    {
      name: "error-of-a-server-behind-offers-any-address",
      promise: 23,
      find: "McpError.urlsOf(failure).some((url) => !isOfferable(url))",
      replace: "McpError.urlsOf(failure).length > 9",
      title: "in such an error of a server behind has the name of the server"
    },
    {
      name: "uris-are-declared-twice-in-two-spellings",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/names.test.ts",
      find: "another.uris?.some((taken) => Uri.isSame(uri, taken))",
      replace: "another.uris?.includes(uri)",
      title: "is not built with "
    },
    {
      name: "prefixes-that-contain-each-other",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/names.test.ts",
      find: "if (prefix.startsWith(shorter)) {",
      replace: "if (prefix === shorter) {",
      title: "is not built with "
    },
    {
      name: "session-behind-for-all-principals",
      promise: 23,
      test: "packages/mcp-gateway/test/callers/sessions.test.ts",
      find: "const owner = isShared ? undefined : ownerOf(call)",
      replace: "const owner = call.id === null ? ownerOf(call) : undefined",
      title: "belongs to one principal, whose client "
    },
    {
      name: "session-behind-for-all-connections",
      promise: 23,
      test: "packages/mcp-gateway/test/callers/sessions.test.ts",
      find: "(typeof party === \"object\" ? party : undefined)",
      replace: "undefined",
      title: "belongs to one connection without a principal"
    },
    {
      name: "failed-late-lists-are-a-change",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/lists.test.ts",
      find: "if (Exit.isFailure(exit) || Option.isNone(exit.value)) return",
      replace: "if (Exit.isFailure(exit) || Option.isNone(exit.value)) return this.#onLate()",
      title: "are no change where they fail: "
    },
    {
      name: "late-lists-are-always-a-change",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/lists.test.ts",
      find: "if (features !== given || features !== known()) this.#onLate()",
      replace: "this.#onLate()",
      title: "are told of "
    },
    {
      name: "calls-have-the-patience-of-lists",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/lists.test.ts",
      find: `if (waiting === "call") return Effect.timeoutOption(effect, patience)`,
      replace: "",
      title: "waits for the lists of the principal, also while those of another do not come: "
    },
    {
      name: "waits-below-the-patience-count-for-nothing",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/lists.test.ts",
      find: "if (this.#isSilent || waited >= brief) this.#waited += waited",
      replace: "",
      title: "holds up reads from another for "
    },
    {
      name: "every-wait-counts",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/lists.test.ts",
      find: "if (this.#isSilent || waited >= brief) this.#waited += waited",
      replace: "this.#waited += waited",
      title: "is waited for each time where that takes less than a second"
    }
  ]
} satisfies Mutants
