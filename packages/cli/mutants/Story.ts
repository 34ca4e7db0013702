import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/tap/Story.ts",
  test: "packages/cli/test/tap.test.ts",
  mutants: [
    {
      name: "tap-remembers-for-ever",
      promise: 8,
      find: `if (this.#waiting.size <= this.#most) return`,
      replace: `return`,
      title: "knows of no more waiting requests"
    },
    {
      name: "tap-mixes-directions",
      promise: 7,
      find: `\`\${connection} \${direction === "sent" ? "received" : "sent"} \${RequestId.toText(id)}\``,
      replace: `\`\${connection} sent \${RequestId.toText(id)}\``,
      title: "tells connections apart"
    }
  ]
} satisfies Mutants
