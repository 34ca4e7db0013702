/** A router behind a foreign wire, the bodies of HTTP requests. It maps a text to a text, or to nothing. */
import { Router } from "@parley/peer"
import { Effect, Option } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const router = yield* Router.make()
  yield* router.add(
    "shout",
    ({ params }) => Effect.succeed(String(Array.isArray(params) ? params[0] : "").toUpperCase())
  )

  const host = createServer(async (request, response) => {
    const reply = await Effect.runPromise(router.answer(await text(request)))
    // Nothing is answered to a notification.
    response.writeHead(Option.isSome(reply) ? 200 : 204, { "content-type": "application/json" })
    response.end(Option.getOrElse(reply, () => ""))
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => host.close()))
  host.listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(host, "listening"))
  const address = host.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`

  const post = (body: string) =>
    Effect.promise(async () => {
      const response = await fetch(url, { method: "POST", body, headers: { connection: "close" } })
      console.log(response.status, await response.text())
    })
  yield* post(`{"jsonrpc":"2.0","id":1,"method":"shout","params":["hello"]}`)
  yield* post(`{"jsonrpc":"2.0","method":"shout"}`)
  yield* post(`[{"jsonrpc":"2.0","id":"a","method":"whisper"}]`)
  yield* post(`{"jsonrpc":`)
})))
