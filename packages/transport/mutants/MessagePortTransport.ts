import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/posted.ts",
  test: "packages/transport/test/MessagePortTransport.test.ts",
  mutants: [
    {
      name: "port-never-waits-for-credits",
      promise: 18,
      find: `counts !== false && onItsWay > window`,
      replace: `false`
    },
    {
      name: "port-waits-between-sends-only",
      promise: 18,
      find: `for (let index = first; index < texts.length; index++) {\n      if (`,
      replace: `for (let index = first; index < texts.length; index++) {\n      if (index === 0 && `
    },
    {
      name: "port-of-a-flood-is-never-unread",
      promise: 18,
      find: `bounds: boundsOf(limits, budget, window), `,
      replace: ``
    },
    {
      name: "port-keeps-what-is-too-large",
      promise: 5,
      find: `if (text.length <= limits.frame) return`,
      replace: `if (text.length >= 0) return`
    },
    {
      name: "port-takes-a-number-for-a-text",
      promise: 14,
      find: `typeof value === "string" ? onText(value)`,
      replace: `value !== null ? onText(String(value))`
    }
  ]
} satisfies Mutants
