/** The surprising statements of docs/migration about other libraries hold. */
import { Client as ClientV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js"
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js"
import { InMemoryTransport as MemoryV2, McpServer as ServerV2 } from "@modelcontextprotocol/server"
import jayson from "jayson"
import { JSONRPCClient, JSONRPCServer } from "json-rpc-2.0"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server } from "node:net"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { setImmediate, setTimeout } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import * as rpc from "vscode-jsonrpc/node"
import { z } from "zod"

const portOf = async (server: Server): Promise<number> => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  return (server.address() as AddressInfo).port
}

describe("vscode-jsonrpc", () => {
  const pair = () => {
    const [there, back] = [new PassThrough(), new PassThrough()]
    const end = (read: PassThrough, write: PassThrough) =>
      rpc.createMessageConnection(new rpc.StreamMessageReader(read), new rpc.StreamMessageWriter(write))
    return { server: end(there, back), client: end(back, there), there, back }
  }

  it("gives a handler that starts late a token that fires no event", async () => {
    const { back, server, there } = pair()
    const answered = once(back, "data")
    let fired = false
    const started = new Promise<rpc.CancellationToken>((resolve) => {
      server.onRequest("audit", (token: rpc.CancellationToken) => {
        token.onCancellationRequested(() => {
          fired = true
        })
        resolve(token)
      })
    })
    // The server reads the request and its cancellation at once: two chunks would leave it time to begin in between.
    const messages = [{ id: 1, method: "audit" }, { method: "$/cancelRequest", params: { id: 1 } }]
    const frames = messages.map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }))
    there.write(frames.map((text) => `Content-Length: ${text.length}\r\n\r\n${text}`).join(""))
    server.listen()
    const token = await started
    await answered
    // A token of another kind that is already cancelled fires by a timer, which was set before this one.
    await setTimeout(0)
    expect([token.isCancellationRequested, fired]).toEqual([true, false])
    server.dispose()
  })

  it("lets calls wait after the connection is lost, until somebody disposes it", async () => {
    const { back, client } = pair()
    client.listen()
    let ended = ""
    const call = client.sendRequest("never").catch(({ code }: rpc.ResponseError<unknown>) => {
      ended = String(code)
    })
    const closed = new Promise<void>((resolve) => client.onClose(() => resolve()))
    back.destroy()
    await closed
    await setImmediate()
    expect(ended).toBe("")
    client.dispose()
    await call
    expect(ended).toBe(String(rpc.ErrorCodes.PendingResponseRejected))
  })

  it("tells the other side the message of what a handler throws", async () => {
    const { client, server } = pair()
    server.onRequest("boom", () => {
      throw new Error("secret")
    })
    for (const one of [client, server]) one.listen()
    await expect(client.sendRequest("boom")).rejects.toMatchObject({ code: -32603, message: /secret/ })
    await expect(client.sendRequest("nope")).rejects.toMatchObject({ code: -32601, message: "Unhandled method nope" })
    for (const one of [client, server]) one.dispose()
  })
})

describe("json-rpc-2.0", () => {
  const server = new JSONRPCServer({ errorListener: () => {} })
  server.addMethod("echo", (params) => params)
  server.addMethod("boom", () => {
    throw new Error("secret")
  })
  const echo = { jsonrpc: "2.0", id: 1, method: "echo" }

  it("answers what a method throws with the code 0 and its message", async () => {
    expect(await server.receiveJSON(JSON.stringify({ ...echo, method: "boom" }))).toMatchObject({
      error: { code: 0, message: "secret" }
    })
  })

  it("answers a batch of one with an object, and one with a null not at all", async () => {
    expect(await server.receiveJSON(JSON.stringify([echo]))).toEqual({ jsonrpc: "2.0", id: 1, result: null })
    await expect(Promise.resolve(server.receiveJSON(JSON.stringify([echo, null])))).rejects.toThrow("null")
  })

  it("calls the text null no JSON", async () => {
    expect(await server.receiveJSON("null")).toMatchObject({ error: { code: -32700 } })
  })

  it("ends calls that wait when it is told to, with the code 0", async () => {
    const client = new JSONRPCClient(() => {})
    const call = Promise.resolve(client.request("never", undefined))
    client.rejectAllPendingRequests("lost")
    await expect(call).rejects.toMatchObject({ code: 0, message: "lost" })
  })
})

describe("jayson", () => {
  const server = new jayson.Server({
    echo: (params: unknown, done: (error: null, result: unknown) => void) => done(null, params),
    boom: () => {
      throw new Error("secret")
    }
  })
  const ask = (request: unknown) =>
    new Promise((resolve) =>
      server.call(JSON.stringify(request), (error: unknown, success: unknown) => resolve(error ?? success))
    )
  const echo = { jsonrpc: "2.0", id: 1, method: "echo", params: [1] }

  it("lets what a method with a callback throws pass", () => {
    expect(() => server.call({ ...echo, method: "boom" }, () => {})).toThrow("secret")
  })

  it("takes the id null for a notification", async () => {
    expect(await ask({ ...echo, id: null })).toBeUndefined()
  })

  it("leaves a batch within a batch out of its answer", async () => {
    expect(await ask([[echo], echo])).toEqual([{ jsonrpc: "2.0", id: 1, result: [1] }])
  })

  it("over TCP answers what is no JSON, and ends the connection", async () => {
    const tcp = server.tcp()
    const socket = connect(await portOf(tcp), "127.0.0.1")
    socket.write("{bad\n")
    expect(JSON.parse(await text(socket))).toMatchObject({ id: null, error: { code: -32700 } })
    tcp.close()
  })

  it("over HTTP answers what is no JSON with a status alone", async () => {
    const http = server.http()
    const response = await fetch(`http://127.0.0.1:${await portOf(http)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{bad"
    })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("SyntaxError")])
    http.close()
  })

  it("over TCP gives neither an error nor a result when the connection ends", async () => {
    const dead = createServer((socket) => socket.end())
    const client = jayson.Client.tcp({ port: await portOf(dead), host: "127.0.0.1" })
    expect(await new Promise((resolve) => client.request("x", [], (...all: Array<unknown>) => resolve(all)))).toEqual(
      []
    )
    dead.close()
  })
})

describe("the official SDK answers a tool that does not exist", () => {
  const own = { name: "me", version: "1.0.0" }
  const call = { name: "nothing", arguments: {} }

  it("in version 1 with a result", async () => {
    const server = new ServerV1(own)
    server.registerTool(
      "echo",
      { inputSchema: { text: z.string() } },
      ({ text }) => ({ content: [{ type: "text", text }] })
    )
    const [near, far] = MemoryV1.createLinkedPair()
    const client = new ClientV1(own)
    await Promise.all([server.connect(far), client.connect(near)])
    expect((await client.callTool(call)).isError).toBe(true)
    await client.close()
  })

  it("in version 2 with an error", async () => {
    const server = new ServerV2(own)
    server.registerTool(
      "echo",
      { inputSchema: z.object({ text: z.string() }) },
      ({ text }) => ({ content: [{ type: "text", text }] })
    )
    const [near, far] = MemoryV2.createLinkedPair()
    const client = new ClientV2(own)
    await Promise.all([server.connect(far), client.connect(near)])
    await expect(client.callTool(call)).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })
})
