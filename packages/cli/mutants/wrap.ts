import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/tap/configuration/wrap.ts",
  test: "packages/cli/test/tap/wrap.test.ts",
  mutants: [
    {
      name: "wrap-writes-the-command-anew",
      promise: 2,
      find: `argsOf(entry, wrapping, mark, sourceOf(text, value))`,
      replace: `argsOf(entry, wrapping, mark, JSON.stringify(value.value))`,
      title: "is taken away to the last character"
    },
    {
      name: "wrap-forgets-that-there-were-no-args",
      promise: 2,
      find: `const mark = args === undefined ? ["command"] : ["command", "args"]`,
      replace: `const mark = ["command", "args"]`,
      title: "is taken away to the last character"
    },
    {
      name: "wrap-joins-the-words-of-a-command",
      promise: 2,
      find: `[...words.map((word) => JSON.stringify(word)), source]`,
      replace:
        `[...words.slice(0, -1).map((word) => JSON.stringify(word)), JSON.stringify("stdio:" + JSON.parse(source))]`,
      title: "starts each server as it was started before"
    },
    {
      name: "wrap-puts-a-second-tap",
      promise: 2,
      find: `if (Mark.isIn(members)) return Result.fail(already)`,
      replace: ``,
      title: "is put there once"
    },
    {
      name: "wrap-shows-headers-in-arguments",
      promise: 2,
      find: `names.push(key.value)`,
      replace: `names.push(value.value)`,
      title: "starts each server as it was started before"
    },
    {
      name: "wrap-shows-the-query-of-a-url-in-arguments",
      promise: 2,
      find: `if (secretPart.test(value.value)) {`,
      replace: `if (secretPart.test("")) {`,
      title: "leaves servers alone"
    },
    {
      name: "wrap-copies-what-a-comment-ends-with",
      promise: 2,
      find: `/[ \\t\\r\\n]/.test`,
      replace: `/\\s/.test`,
      title: "is taken away to the last character"
    }
  ]
} satisfies Mutants
