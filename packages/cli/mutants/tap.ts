import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src",
  test: "packages/cli/test/commands/tap.test.ts",
  mutants: [
    {
      name: "tap-mixes-directions",
      promise: 7,
      find: "`${connection} ${direction === \"sent\" ? \"received\" : \"sent\"} ${RequestId.keyOf(id)}`",
      replace: "`${connection} sent ${RequestId.keyOf(id)}`",
      title: "tells connections apart"
    },
    {
      name: "tap-remembers-methods-of-any-length",
      promise: 5,
      find: ` && this.#size <= this.#most.windowBytes`,
      replace: ``,
      title: "remembers no more characters"
    },
    {
      name: "a-display-shows-secrets",
      promise: 15,
      test: "packages/cli/test/tap/Display.test.ts",
      find: "secrets ? entry : redacted(entry, redact)",
      replace: "secrets ? redacted(entry, redact) : entry",
      title: "cuts lines to the terminal, and replaces secrets"
    },
    {
      name: "a-filter-leaves-nothing-out",
      promise: 7,
      test: "packages/cli/test/tap/Filter.test.ts",
      find: " && !unwanted.some((test) => test(entry))",
      replace: "",
      title: "shows what a kind or a pattern of methods names"
    },
    {
      name: "a-session-is-many-connections",
      promise: 7,
      test: "packages/cli/test/tap/WatchedFetcher.test.ts",
      find: "if (begun !== undefined) sessions.remember(begun, connection)",
      replace: "",
      title: "shows what is posted and what comes back, by sessions"
    },
    {
      name: "an-older-session-is-many-connections",
      promise: 7,
      test: "packages/cli/test/tap/WatchedFetcher.test.ts",
      find: "const name = known ?? session",
      replace: "const name = known",
      title: "shows a session that began before as one connection"
    },
    {
      name: "an-answer-passes-before-it-is-shown",
      promise: 12,
      test: "packages/cli/test/tap/WatchedFetcher.test.ts",
      find: "return before === undefined ? undefined : take(before)",
      replace: "last = undefined; return take(chunk)",
      title: "gives the last piece to the reader when all was shown"
    },
    {
      name: "a-watcher-keeps-texts-without-bound",
      promise: 5,
      test: "packages/cli/test/tap/WatchedFetcher.test.ts",
      find: "bytes > this.#limit || ",
      replace: "",
      title: "passes a text on unseen that is too large"
    }
  ]
} satisfies Mutants
