import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** What people type, and what they see of it. */
export default {
  file: "packages/cli/src",
  test: "packages/cli/test/arguments/grammar.test.ts",
  mutants: [
    {
      name: "a-typed-number-is-rounded",
      promise: 2,
      find: "  json.parseUnsafe(\n    `{${Array.from(members",
      replace: "  JSON.parse(\n    `{${Array.from(members",
      title: "keep the digits of their numbers"
    },
    {
      name: "a-value-with-a-name-is-not-checked",
      promise: 2,
      find: "Effect.as(Effect.fromResult(valueOf(text, place)), { isJson, text })",
      replace: "Effect.as(Effect.succeed(place), { isJson, text })",
      title: "say what was read"
    },
    {
      name: "a-word-beside-names-is-lost",
      promise: 27,
      find: "if (named !== undefined && item !== undefined) return fail({ _tag: \"Mixed\", named, word: item.word })",
      replace: "",
      title: "say what was read"
    },
    {
      name: "a-wrong-header-is-shown",
      promise: 15,
      test: "packages/cli/test/arguments/headers.test.ts",
      find: "`a ${flag} is not of the form NAME=${what}`",
      replace: "`${text} is not of the form NAME=${what}`",
      title: "are in no message"
    },
    {
      name: "a-server-names-a-file",
      promise: 15,
      test: "packages/cli/test/mcp/commands/files.test.ts",
      find: "/^[a-z0-9]{1,8}$/.test(subtype) ? subtype : \"bin\"",
      replace: "subtype",
      title: "are named by their types"
    },
    {
      name: "notifications-wait-without-bound",
      promise: 17,
      test: "packages/cli/test/commands/Following.test.ts",
      find: "Queue.bounded<Notification>(mostWaiting)",
      replace: "Queue.unbounded<Notification>()",
      title: "waits in a bounded queue"
    },
    {
      name: "notifications-before-the-end-are-lost",
      promise: 27,
      test: "packages/cli/test/commands/Following.test.ts",
      find: "(exit) => Exit.isSuccess(exit) ? waiting : rest",
      replace: "() => Effect.void",
      title: "is shown in its order"
    },
    {
      name: "a-broken-line-passes-for-an-entry",
      promise: 15,
      test: "packages/cli/test/terminal/wrap.test.ts",
      find: "[below.marked, below.marked]",
      replace: "[\"\", \"\"]",
      title: "keeps texts in their column"
    },
    {
      name: "a-spinner-writes-over-a-line",
      promise: 27,
      test: "packages/cli/test/terminal/Spinner.test.ts",
      find: "if (++this.#silence < quiet || !this.#isFresh) return",
      replace: "if (++this.#silence < quiet) return",
      title: "makes room for other lines"
    }
  ]
} satisfies Mutants
