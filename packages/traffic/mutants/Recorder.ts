import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/traffic/src",
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
    },
    {
      name: "recordings-hide-their-connections",
      promise: 9,
      find: "if (opened.add(connection)) add({",
      replace: "if (opened.add(connection) && time < 0) add({",
      title: "says the version of its format, and each connection"
    },
    {
      name: "recordings-hide-who-closed",
      promise: 9,
      find: "Effect.map(makeObserver(path, options), Tap.makeWithClose)",
      replace: "Effect.map(makeObserver(path, options), Tap.make)",
      title: "says which side has closed a connection first"
    },
    {
      name: "secrets-are-recorded-in-base64",
      promise: 15,
      find: "redact(shown) === shown ? one",
      replace: "shown === shown ? one",
      title: "keeps the bytes of what was no UTF-8, unless"
    }
  ]
} satisfies Mutants
