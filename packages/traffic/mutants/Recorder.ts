import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/traffic/src/Recorder.ts",
  test: "packages/traffic/test/Recorder.test.ts",
  mutants: [
    {
      name: "recording-cannot-be-read-where-it-was-no-text",
      promise: 1,
      find: `"InvalidUtf8", "NotText"`,
      replace: `"InvalidUtf8"`,
      title: "reads back as its frame for every reason"
    },
    {
      name: "recording-for-everybody",
      promise: 15,
      find: `{ flag: "a", mode: ownerOnly }`,
      replace: `{ flag: "a" }`,
      test: "packages/node/test/Recorder.test.ts",
      title: "writes what passed, in order and as it was, and all of it when the Scope closes"
    }
  ]
} satisfies Mutants
