import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"

/** The output of each story. */
const stories: Readonly<Record<string, ReadonlyArray<string>>> = {
  bank: ["left: 7", "only 9"],
  "tcp-server-and-client": [
    "12 / 4 = 3",
    `1001 Division by zero {"dividend":1}`,
    "-32602 Invalid params"
  ],
  "child-process-client": [
    "sum: 6",
    "too late: sleep",
    "connected: true",
    "the process has ended"
  ],
  "two-peers": [
    `progress {"value":{"kind":"report","percentage":50},"token":"progress-1"}`,
    `asked to approve ["the plan"]`,
    `progress {"value":{"kind":"report","percentage":100},"token":"progress-1"}`,
    "built"
  ],
  "correlator-alone": [
    "the worker was told to stop 3",
    "[42,\"RemoteError: triple (id 2) was answered with error -32601: no method triple\",\"RequestTimeout: no response to sleep (id 3) within 500 ms\"]",
    "0 calls wait",
    "later: Closed, sent: true"
  ],
  "inside-another-host": [
    `200 {"jsonrpc":"2.0","id":1,"result":"HELLO"}`,
    "204 ",
    `200 [{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found","data":"whisper"}}]`,
    `200 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`
  ],
  "chat/story": ["ada: Milk?", "ada tells bob: Two sugars", "NotHere", "ada: Still here?", "bob tells bob: Yes"],
  mcp: ["2025-11-25", "2026-07-28"].flatMap((revision) => [
    `${revision} menu: green, black, mint`,
    "asked: How many cups of mint tea?",
    "1 of 2: cup 1 is poured",
    "2 of 2: cup 2 is poured",
    "2 cups of mint tea cost 5",
    "ToolError"
  ])
}

describe("the stories run, and print what they tell", () => {
  for (const [name, lines] of Object.entries(stories)) {
    it.concurrent(name, async () => {
      const path = new URL(`../src/${name}.ts`, import.meta.url).pathname
      const child = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "pipe"] })
      const exit = new Promise((resolve) => child.on("close", resolve))
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
      assert.deepStrictEqual(output.split("\n"), [...lines, ""])
      assert.strictEqual(errors, "")
      assert.strictEqual(await exit, 0)
    })
  }
})
