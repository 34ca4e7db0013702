/** A side of `vscode-jsonrpc` over a WebSocket: a message is one text, without a header. */
import * as rpc from "vscode-jsonrpc/node"
import type { WebSocket } from "ws"

class Reader extends rpc.AbstractMessageReader {
  readonly #socket: WebSocket

  constructor(socket: WebSocket) {
    super()
    this.#socket = socket
  }

  listen(callback: rpc.DataCallback): rpc.Disposable {
    this.#socket.on("message", (data) => callback(JSON.parse(String(data))))
    this.#socket.on("close", () => this.fireClose())
    return rpc.Disposable.create(() => this.#socket.terminate())
  }
}

class Writer extends rpc.AbstractMessageWriter {
  readonly #socket: WebSocket

  constructor(socket: WebSocket) {
    super()
    this.#socket = socket
  }

  write(message: rpc.Message): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#socket.send(JSON.stringify(message), (error) => error ? reject(error) : resolve())
    )
  }

  end() {}
}

/** A connection that listens, after it was prepared. */
export const theirs = (socket: WebSocket, prepare: (connection: rpc.MessageConnection) => void = () => {}) => {
  const connection = rpc.createMessageConnection(new Reader(socket), new Writer(socket))
  prepare(connection)
  connection.listen()
  return connection
}
