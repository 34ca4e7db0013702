/** A server of vscode-jsonrpc over stdio, where it writes a header before each message. */
import * as rpc from "vscode-jsonrpc/node"

const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(process.stdin),
  new rpc.StreamMessageWriter(process.stdout)
)
connection.onRequest("add", ({ a, b }: { readonly a: number; readonly b: number }) => ({ sum: a + b }))
connection.listen()
