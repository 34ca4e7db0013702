import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/Message.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "decode-response-as-call",
      promise: 1,
      find: `members.method === undefined && (`,
      replace: `members.method === null && (`
    },
    {
      name: "decode-result-beside-error",
      promise: 2,
      find: `(hasBoth ? undefined : response(id, result, error))`,
      replace: `response(id, result, error)`
    },
    {
      name: "decode-params-null",
      promise: 2,
      find: `(params === null && options?.nullParams !== "absent")`,
      replace: `(params === null && options?.nullParams === "refuse")`
    },
    {
      name: "decode-loses-id-of-invalid-request",
      promise: 3,
      find: `Result.fail(new InvalidRequest({ id: id ?? null, rule }))`,
      replace: `Result.fail(new InvalidRequest({ id: id || null, rule }))`
    },
    {
      name: "decode-takes-a-request-id-by-value",
      promise: 3,
      find: `fromParsed(members.id, source)`,
      replace: `idOfResponse(members.id, source)`
    },
    {
      name: "a-response-that-nests-too-deep-is-answered",
      promise: 10,
      test: "packages/peer/test/regression/sizes.test.ts",
      find: `unparsed(Envelope.ofText(text), depthRule(options), options)`,
      replace: `new ParseError({ rule: depthRule(options) })`
    }
  ]
} satisfies Mutants
