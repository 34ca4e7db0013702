import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/description/errors.ts",
  test: "packages/openrpc/test/OpenRpc.test.ts",
  mutants: [
    {
      name: "openrpc-error-message-is-its-tag",
      promise: 2,
      find: `code: Number(code), message,`,
      replace: `code: Number(code), message: tag ?? message,`,
      title: "gives errors by their code"
    }
  ]
} satisfies Mutants
