/** What a server in a process of its own answers to a bad frame: reason by kind by revision. */
import { assert, describe, it } from "@effect/vitest"
import * as Revision from "@parley/mcp/wire/Revision"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { modern } from "../server/support/line.ts"

const frame = 1_000

/** What stands for the `~` of a message. */
const reasons: Readonly<Record<string, Uint8Array>> = {
  "no UTF-8": Uint8Array.of(0xff),
  "no JSON": Uint8Array.of(0x09),
  "too large": new Uint8Array(frame).fill(0x78)
}

/** Whole messages, and whether the answer has the id of the message where that is only too large. */
const kinds: Readonly<Record<string, readonly [text: string, answer: "none" | "id" | "unreadable"]>> = {
  "a request": [`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"~"}}`, "id"],
  "a request with its id behind": [`{"jsonrpc":"2.0","method":"ping","params":{"a":"~"},"id":7}`, "id"],
  "a notification": [`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"~"}}`, "none"],
  "a result": [`{"jsonrpc":"2.0","id":7,"result":{"a":"~"}}`, "none"],
  "an error": [`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"~"}}`, "none"],
  "a batch of requests": [`[{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"~"}}]`, "unreadable"],
  "a batch of responses": [`[{"jsonrpc":"2.0","id":7,"result":{"a":"~"}}]`, "none"],
  "nothing that is known": [`{"jsonrpc":"2.0","a":"~"}`, "unreadable"]
}

const bytesOf = (text: string, spoil: Uint8Array): Uint8Array =>
  Buffer.concat(
    text.split("~").flatMap((part, index) => index === 0 ? [Buffer.from(part)] : [spoil, Buffer.from(part)])
  )

const expected = (revision: Revision.Revision, reason: string, answer: "none" | "id" | "unreadable") => {
  if (answer === "none") return []
  const { errorCode, features } = RevisionCodec.of(revision)
  const isTooLarge = reason === "too large"
  const error = isTooLarge
    ? { code: errorCode(-32001), message: "Request too large" }
    : { code: -32700, message: "Parse error" }
  if (isTooLarge && answer === "id") return [{ jsonrpc: "2.0", id: 7, error }]
  // Errors of the older revisions have an id, so that nothing can be said without one.
  return features.unreadable === "silent" ? [] : [{ jsonrpc: "2.0", error }]
}

describe("a bad frame over stdio is answered by its reason, its kind and the revision", () => {
  for (const revision of Revision.all) {
    it(`in ${revision}`, { timeout: 60_000 }, async () => {
      const child = spawn(process.execPath, [fileURLToPath(new URL("server.ts", import.meta.url)), String(frame)], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      let id = 100
      /** Writes a frame and a request, and gives the replies before that of the request. */
      const ask = async (bytes: Uint8Array | undefined, method: string, params: object) => {
        if (bytes !== undefined) child.stdin.write(Buffer.concat([bytes, Buffer.from("\n")]))
        const own = ++id
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: own, method, params })}\n`)
        const replies: Array<unknown> = []
        for (;;) {
          const { done, value } = await lines.next()
          if (done === true) throw new Error(`the server has ended, after ${JSON.stringify(replies)}`)
          const reply = JSON.parse(value)
          if (reply.id === own) return replies
          replies.push(reply)
        }
      }
      try {
        const isModern = Revision.era(revision) === "modern"
        if (!isModern) {
          await ask(undefined, "initialize", {
            protocolVersion: revision,
            capabilities: {},
            clientInfo: { name: "t", version: "1" }
          })
          child.stdin.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}\n`)
        }
        for (const [reason, spoil] of Object.entries(reasons)) {
          for (const [kind, [text, answer]] of Object.entries(kinds)) {
            const replies = isModern
              ? await ask(bytesOf(text, spoil), "server/discover", modern())
              : await ask(bytesOf(text, spoil), "ping", {})
            assert.deepStrictEqual(replies, expected(revision, reason, answer), `${kind}: ${reason}`)
          }
        }
      } finally {
        child.kill()
      }
    })
  }
})
