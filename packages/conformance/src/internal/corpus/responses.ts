/** Texts shaped like responses, which are never answered: an error with their id might end an innocent call. */
import { cases, sections, type WireCase } from "./WireCase.ts"

const unanswered = [
  `{"jsonrpc":"2.0","id":1,"result":19}`,
  `{"jsonrpc":"2.0","id":1,"result":null}`,
  `{"jsonrpc":"2.0","id":"nobody","result":{"method":"echo"}}`,
  `{"jsonrpc":"2.0","id":null,"result":1}`,
  `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`,
  `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
  `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`,
  `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":[1]}}`,
  `{"jsonrpc":"2.0","id":9007199254740993,"result":1}`,
  `{"jsonrpc":"2.0","id":1,"result":1,"more":2}`
]

const invalid = [
  `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}`,
  `{"jsonrpc":"2.0","id":1,"result":1,"error":null}`,
  `{"jsonrpc":"2.0","id":1,"result":null,"error":null}`,
  `{"jsonrpc":"2.0","id":1,"error":null}`,
  `{"jsonrpc":"2.0","id":1,"error":"m"}`,
  `{"jsonrpc":"2.0","id":1,"error":1}`,
  `{"jsonrpc":"2.0","id":1,"error":[]}`,
  `{"jsonrpc":"2.0","id":1,"error":{}}`,
  `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`,
  `{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}`,
  `{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}`,
  `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}`,
  `{"jsonrpc":"2.0","id":1,"error":{"code":1e400,"message":"m"}}`,
  `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":null}}`,
  `{"jsonrpc":"2.0","result":1}`,
  `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`,
  `{"jsonrpc":"2.0","id":true,"result":1}`,
  `{"jsonrpc":"2.0","id":[],"result":1}`,
  `{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":"m"}}`,
  `{"jsonrpc":"1.0","id":1,"result":1}`,
  `{"jsonrpc":2.0,"id":1,"result":1}`,
  `{"id":1,"result":1}`,
  `{"id":1,"result":null,"error":null}`,
  `{"result":1}`,
  `{"error":1}`,
  `{"jsonrpc":"2.0","id":1,"result":1,"params":[]}`
]

export const responses: ReadonlyArray<WireCase> = [
  ...cases(sections.responseObject, unanswered.map((input) => [`a response: ${input}`, input, undefined])),
  ...cases(sections.responseObject, invalid.map((input) => [`shaped like a response: ${input}`, input, undefined]))
]
