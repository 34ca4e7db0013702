import * as OpenRpcDocument from "@parley/openrpc/OpenRpcDocument"
import type { Examples } from "../../../tools/errors/Example.ts"

export default {
  OpenRpcError: {
    names: { path: "#/methods", expected: "Expected array" },
    make: (foreign) =>
      OpenRpcDocument.decode({ openrpc: "1.3.2", info: { title: "Bank", version: foreign }, methods: foreign })
  }
} satisfies Examples
