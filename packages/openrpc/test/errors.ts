import * as OpenRpc from "@parley/openrpc/OpenRpc"
import type { Examples } from "../../../tools/errors/Example.ts"

export default {
  OpenRpcError: {
    names: { path: "#/methods", expected: "Expected array" },
    make: (foreign) => OpenRpc.decode({ openrpc: "1.3.2", info: { title: "Bank", version: foreign }, methods: foreign })
  }
} satisfies Examples
