import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-apps/src",
  test: "packages/mcp-apps/test/McpSkills.test.ts",
  mutants: [
    {
      name: "skill-of-another-digest-is-loaded",
      promise: 14,
      find: "if (digest !== file.digest) return",
      replace: "if (digest === undefined) return",
      title: "refuses a file whose "
    },
    {
      name: "skill-of-another-size-is-hashed",
      promise: 14,
      find: "if (bytes.byteLength !== file.size) {",
      replace: "if (bytes.byteLength < file.size) {",
      title: "refuses a file whose "
    },
    {
      name: "skill-of-another-frontmatter-is-loaded",
      promise: 14,
      find: "if (JsonObject.canonical(frontmatter.success) !== JsonObject.canonical(skill.frontmatter)) {",
      replace: "if (frontmatter.success[\"name\"] !== skill.frontmatter.name) {",
      title: "refuses a file whose "
    },
    {
      name: "skill-reads-what-is-not-listed",
      promise: 14,
      find: "if (segments === undefined || (skill.resources !== \"dynamic\" && file === undefined)) {",
      replace: "if (segments === undefined) {",
      title: "reads nothing while it connects, lists and gets"
    },
    {
      name: "skill-lists-files-of-others",
      promise: 14,
      find: "return outside === undefined ? undefined : `it lists ${outside.uri}, which is not in its folder`",
      replace: "return undefined",
      title: "leaves out an entry with "
    },
    {
      name: "frontmatter-becomes-what-aliases-write",
      promise: 5,
      test: "packages/mcp-apps/test/Skill.test.ts",
      find: "if (--budget.left < 0) throw",
      replace: "if (--budget.left < -Infinity) throw",
      title: "is bounded, however much its text stands for"
    },
    {
      name: "app-only-tool-is-for-everybody",
      promise: 14,
      test: "packages/mcp-apps/test/McpApps.test.ts",
      find: "return feature._tag !== \"McpTool\" || isForModel(feature.info) || isSupported(client)",
      replace: "return true",
      title: "are ordinary tools to a client without them"
    },
    {
      name: "page-may-be-anything",
      promise: 14,
      test: "packages/mcp-apps/test/McpApps.test.ts",
      find: "if (contents.mimeType !== mediaType) return",
      replace: "if (contents.mimeType === undefined) return",
      title: "what is no page is none for our client"
    },
    {
      name: "tools-for-pages-are-shown-where-nobody-can-tell",
      promise: 23,
      test: "packages/mcp-apps/test/McpApps.test.ts",
      find: "visibility?.includes(\"model\") === false && {",
      replace: "visibility?.includes(\"model\") === true && {",
      title: "show tools for pages alone to nobody"
    }
  ]
} satisfies Mutants
