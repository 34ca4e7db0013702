import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpClient/Line.ts",
  test: "packages/mcp/test/http-client/posts.test.ts",
  mutants: [
    {
      name: "headers-go-to-any-origin",
      promise: 6,
      find: `target?.origin === from.origin ? target : undefined`,
      replace: `target ?? undefined`,
      title: "go to no other origin"
    },
    {
      name: "redirects-never-end",
      promise: 14,
      find: `left === 0 ? undefined : targetOf(response, url)`,
      replace: `left === -20 ? undefined : targetOf(response, url)`,
      title: "a circle of redirects ends"
    },
    {
      name: "no-request-names-the-revision",
      promise: 1,
      find: `=== "afterInitialize"`,
      replace: `=== "none"`,
      title: "say what they hold and accept"
    }
  ]
} satisfies Mutants
