import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Reader.ts",
  test: "packages/peer/test/Reading.test.ts",
  mutants: [
    {
      name: "the-end-is-not-heard-behind-a-full-inbox",
      promise: 19,
      test: "packages/peer/test/regression/inbox.test.ts",
      find: `    if (held !== undefined) read()\n`,
      replace: ``
    },
    {
      name: "calls-behind-a-pause-outlive-the-connection",
      promise: 9,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `        if (ended !== undefined) return options.onEnd(ended)\n`,
      replace: ``
    },
    {
      name: "the-other-side-waits-for-a-whole-chunk",
      promise: 12,
      find: `      if (at + 1 === chunk.length >> 1) outbox.relieve()\n`,
      replace: ``,
      title: "writes what the first half of much had to say before it takes the second"
    },
    {
      name: "reading-takes-a-fiber",
      promise: 12,
      find: `Direct.takeOf(transport) ?? `,
      replace: ``,
      title: "reads and writes without a fiber where its transport needs none"
    },
    {
      name: "who-sends-without-end-is-read-without-end",
      promise: 12,
      find: `        if (turn >= fairness) return pause()\n`,
      replace: ``
    },
    {
      name: "what-is-thrown-by-the-taking-of-a-text-is-lost",
      promise: 9,
      find: `      return end(Cause.die(defect))\n`,
      replace: `      return\n`
    },
    {
      name: "transports-that-throw-are-read-no-more",
      promise: 9,
      find: `return void onRead(Exit.die(defect))`,
      replace: `return undefined`
    }
  ]
} satisfies Mutants
