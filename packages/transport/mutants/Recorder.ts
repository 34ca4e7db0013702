import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/Recorder.ts",
  test: "packages/transport/test/Recorder.test.ts",
  mutants: [
    {
      name: "recording-without-bound",
      promise: 18,
      find: `if (size > unwritten) return Effect.flatMap(room.await, () => see(frame))`,
      replace: ``,
      title: "makes the traffic wait while too much of it is unwritten"
    },
    {
      name: "recording-ends-unwritten",
      promise: 19,
      find: `return Fiber.await(writer)`,
      replace: `return Effect.void`,
      test: "packages/node/test/Recorder.test.ts",
      title: "writes what passed, in order and as it was, and all of it when the Scope closes"
    },
    {
      name: "recording-fails-the-traffic",
      promise: 14,
      find: `    isOver = true\n    lines = []`,
      replace: `    lines = []`,
      test: "packages/node/test/Recorder.test.ts",
      title: "a disk that is full costs the recording, said once, and not the traffic"
    },
    {
      name: "recording-hangs-on-a-defect",
      promise: 14,
      find: `Effect.catchCause(writeAll, giveUp)`,
      replace: `writeAll`,
      title: "a disk with a defect"
    },
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
