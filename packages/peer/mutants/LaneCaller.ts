import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/LaneCaller.ts",
  test: "packages/peer/test/Lanes.test.ts",
  mutants: [
    {
      name: "a-lane-does-not-hear-of-timeouts",
      promise: 8,
      find: `    call.onTimeout = onTimeout\n`,
      replace: ``
    },
    {
      name: "a-handler-that-asks-by-a-lane-holds-back-the-others",
      promise: 13,
      find: `peer: caller, release, connection`,
      replace: `peer: caller, release: () => release === undefined, connection`
    },
    {
      name: "calls-that-wait-for-their-turn-outlive-the-lane",
      promise: 9,
      find: `      isClosed: () => way.gone() !== undefined,`,
      replace: `      isClosed: () => false,`
    }
  ]
} satisfies Mutants
