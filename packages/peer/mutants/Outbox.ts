import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Outbox.ts",
  test: "packages/peer/test/Ends.test.ts",
  mutants: [
    {
      name: "no-bound-on-what-waits",
      promise: 18,
      find: `calls < capacity && budget?.isSpent() !== true`,
      replace: `calls >= 0`
    },
    {
      name: "parked-calls-stay-parked",
      promise: 18,
      find: `      parked.delete(owner)\n      enter()\n`,
      replace: `      parked.delete(owner)\n`
    },
    {
      name: "stalled-writes-wait-for-ever",
      promise: 18,
      find: `    sweeper.set(stall, options.writeStall)\n`,
      replace: ``
    },
    {
      name: "parked-notifications-are-forgotten",
      promise: 9,
      test: "packages/peer/test/regression/parked.test.ts",
      find: `      for (const enter of waiting) enter()\n`,
      replace: ``
    },
    {
      name: "little-is-written-in-halves",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      find: `calls + replies >= worthwhile`,
      replace: `true`,
      title: "writes in one go what little had to say"
    },
    {
      name: "writing-takes-a-fiber",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      find: `Direct.giveOf(transport) ?? `,
      replace: ``,
      title: "reads and writes without a fiber where its transport needs none"
    },
    {
      name: "transports-are-no-objects",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      find: `((texts) => transport.send(texts))`,
      replace: `transport.send`,
      title: "speaks over a transport that is a class"
    },
    {
      name: "transports-that-throw-are-not-lost",
      promise: 9,
      test: "packages/peer/test/regression/defects.test.ts",
      find: `      return Exit.die(defect)\n`,
      replace: `      throw defect\n`
    }
  ]
} satisfies Mutants
