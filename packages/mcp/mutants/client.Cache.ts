import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Cache.ts",
  test: "packages/mcp/test/client/Lists.test.ts",
  mutants: [
    {
      name: "what-is-kept-is-kept-for-ever",
      promise: 14,
      find: `if (entry.until <= now) return undefined`,
      replace: ``,
      title: "a page is kept for as long"
    },
    {
      name: "a-change-forgets-nothing",
      promise: 14,
      find: `() => forget("tools/list")`,
      replace: `() => {}`,
      title: "a change of the list"
    },
    {
      name: "the-cache-grows",
      promise: 17,
      find: `if (entries.size <= capacity) break`,
      replace: `if (entries.size >= capacity) break`,
      title: "no more results are kept than allowed"
    },
    {
      name: "what-is-used-goes-first",
      promise: 14,
      find: `    entries.set(name, entry)
`,
      replace: ``,
      title: "no more results are kept than allowed"
    },
    {
      name: "an-update-forgets-all-resources",
      promise: 14,
      find: `method === "resources/read" && isWithin(uri, key)`,
      replace: `method === "resources/read"`,
      title: "a resource is kept by its uri"
    },
    {
      name: "what-is-old-when-it-comes-is-kept",
      promise: 14,
      find: ` || since !== changes`,
      replace: ``,
      title: "a result that was on its way"
    }
  ]
} satisfies Mutants
