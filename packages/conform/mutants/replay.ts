import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal",
  test: "packages/conform/test/replay/replay.test.ts",
  mutants: [
    {
      name: "a-replay-sends-values-of-then",
      promise: 3,
      find: "return this.#bindings.text(text)\n  }",
      replace: "return text\n  }",
      title: "sends back the values of now"
    },
    {
      name: "a-replay-ignores-nothing",
      promise: 14,
      find: "if (found.length >= most || isIgnored(path)) return",
      replace: "if (found.length >= most) return",
      title: "tells what has changed, with the place"
    },
    {
      name: "a-replay-hides-what-is-new",
      promise: 17,
      find: "if (nearest === undefined) this.#additional.push(came)",
      replace: "if (nearest === undefined) continue",
      title: "answers what the server asks as the client did"
    },
    {
      name: "recordings-of-any-version-are-read",
      promise: 1,
      find: `recorded._tag === "Begun" && recorded.version > Recorder.version`,
      replace: `recorded._tag === "Begun" && recorded.version < 0`,
      test: "packages/conform/test/replay/recording.test.ts",
      title: "reads what older versions wrote"
    }
  ]
} satisfies Mutants
