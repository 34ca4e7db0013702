import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/posted.ts",
  test: "packages/transport/test/MessagePortTransport.test.ts",
  mutants: [
    {
      name: "port-waits-between-sends-only",
      promise: 18,
      find: `for (let index = first; index < texts.length; index++) {\n      if (`,
      replace: `for (let index = first; index < texts.length; index++) {\n      if (index === 0 && `
    },
    {
      name: "port-takes-a-number-for-a-text",
      promise: 14,
      find: `typeof value === "string" ? onText(value)`,
      replace: `value !== null ? onText(String(value))`
    }
  ]
} satisfies Mutants
