import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/revision/decoding.ts",
  test: "packages/mcp/test/revision/Wire.test.ts",
  mutants: [
    {
      name: "unknown-kind-of-result-taken-for-complete",
      promise: 2,
      find: `traits.resultType && resultType !== "complete"`,
      replace: `traits.resultType && resultType === undefined`,
      title: "takes an absent resultType for complete, and no unknown one"
    },
    {
      name: "question-taken-for-a-legacy-answer",
      promise: 2,
      find: `traits.resultType && isObject(json) && json["resultType"] === "input_required"`,
      replace: `isObject(json) && json["resultType"] === "input_required"`,
      title: "tells a question from an answer"
    },
    {
      name: "quick-look-forgets-what-an-error-is",
      promise: 2,
      find: `(!isPresent(json, "isError") || typeof json["isError"] === "boolean") && `,
      replace: ``,
      title: "decides quickly about calls and results of tools as the Schemas do"
    },
    {
      name: "elicitation-without-a-way-is-none",
      promise: 2,
      find: `elicitation: { ...capabilities.elicitation, form: {} }`,
      replace: `elicitation: { ...capabilities.elicitation }`,
      title: "takes elicitation that names no way for elicitation by form"
    },
    {
      name: "any-offer-is-plain",
      promise: 14,
      find: `says.get(member)?.(offer[member]) === true`,
      replace: `says.get(member) !== undefined`,
      title: "is decided quickly as the Schemas do"
    }
  ]
} satisfies Mutants
