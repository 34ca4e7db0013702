import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/NodeChildProcess.ts",
  test: "packages/node/test/NodeChildProcess.test.ts",
  mutants: [
    {
      name: "process-that-exits-loses-its-stdout",
      promise: 19,
      title: "what a process wrote before it exited",
      find: `  source.start()\n`,
      replace: ``
    },
    {
      name: "process-gets-all-of-our-environment",
      promise: 15,
      title: "gives the process no secrets",
      find: `inherit, env })`,
      replace: `env })`
    }
  ]
} satisfies Mutants
