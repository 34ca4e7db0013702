import { type Examples, foreign } from "../../../tools/errors/Example.ts"
import * as Message from "../src/Message.ts"
import * as ErrorObject from "../src/shared/ErrorObject.ts"

export default {
  EncodingError: {
    names: { cause: "BigInt" },
    make: () => Message.encode({ _tag: "Success", id: 1, result: 1n as never })
  },
  InvalidRequest: {
    names: { id: `id "${foreign}"`, rule: "`method` must be a string" },
    make: (foreign) => Message.decode(JSON.stringify({ jsonrpc: "2.0", id: foreign, method: 1 }))
  },
  InvalidResponse: {
    names: { id: `id "${foreign}"`, rule: "`error` must have an integer `code`" },
    make: (foreign) => Message.decode(JSON.stringify({ jsonrpc: "2.0", id: foreign, error: foreign }))
  },
  InvalidServerCode: {
    names: { code: "the code 7", range: "from -32099 to -32000" },
    make: () => ErrorObject.serverError(7, "no")
  },
  ParseError: {
    names: { cause: "SyntaxError", text: foreign },
    make: (foreign) => Message.decode(foreign)
  }
} satisfies Examples
