import type { Examples } from "../../../tools/errors/Example.ts"
import * as ErrorObject from "../src/ErrorObject.ts"
import * as Message from "../src/Message.ts"

export default {
  EncodingError: () => Message.encode({ _tag: "Success", id: 1, result: 1n as never }),
  InvalidRequest: (foreign) => Message.decode(JSON.stringify({ jsonrpc: "2.0", id: foreign, method: 1 })),
  InvalidResponse: (foreign) => Message.decode(JSON.stringify({ jsonrpc: "2.0", id: foreign, error: foreign })),
  InvalidServerCode: () => ErrorObject.serverError(7, "no"),
  ParseError: (foreign) => Message.decode(foreign)
} satisfies Examples
