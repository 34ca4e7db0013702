import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/revision/Envelope.ts",
  test: "packages/mcp/test/revision/Envelope.test.ts",
  mutants: [
    {
      name: "envelope-of-a-legacy-revision",
      promise: 1,
      find: ` || era(revision) !== "modern"`,
      replace: ``,
      title: "refuses as its revision"
    },
    {
      name: "envelope-without-capabilities",
      promise: 1,
      find: `const required = [protocolVersion, clientCapabilities]`,
      replace: `const required = [protocolVersion]`,
      title: "names every key that a request must have and lacks"
    }
  ]
} satisfies Mutants
