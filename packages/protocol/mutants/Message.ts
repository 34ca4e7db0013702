import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/Message.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "decode-throws-what-is-no-json",
      promise: 1,
      find: `return Result.fail(new ParseError({ rule: String(cause) }))`,
      replace: `throw cause`
    },
    {
      name: "decode-null-throws",
      promise: 1,
      find: `typeof json !== "object" || json === null || Array`,
      replace: `typeof json !== "object" || Array`
    },
    {
      name: "decode-response-as-call",
      promise: 1,
      find: `members.method === undefined && (`,
      replace: `members.method === null && (`
    },
    {
      name: "decode-jsonrpc-unchecked",
      promise: 2,
      find: `if (jsonrpc !== "2.0") return invalid(`,
      replace: `if (jsonrpc === undefined) return invalid(`
    },
    {
      name: "decode-result-beside-error",
      promise: 2,
      find: `if (result !== undefined && error !== undefined) {`,
      replace: `if (result !== undefined && error === null) {`
    },
    {
      name: "decode-fractional-code",
      promise: 2,
      find: `code is number => Number.isSafeInteger(code)`,
      replace: `code is number => typeof code === "number"`
    },
    {
      name: "decode-params-null",
      promise: 2,
      find: `(params === null && options?.nullParams !== "absent")`,
      replace: `(params === null && options?.nullParams === "refuse")`
    },
    {
      name: "decode-drops-extra",
      promise: 2,
      find: `extraOf(members, 3, responseMembers)`,
      replace: `extraOf(members, Object.keys(members).length, responseMembers)`
    },
    {
      name: "encode-drops-extra-of-notification",
      promise: 2,
      find: `notificationText(message.method, message.params, message.extra)`,
      replace: `notificationText(message.method, message.params)`
    },
    {
      name: "decode-loses-id-of-invalid-request",
      promise: 3,
      find: `Result.fail(new InvalidRequest({ id: id ?? null, rule }))`,
      replace: `Result.fail(new InvalidRequest({ id: id || null, rule }))`
    },
    {
      name: "decode-never-asks-for-the-source",
      promise: 3,
      find: `fromParsed(members.id, source)`,
      replace: `fromParsed(members.id, () => String(members.id))`
    },
    {
      name: "encode-fraction-as-code",
      promise: 5,
      find: `if (!isCode(code)) throw`,
      replace: `if (code === null) throw`
    },
    {
      name: "decode-ignores-depth",
      promise: 5,
      find: `options?.depth ?? Limits.defaults.depth`,
      replace: `Number.MAX_SAFE_INTEGER`
    }
  ]
} satisfies Mutants
