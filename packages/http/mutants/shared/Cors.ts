import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/shared/Cors.ts",
  test: "packages/http/test/shared/Cors.test.ts",
  mutants: [
    {
      name: "an-origin-that-begins-like-a-listed-one",
      promise: 6,
      title: "answers the preflights of listed origins, and no others",
      find: `origins.includes(origin)`,
      replace: `origins.some((one) => origin.startsWith(one))`
    },
    {
      name: "any-origin-with-cookies",
      promise: 6,
      title: "takes any origin only without credentials",
      find: `if (origins === "any" && credentials) {`,
      replace: `if (origins === "any" && credentials && maxAge) {`
    },
    {
      name: "a-private-network-unasked",
      promise: 6,
      title: "lets pages send cookies, see headers and keep answers only where",
      find: `privateNetwork && header(`,
      replace: `header(`
    }
  ]
} satisfies Mutants
