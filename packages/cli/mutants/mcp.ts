import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src",
  test: "packages/cli/test/mcp/shapes.test.ts",
  mutants: [
    {
      name: "a-file-of-pins-is-rounded",
      promise: 3,
      test: "packages/cli/test/mcp/gateway/pins.test.ts",
      find: "try: () => json.parseUnsafe(text)",
      replace: "try: () => JSON.parse(text)",
      title: "keeps the digits of numbers"
    },
    {
      name: "a-chunk-of-stderr-is-a-line",
      promise: 7,
      test: "packages/cli/test/mcp/gateway/StderrLines.test.ts",
      find: `this.#rest = lines.pop() ?? ""`,
      replace: `this.#rest = ""`,
      title: "is told in whole lines"
    },
    {
      name: "an-unread-file-of-pins-approves-nothing",
      promise: 7,
      test: "packages/cli/test/mcp/gateway/pins.test.ts",
      find: "unread.isFree ? Effect.succeed<Approved>(new Map())",
      replace: "unread !== undefined ? Effect.succeed<Approved>(new Map())",
      title: "says so of a file that cannot be read"
    },
    {
      name: "a-proposed-number-is-rounded",
      promise: 3,
      test: "packages/cli/test/mcp/Asked.test.ts",
      find: `Relayed.textOf(schema, "default") ?? String(usual)`,
      replace: "String(usual)",
      title: "is no number that would be sent with other digits"
    },
    {
      name: "margin-lets-others-drive-the-terminal",
      promise: 7,
      find: "`${printableLine(text)}\\n`",
      replace: "`${text}\\n`",
      title: "writes lines elsewhere, and control characters as what they are"
    },
    {
      name: "a-message-of-a-server-has-lines-of-its-own",
      promise: 7,
      find: "import { printableLine } from \"../../terminal/output.ts\"\nimport type { Stream }",
      replace: "import { printable as printableLine } from \"../../terminal/output.ts\"\nimport type { Stream }",
      title: "writes lines elsewhere, and control characters as what they are"
    },
    {
      name: "an-argument-forges-a-line-of-an-error",
      promise: 7,
      test: "packages/cli/test/mcp/content.test.ts",
      find: "usage(\n    printableLine(problem),",
      replace: "usage(\n    problem,",
      title: "begins no line of an error about arguments"
    },
    {
      name: "a-hint-has-lines-of-a-server",
      promise: 7,
      test: "packages/cli/test/mcp/content.test.ts",
      find: "`  ${printableParagraph(line, \"    | \")}`",
      replace: "`  ${line}`",
      title: "begins no line of an error about arguments"
    },
    {
      name: "a-failed-tool-forges-a-line",
      promise: 7,
      test: "packages/cli/test/mcp/content.test.ts",
      find: "printableParagraph(text, \"  \")",
      replace: "text",
      title: "begins no line of an error about arguments"
    },
    {
      name: "a-stack-forges-lines-of-the-log",
      promise: 7,
      test: "packages/cli/test/terminal/logger.test.ts",
      find: "(line) => `    ${line.trim()}`",
      replace: "(line) => line",
      title: "has nothing that drives a terminal, and no line that another wrote"
    },
    {
      name: "a-url-is-shown-as-it-was-sent",
      promise: 7,
      test: "packages/cli/test/terminal/logger.test.ts",
      find: "URL.canParse(text) ? new URL(text).href : text",
      replace: "text",
      title: "shows a URL as a browser takes it"
    },
    {
      name: "hidden-characters-are-no-finding",
      promise: 7,
      test: "packages/cli/test/mcp/lint.test.ts",
      find: "...hidingIn(tool, [])",
      replace: "...[]",
      title: "a tag in a description"
    },
    {
      name: "an-approval-hides-a-line",
      promise: 7,
      test: "packages/cli/test/mcp/gateway/pins.test.ts",
      find: "...after.slice(0, start).map((line) => signed(\" \", line)),",
      replace: "",
      title: "is all of a definition"
    },
    {
      name: "an-approval-shows-what-it-likes-of-a-line",
      promise: 7,
      test: "packages/cli/test/mcp/gateway/pins.test.ts",
      find: "`  ${sign} ${Excerpt.line(line, Infinity)}`",
      replace: "`  ${sign} ${line}`",
      title: "is all of a definition"
    },
    {
      name: "tool-arguments-are-any-json",
      promise: 7,
      find: "if (!fits(value, tool.inputSchema, schema)) return",
      replace: "if (!fits(value, tool.inputSchema, {})) return",
      title: "are refused where one is missing, unknown or of another type"
    }
  ]
} satisfies Mutants
